package chart

import (
	"html/template"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/fabric"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
	"linerate/internal/report/style"
)

// BlockCharts draws a storage experiment over the size of its blocks, where a combination of its other parameters has
// three or more sizes: throughput with its ceiling, requests, latencies, CPU time, and work per percent of it. Each
// combination has a line, as comparisons of initiators are published. Where there are more combinations than colours,
// each value of one more parameter has charts of its own.
func BlockCharts(title string, all []*record.Experiment, keys []string, mark string) (out []template.HTML) {
	for _, g := range splitLines(all, keys) {
		s, p := blockSweep(g.All, g.Keys)
		if s == nil {
			continue
		}
		name := title
		if g.Title != "" {
			name += ", " + g.Title
		}
		note := "The table has every figure."
		if n := len(p.drawn()); n < len(p.Systems) {
			note = "The first " + strconv.Itoa(n) + " of " + strconv.Itoa(len(p.Systems)) + " lines; the table has every figure."
		}
		if g.Title != "" {
			p.Note = g.Title
		}
		for _, f := range blockFigures() {
			out = append(out, s.Chart(p, f, name+": "+strings.ToLower(f.What[:1])+f.What[1:], note, mark))
		}
	}
	return slices.DeleteFunc(out, func(h template.HTML) bool { return h == "" })
}

// blockSweep makes lines of experiments over the size of their blocks. It returns nil where no line has three sizes.
func blockSweep(all []*record.Experiment, keys []string) (*Sweep, SweepPanel) {
	s := &Sweep{Key: "block"}
	var p SweepPanel
	of := map[string]int{}
	for _, e := range all {
		x, name := BlockPlace(e, keys)
		if x == "" {
			continue
		}
		s.Xs = xslices.AppendNew(s.Xs, x)
		i, ok := of[name]
		if !ok {
			i = len(p.Systems)
			of[name] = i
			p.Systems = append(p.Systems, System{Name: name, Short: name, Combinations: map[string]result.Combination{}})
		}
		if _, taken := p.Systems[i].Combinations[x]; !taken {
			p.Systems[i].Combinations[x] = result.Combination{E: e}
		}
		p.Row = result.Row{Name: e.Name, From: e.From, To: e.To, Variant: e.Variant}
	}
	if !slices.ContainsFunc(p.Systems, func(y System) bool { return len(y.Combinations) >= 3 }) {
		return nil, p
	}
	slices.SortFunc(s.Xs, func(a, b string) int { return int(min(max(result.Place(a)-result.Place(b), -1), 1)) })
	return s, p
}

// splitLines divides experiments by the values of one parameter after the other until each part has as many lines as
// there are colours. Keys of a part are those that still vary in it.
func splitLines(all []*record.Experiment, keys []string) []result.Table {
	lines := map[string]bool{}
	for _, e := range all {
		if x, name := BlockPlace(e, keys); x != "" {
			lines[name] = true
		}
	}
	if len(lines) > len(style.Systems()) {
		for _, k := range []string{"read", "access", "depth", "threads"} {
			if !slices.Contains(keys, k) {
				continue
			}
			rest := slices.DeleteFunc(slices.Clone(keys), func(o string) bool { return o == k })
			var out []result.Table
			for _, group := range format.Groups(all, func(e *record.Experiment) string { return e.Settings[k] }) {
				for _, g := range splitLines(group, rest) {
					g.Title = strings.TrimSuffix(result.SettingWord(k, group[0].Settings[k])+", "+g.Title, ", ")
					out = append(out, g)
				}
			}
			return out
		}
	}
	return []result.Table{{All: all, Keys: keys}}
}

// BlockPlace returns the position of a combination in a chart over the block size: the size, and the line, named by all
// other settings that vary.
func BlockPlace(e *record.Experiment, keys []string) (x, line string) {
	var words []string
	for _, k := range keys {
		v := format.Clean(e.Settings[k])
		switch l, ok := fabric.ParseBlockLoad(e.Settings["load"]); {
		case k == "size":
			x = v
		case k == "load" && ok:
			x = l.Size.String()
			words = append(words, l.Order+" Q"+strconv.Itoa(l.Depth)+"T"+strconv.Itoa(l.Threads))
		case k == "read":
			words = append(words, result.SettingWord(k, v))
		case k == "depth" || k == "threads":
			words = append(words, v+" "+k)
		default:
			words = append(words, v)
		}
	}
	if b, err := unit.ParseBytes(x); err == nil {
		x = b.String()
	}
	return x, strings.Join(words, ", ")
}
