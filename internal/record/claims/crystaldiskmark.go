package claims

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

var (
	crystalVersion = lazyregexp.New(`CrystalDiskMark (\d[\w.]*)`)
	crystalUnit    = lazyregexp.New(`\* MB/s = ([\d,]+) bytes?/s`)
	crystalSection = lazyregexp.New(`(?i)^\s*\[(read|write|mix)[^\]]*\]`)
	crystalRow     = lazyregexp.New(
		`^\s*((?i:SEQ|RND|SEQUENTIAL|RANDOM))\s+([\d.]+\s*[KM]i?B)\s*\(Q=\s*(\d+),\s*T=\s*(\d+)\)\s*:\s*([\d.]+)\s*([KMG]i?B)/s(?:\s*\[\s*([\d.]+)\s*IOPS\s*\])?(?:\s*<\s*([\d.]+)\s*us\s*>)?`,
	)
	crystalOld = lazyregexp.New(
		`^\s*(Sequential|Random) (Read|Write)(?:\s+(\d+\s*[KM]i?B))?\s*(?:\((?:Q=\s*(\d+),\s*T=\s*(\d+)|T=\s*(\d+)|QD=\s*(\d+))\))?\s*:\s*([\d.]+)\s*([KMG]i?B)/s(?:\s*\[\s*([\d.]+)\s*IOPS\s*\])?`,
	)
)

// readCrystalDiskMark reads the text that its menu copies or saves, from version 3 to 8, one figure a row. MB is what
// the text defines (1,000,000 bytes). Block sizes are powers of two whatever their unit (KB in version 3). Rows of
// zeros were not measured.
func readCrystalDiskMark(text string) ([]Figure, error) {
	version, mega := "", 0.0
	if m := crystalVersion.FindStringSubmatch(text); m != nil {
		version = m[1]
	}
	if m := crystalUnit.FindStringSubmatch(text); m != nil {
		mega, _ = number(strings.ReplaceAll(m[1], ",", ""))
	}
	mega = cmp.Or(mega, 1e6)
	var out []Figure
	section, rows := "", 0
	for line := range strings.Lines(text) {
		if m := crystalSection.FindStringSubmatch(line); m != nil {
			section = map[string]string{"read": "read", "write": "write", "mix": "mixed"}[strings.ToLower(m[1])]
			continue
		}
		var kind, way, block, depth, threads, value, name, iops, latency string
		if m := crystalRow.FindStringSubmatch(line); m != nil {
			kind, way, block, depth, threads, value, name, iops, latency = strings.ToUpper(m[1]), section, m[2], m[3],
				m[4], m[5], m[6], m[7],
				m[8]
		} else if m := crystalOld.FindStringSubmatch(line); m != nil {
			kind, way, block, depth, threads, value, name, iops = strings.ToUpper(m[1]), strings.ToLower(
				m[2],
			), m[3], m[4]+m[7], m[5]+m[6], m[8], m[9], m[10]
		} else {
			continue
		}
		rows++
		v, ok := number(value)
		k, known := factor(strings.TrimSuffix(name, "B"))
		if !strings.Contains(name, "i") {
			k *= mega / 1e6
		}
		if !ok || !known || v == 0 {
			continue
		}
		f := silent()
		f.Version, f.Way, f.Rate = version, way, unit.BitRate(8*v*k)
		f.Printed, f.Line = value+" "+name+"/s", tidy(line)
		if mega != 1e6 && !strings.Contains(name, "i") {
			f.Meant = "MB = " + strconv.FormatFloat(mega, 'f', -1, 64) + " bytes"
		}
		f.Block, _ = size(strings.ReplaceAll(block, " ", ""))
		f.Pattern = "random"
		row := []string{"RND"}
		if strings.HasPrefix(kind, "SEQ") {
			f.Pattern, row[0] = "sequential", "SEQ"
		}
		if block != "" {
			row = append(row, strings.ReplaceAll(block, " ", ""))
		}
		if n, err := strconv.Atoi(depth); err == nil && n > 0 && n < 1<<20 {
			f.Depth = unit.Known(n)
			row = append(row, "Q"+depth)
		}
		if n, err := strconv.Atoi(threads); err == nil && n > 0 && n < 1<<20 {
			f.Threads = unit.Known(n)
			row = append(row, "T"+threads)
		} else if f.Depth.IsKnown() {
			f.Threads = unit.Known(1) // version 3 has one thread
		}
		if depth == "" && threads != "" {
			f.Depth = unit.Known(1) // "(T= 1)": version 5 omits a queue depth of 1
		}
		f.Row = strings.TrimSpace(strings.Join(append(row, way), " "))
		if n, ok := number(iops); ok && n > 0 {
			f.IOPS = unit.Known(n)
		}
		if t, ok := number(latency); ok && t > 0 {
			f.Latency = unit.Known(t / 1e6)
		}
		out = append(out, f)
	}
	switch {
	case len(out) > 0:
		return out, nil
	case rows > 0:
		return nil, errors.New("all of its rows are nothing; the measurement did not carry data")
	case version != "":
		return nil, errors.New("it has the head of CrystalDiskMark and no row of results: it was cut off")
	}
	return nil, errors.New(
		"it has no row of CrystalDiskMark (\"SEQ 1MiB (Q= 8, T= 1): 7427.749 MB/s\"); use its menu File, Save (text)",
	)
}
