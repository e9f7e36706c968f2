package report

import (
	"html/template"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/record"
)

// blockCharts draws what an experiment of block gave over the size of its blocks, where a combination of its other axes had three or more: throughput under its ceiling, requests,
// latencies, processor, and work for each percent of it, a line for every combination, as comparisons of initiators are published. Of more combinations than there are colours, each value of
// one more axis has charts of its own.
func blockCharts(title string, all []*record.Experiment, keys []string, mark string) (out []template.HTML) {
	for _, g := range splitLines(all, keys) {
		s, p := blockSweep(g.all, g.keys)
		if s == nil {
			continue
		}
		name := title
		if g.title != "" {
			name += ", " + g.title
		}
		note := "The table has every figure."
		if n := len(p.drawn()); n < len(p.systems) {
			note = "The first " + strconv.Itoa(n) + " of " + strconv.Itoa(len(p.systems)) + " lines; the table has every figure."
		}
		if g.title != "" {
			p.note = g.title
		}
		for _, f := range blockFigures() {
			out = append(out, s.chart(p, f, name+": "+strings.ToLower(f.what[:1])+f.what[1:], note, mark))
		}
	}
	return slices.DeleteFunc(out, func(h template.HTML) bool { return h == "" })
}

// blockSweep makes lines of experiments over the size of their blocks; nil where no line has three sizes.
func blockSweep(all []*record.Experiment, keys []string) (*sweep, sweepPanel) {
	s := &sweep{Key: "block"}
	var p sweepPanel
	of := map[string]int{}
	for _, e := range all {
		x, name := blockPlace(e, keys)
		if x == "" {
			continue
		}
		if !slices.Contains(s.xs, x) {
			s.xs = append(s.xs, x)
		}
		i, ok := of[name]
		if !ok {
			i = len(p.systems)
			of[name] = i
			p.systems = append(p.systems, system{name: name, short: name, cells: map[string]cell{}})
		}
		if _, taken := p.systems[i].cells[x]; !taken {
			p.systems[i].cells[x] = cell{E: e}
		}
		p.row = row{Name: e.Name, From: e.From, To: e.To, Variant: e.Variant}
	}
	if !slices.ContainsFunc(p.systems, func(y system) bool { return len(y.cells) >= 3 }) {
		return nil, p
	}
	slices.SortFunc(s.xs, func(a, b string) int { return int(min(max(place(a)-place(b), -1), 1)) })
	return s, p
}

// splitLines divides experiments by the values of one axis after the other until each part has as many lines as there are colours. Keys of a part are those that still vary in it.
func splitLines(all []*record.Experiment, keys []string) []gathered {
	lines := map[string]bool{}
	for _, e := range all {
		if x, name := blockPlace(e, keys); x != "" {
			lines[name] = true
		}
	}
	if len(lines) > len(systems()) {
		for _, k := range []string{"read", "pattern", "depth", "threads"} {
			if !slices.Contains(keys, k) {
				continue
			}
			rest := slices.DeleteFunc(slices.Clone(keys), func(o string) bool { return o == k })
			var order []string
			of := map[string][]*record.Experiment{}
			for _, e := range all {
				v := e.Settings[k]
				if of[v] == nil {
					order = append(order, v)
				}
				of[v] = append(of[v], e)
			}
			var out []gathered
			for _, v := range order {
				for _, g := range splitLines(of[v], rest) {
					g.title = strings.TrimSuffix(cellWord(k, v)+", "+g.title, ", ")
					out = append(out, g)
				}
			}
			return out
		}
	}
	return []gathered{{all: all, keys: keys}}
}

// blockPlace is where a cell stands in a chart over the block: the block, and the line, named by all else that varies.
func blockPlace(e *record.Experiment, keys []string) (x, line string) {
	var words []string
	for _, k := range keys {
		v := clean(e.Settings[k])
		switch l, ok := fabric.ParseBlockLoad(e.Settings["load"]); {
		case k == "size":
			x = v
		case k == "load" && ok:
			x = l.Size.String()
			words = append(words, l.Order+" Q"+strconv.Itoa(l.Depth)+"T"+strconv.Itoa(l.Threads))
		case k == "read":
			words = append(words, cellWord(k, v))
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
