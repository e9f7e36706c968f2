package storage

import (
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// parseZpoolStatus reads "zpool status" (-v). It keeps, for each pool, "pool:", "state:", the running operation
// ("scan:", in old releases "scrub:"), "errors:", and from the table the devices whose state is not ONLINE or whose
// errors (read, write, checksum) are not 0. Snapshots: DEGRADED, UNAVAIL, lost data, completed scrubs; a running
// resilver follows the manual. Format: https://openzfs.github.io/openzfs-docs/man/master/8/zpool-status.8.html
func parseZpoolStatus(text []byte) ([]facts.Pool, error) {
	pools := []facts.Pool{}
	table, working := false, false
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		words := strings.Fields(line)
		switch {
		case key == "pool" && value != "":
			pools, table = append(pools, facts.Pool{Name: value,
				Size: unit.Unknown[unit.Bytes]("zpool status does not print it")}), false
		case len(pools) == 0:
		case key == "state" && !table:
			pools[len(pools)-1].State, pools[len(pools)-1].Line = value, facts.OneLine(line)
		case (key == "scan" || key == "scrub") && !table:
			p := &pools[len(pools)-1]
			if what, _, ok := strings.Cut(value, " in progress"); ok && (what == "resilver" || what == "scrub") {
				p.Doing, p.Work.Line, working = what, facts.OneLine(line), true
			}
			continue
		case working && strings.Contains(line, "% done"):
			pools[len(pools)-1].Work.Line += ", " + facts.OneLine(line)
		case key == "errors":
			table = false
			if value != "" && !strings.HasPrefix(value, "No known data errors") {
				pools[len(pools)-1].Lost.Line = facts.OneLine(line)
			}
		case len(words) >= 2 && words[0] == "NAME" && words[1] == "STATE":
			table, working = true, false
		case table && len(words) >= 2 && troubled(words):
			p := &pools[len(pools)-1]
			p.Errors = append(p.Errors, facts.OneLine(line))
		}
	}
	if len(pools) == 0 && !strings.Contains(string(text), "no pools available") {
		return nil, parse.ToolError(text)
	}
	return pools, nil
}

// troubled reports whether a line "NAME STATE READ WRITE CKSUM" is of a device that has errors or is not in use.
func troubled(words []string) bool {
	switch words[1] {
	case "ONLINE", "AVAIL", "INUSE":
	default:
		return len(words) >= 5
	}
	return slices.ContainsFunc(words[2:min(len(words), 5)], func(w string) bool {
		return w != "0" && w != "-"
	})
}

// parseZpoolList reads "zpool list" (-v, -p): the columns that its first line names; indented lines are devices.
// Format: https://openzfs.github.io/openzfs-docs/man/master/8/zpool-list.8.html
func parseZpoolList(text []byte) ([]facts.Pool, error) {
	pools := []facts.Pool{}
	var names []string
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if names == nil {
			if len(words) < 3 || words[0] != "NAME" {
				return nil, parse.ToolError(text)
			}
			names = words
			continue
		}
		if len(words) != len(names) || strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
			continue
		}
		p := facts.Pool{Name: words[0], Size: unit.Unknown[unit.Bytes]("it is not printed in bytes")}
		for i, name := range names {
			switch name {
			case "HEALTH":
				p.State = words[i]
			case "SIZE":
				if n, err := strconv.ParseInt(words[i], 10, 64); err == nil && n > 0 {
					p.Size = unit.Known(unit.Bytes(n))
				}
			}
		}
		if p.State == "-" || p.State == "" { // "logs", "cache"
			continue
		}
		p.Line = facts.OneLine(line)
		pools = append(pools, p)
	}
	if names == nil {
		return nil, parse.ToolError(text)
	}
	return pools, nil
}

func putPools(f *parse.Builder, _ []string, pools []facts.Pool) {
	if f.Storage.Pools == nil {
		f.Storage.Pools = []facts.Pool{}
	}
	for _, p := range pools {
		p.Source = f.Reading
		for _, proof := range []*facts.Proof{&p.Work, &p.Lost} {
			if proof.Line != "" {
				proof.Source = f.Reading
			}
		}
		known := false
		for i := range f.Storage.Pools {
			if o := &f.Storage.Pools[i]; o.Name == p.Name {
				known = true
				if p.Size.IsKnown() {
					o.Size = p.Size
				}
				if o.Errors == nil {
					o.Errors = p.Errors
				}
				if p.Doing != "" {
					o.Doing, o.Work = p.Doing, p.Work
				}
				if p.Lost.Line != "" {
					o.Lost = p.Lost
				}
			}
		}
		if !known {
			f.Storage.Pools = append(f.Storage.Pools, p)
		}
	}
}
