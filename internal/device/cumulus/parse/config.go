package parse

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/show"
)

// nvLine is a setting of NVUE: "interface swp1 link mtu 9216", with its line of the file.
type nvLine struct {
	words []string
	facts.Proof
}

var (
	nvSetLine  = lazyregexp.New(`^(?:\$ )?(?:sudo )?nv set (.+)$`)
	netAddLine = lazyregexp.New(`^(?:\$ )?(?:sudo )?net add (.+)$`)
	nvYAMLLine = lazyregexp.New(`^( *)(?:- )?(['"]?[\w./,-]+['"]?):(?: (.*))?$`)
	nvRange    = lazyregexp.New(`^(swp)(\d+)-(?:swp)?(\d+)$`)
)

// nvLines returns the settings of a script of `nv set`, of `nv config show -o commands`, or of `nv config show` in
// YAML.
func nvLines(f *parse.Builder, text []byte) (out []nvLine) {
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if m := nvSetLine.FindStringSubmatch(line); m != nil {
			out = append(out, nvLine{strings.Fields(m[1]), f.Proof(line)})
		}
		if m := netAddLine.FindStringSubmatch(line); m != nil { // NCLU, before NVUE
			words := strings.Fields(m[1])
			switch {
			case len(words) > 1 && words[0] == "roce":
				words = []string{"qos", "roce", "mode", words[1]}
			case len(words) > 3 && words[0] == "interface" && words[2] == "mtu":
				words = []string{"interface", words[1], "link", "mtu", words[3]}
			}
			out = append(out, nvLine{words, f.Proof(line)})
		}
	}
	if out != nil {
		return out
	}
	type level struct {
		indent int
		key    string
	}
	var path []level
	for raw := range strings.Lines(string(text)) {
		line := strings.TrimRight(raw, "\r\n ")
		m := nvYAMLLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		indent := len(line) - len(strings.TrimLeft(line, " -"))
		for len(path) > 0 && path[len(path)-1].indent >= indent {
			path = path[:len(path)-1]
		}
		if len(path) < 32 {
			path = append(path, level{indent, strings.Trim(m[2], `'"`)})
		}
		if value := strings.Trim(m[3], `'" `); value != "" {
			var words []string
			for _, l := range path {
				if l.key != "set" || len(words) > 0 {
					words = append(words, l.key)
				}
			}
			if value != "{}" {
				words = append(words, value)
			}
			out = append(out, nvLine{words, f.Proof(line)})
		}
	}
	return out
}

// nvPorts returns the names of swp1-4,swp9-10,swp17s0.
func nvPorts(list string) (out []string) {
	for _, part := range strings.Split(list, ",") {
		m := nvRange.FindStringSubmatch(part)
		if m == nil {
			out = append(out, part)
			continue
		}
		from, _ := strconv.Atoi(m[2])
		to, _ := strconv.Atoi(m[3])
		for i := from; i <= to && i-from < 512; i++ {
			out = append(out, m[1]+strconv.Itoa(i))
		}
	}
	return out
}

// readNVConfig reads configured settings of NVUE: a script, or `nv config show`. No snapshot of one exists; the paths
// are those of the guide of Cumulus Linux, as in package config.
func readNVConfig(f *parse.Builder, _ []string, text []byte) error {
	lines := nvLines(f, text)
	if len(lines) == 0 {
		return parse.ToolError(text)
	}
	all := &facts.Classes{}
	for _, l := range lines {
		w := l.words
		if len(w) > 2 && w[0] == "qos" && w[1] == "roce" && (w[2] == "mode" || w[2] == "enable") || len(w) == 2 &&
			w[0] == "qos" && w[1] == "roce" {
			mode := "lossless"
			if len(w) > 3 && w[2] == "mode" {
				mode = w[3]
			}
			all = show.RoCEMode(strings.HasPrefix(mode, "lossless"))
			all.Trust, all.Cable = unit.Known("both"), unit.Known(100.0)
			for _, aspect := range []string{"mode", "trust", "pfc", "queue 0", "queue 3", "queue 6", "ecn 3"} {
				all.Proves(aspect, l.Proof)
			}
		}
	}
	for _, l := range lines {
		nvGlobal(all, l)
	}
	for _, l := range lines {
		if len(l.words) < 3 || l.words[0] != "interface" {
			continue
		}
		for _, name := range nvPorts(l.words[1]) {
			if !strings.HasPrefix(name, "swp") {
				continue
			}
			n := f.Interface(name)
			c := parse.Asked(n)
			switch rest := strings.Join(l.words[2:], " "); {
			case strings.HasPrefix(rest, "link mtu ") && n.MTU == 0:
				if v, err := strconv.Atoi(l.words[4]); err == nil && v > 0 && v < 1<<17 {
					n.MTU = v
					n.Proves("mtu", l.Proof)
				}
			case strings.HasPrefix(rest, "qos pfc-watchdog state "):
				c.Watchdog = unit.Known(strings.HasSuffix(rest, " enable") || strings.HasSuffix(rest, " enabled"))
				c.Proves("watchdog", l.Proof)
			case strings.HasPrefix(rest, "lldp dcbx-pfc-tlv "):
				c.DCBX = unit.Known(strings.HasSuffix(rest, " on") || strings.HasSuffix(rest, " enabled"))
				c.Proves("dcbx", l.Proof)
			}
		}
	}
	for i := range f.NICs {
		if f.NICs[i].Asked != nil {
			show.Under(f.NICs[i].Asked, all)
		}
	}
	if all.Queues != nil || all.PFCReceive.IsKnown() {
		f.Switch.Asked = all
	}
	return nil
}

// nvGlobal reads a setting of all ports.
func nvGlobal(c *facts.Classes, l nvLine) {
	w := l.words
	if len(w) < 5 || w[0] != "qos" {
		return
	}
	class, err := strconv.Atoi(w[4])
	value := w[len(w)-1]
	switch {
	case w[1] == "egress-scheduler" && w[3] == "traffic-class" && len(w) == 7 && err == nil && class < 8 && class >= 0:
		share, err := strconv.ParseFloat(value, 64)
		c.SetQueue(class, func(q *facts.Queue) {
			switch {
			case w[5] == "mode":
				q.Strict = unit.Known(value == "strict")
				if value == "strict" {
					q.Weight = unit.Opt[float64]{}
				}
			case w[5] == "bw-percent" && err == nil && share >= 0 && share <= 100:
				q.Weight = unit.Known(share)
			}
		})
		if c.Proofs == nil {
			c.Proofs = map[string]facts.Proof{}
		}
		c.Proofs["queue "+w[4]] = l.Proof
	case w[1] == "pfc" && w[3] == "cable-length":
		if v, err := strconv.ParseFloat(w[4], 64); err == nil && v >= 0 {
			c.Cable = unit.Known(v)
			c.Proves("cable", l.Proof)
		}
	}
}
