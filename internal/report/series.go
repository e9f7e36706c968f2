package report

import (
	"html/template"
	"slices"
	"strings"

	"linerate/internal/base/stat"
	"linerate/internal/record"
)

// series makes the charts over an axis, before those of single paths: they have the room first.
func (m *maker) series(v *pageView, all []row) {
	v.Systems = m.systems()
	v.Sweeps = sweeps(all, m.mark)
	for n := range v.Sweeps {
		s := &v.Sweeps[n]
		s.Anchor = numbered("sweep", n)
		for i := range s.Charts {
			s.Charts[i] = m.chart(s.Charts[i])
		}
		for _, p := range s.panels {
			for _, y := range p.systems {
				for _, c := range y.cells {
					m.anchor(s.Anchor, c.E)
				}
			}
		}
	}
	v.Apps, v.Storage = appTables(m.run), slices.Concat(blockTables(m.run), copyTables(m.run))
	for n := range v.Storage {
		t := &v.Storage[n]
		t.Anchor, t.Title = numbered("storage", n), arrows(t.Title)
		m.anchor(t.Anchor, t.of.all...)
		if len(t.of.all) > 0 && t.of.all[0].Block != nil {
			for _, c := range blockCharts(t.Title, t.of.all, t.of.keys, m.mark) {
				if c = m.chart(c); c != "" {
					t.Charts = append(t.Charts, c)
				}
			}
		}
	}
	v.Verbs, v.Halos = verbsTables(m.run), haloTables(m.run)
	for i := range v.Verbs {
		t := &v.Verbs[i]
		t.Anchor = numbered("rdma", i)
		for _, e := range t.cells {
			m.anchor(t.Anchor, e)
		}
		t.Chart = m.chart(t.chart(m.mark))
	}
	for i := range v.Halos {
		v.Halos[i].Chart = m.chart(v.Halos[i].chart())
	}
}

// systemsView is one experiment of several systems: a chart a figure with a line a system, and the table of the same numbers.
type systemsView struct {
	Title, Anchor string
	Whisker       string
	Panels        []systemsPanel
}

type systemsPanel struct {
	Caption string
	Charts  []template.HTML
	Heads   []string
	Rows    [][]string
}

// systemAxes make two systems of one experiment.
var systemAxes = []string{"variant", "via"}

// sweptAxes are what the systems are drawn over: the first of them that has three values or more.
var sweptAxes = []string{"size", "load", "processes", "tiles", "pairs", "streams", "depth", "threads"}

// fewestPoints is the least number of values that make a line.
const fewestPoints = 3

// systems draws the experiments that were measured on several systems, those side by side that are one but for the system.
func (m *maker) systems() (out []systemsView) {
	for _, axis := range systemAxes {
		var order []string
		of := map[string][]*record.Experiment{}
		for _, e := range m.run.Experiments {
			if len(e.Repeats) == 0 || len(figuresOf(e)) == 0 || axis != "variant" && axisValue(e, axis) == "" {
				continue
			}
			name := e.Name
			if axis != "variant" {
				name += "\x00" + e.Variant
			}
			if of[name] == nil {
				order = append(order, name)
			}
			of[name] = append(of[name], e)
		}
		for _, name := range order {
			v := systemsView{Title: clean(of[name][0].Name) + ": " + systemsWord(axis) + " side by side", Anchor: numbered("systems", len(out))}
			if e := of[name][0]; axis != "variant" && e.Variant != "" {
				v.Title += " [" + clean(e.Variant) + "]"
			}
			v.Panels = m.systemsPanels(axis, of[name], v.Anchor)
			if len(v.Panels) > 0 {
				v.Whisker = "the interval, or where repeats are few the lowest and highest"
				out = append(out, v)
			}
		}
	}
	return out
}

func systemsWord(axis string) string {
	return map[string]string{"variant": "variants", "via": "adapters"}[axis]
}

func (m *maker) systemsPanels(axis string, all []*record.Experiment, anchor string) (out []systemsPanel) {
	x := ""
	for _, k := range sweptAxes {
		seen := map[string]bool{}
		for _, e := range all {
			if v, _ := xOf(e, k); v != "" {
				seen[v] = true
			}
		}
		if len(seen) >= fewestPoints {
			x = k
			break
		}
	}
	if x == "" {
		return nil
	}
	varying := varyingKeys(all)[all[0].Name]
	type panel struct {
		s *sweep
		p sweepPanel
	}
	var order []string
	of := map[string]*panel{}
	for _, e := range all {
		v, rest := xOf(e, x)
		if v == "" {
			continue
		}
		k := strings.Join([]string{e.Method, e.From, e.To, e.Pattern, e.Direction, rest, settings(e.Settings, x, axis)}, "\x00")
		w := of[k]
		if w == nil {
			w = &panel{s: &sweep{Key: map[bool]string{true: "block", false: clean(x)}[x == "load" || x == "size" && e.Block != nil]}}
			w.p.row = row{Name: e.Name, From: e.From, To: e.To, Pattern: e.Pattern, Both: e.Direction == "both"}
			if e.Direction == "in" {
				w.p.row.From, w.p.row.To = e.To, e.From
			}
			w.p.note = strings.TrimPrefix(cellWords(e, slices.DeleteFunc(slices.Clone(varying), func(k string) bool { return k == x }), []string{axis}, false)+rest, ", ")
			if e.Direction == "both" {
				w.p.note = strings.TrimSuffix(strings.TrimSuffix(w.p.note, "both directions at once"), ", ")
			}
			of[k], order = w, append(order, k)
		}
		name := systemName(e, axis)
		i := slices.IndexFunc(w.p.systems, func(y system) bool { return y.name == name })
		if i < 0 {
			i = len(w.p.systems)
			w.p.systems = append(w.p.systems, system{name: name, short: name, cells: map[string]cell{}})
		}
		w.p.systems[i].cells[v] = cell{E: e, Goodput: e.Goodput}
		if !contains(w.s.xs, v) {
			w.s.xs = append(w.s.xs, v)
		}
	}
	for _, k := range order {
		w := of[k]
		if len(w.p.systems) < 2 || len(w.s.xs) < fewestPoints {
			continue
		}
		slices.SortStableFunc(w.s.xs, func(a, b string) int { return int(min(max(place(a)-place(b), -1), 1)) })
		out = append(out, m.systemsPanel(w.s, w.p, anchor))
	}
	return out
}

// xOf is the value of an axis; of a named load the size of its blocks, and what else it names.
func xOf(e *record.Experiment, key string) (v, rest string) {
	if key != "load" {
		return e.Settings[key], ""
	}
	return blockPlace(e, []string{"load"})
}

func (m *maker) systemsPanel(s *sweep, p sweepPanel, anchor string) systemsPanel {
	out := systemsPanel{Caption: arrows(p.row.path())}
	if p.note != "" {
		out.Caption += ", " + p.note
	}
	first := p.systems[0]
	var figures []chartFigure
	for _, c := range first.cells {
		figures = figuresOf(c.E)
		break
	}
	out.Heads = []string{s.Key}
	rowsOf := make([][]string, len(s.xs))
	for i, x := range s.xs {
		rowsOf[i] = []string{s.value(x)}
	}
	for _, f := range figures {
		if h := m.chart(s.chart(p, f, f.what+" of "+clean(p.row.Name)+", "+out.Caption+", over "+s.Key, "The table has every figure.", m.mark)); h != "" {
			out.Charts = append(out.Charts, h)
		}
		for n, y := range p.systems {
			out.Heads = append(out.Heads, strings.ToLower(f.what[:1])+f.what[1:]+", "+y.name)
			for i, x := range s.xs {
				text := "not run"
				if c, ok := y.cells[x]; ok {
					text = notKnown
					if v, _, _, _, ok := f.of(c.E); ok {
						text = f.text(v)
					}
					m.anchor(anchor, c.E)
				}
				rowsOf[i] = append(rowsOf[i], text)
			}
			if n > 0 && f.what == figures[0].what {
				out.Heads = append(out.Heads, "ratio to "+first.name)
				for i, x := range s.xs {
					rowsOf[i] = append(rowsOf[i], ratioCell(first.cells[x].E, y.cells[x].E))
				}
			}
		}
	}
	out.Rows = rowsOf
	return out
}

// ratioCell is how the second of two experiments stands to the first, with what the repeats carry.
func ratioCell(a, b *record.Experiment) string {
	if a == nil || b == nil {
		return ""
	}
	if skipped(a) || skipped(b) {
		return "none"
	}
	c := contest{a: a, b: b, turns: interleaved(a.Repeats, b.Repeats)}
	m := figureMetric(a)
	s := c.against(m)
	if s == nil {
		return notKnown
	}
	text := ratio(s.Ratio)
	switch {
	case s.N[0] < 2 && s.N[1] < 2:
		return text + ", one repeat"
	case s.Interval != stat.Interval:
		return text + " (range " + ratio(s.Low) + " .. " + ratio(s.High) + ")"
	case !s.Different():
		return "no difference shown (" + ratio(s.Low) + " .. " + ratio(s.High) + ")"
	}
	return text + " (" + ratio(s.Low) + " .. " + ratio(s.High) + ")"
}

// figureMetric is the first figure of a table as it is compared: bytes of storage, whatever the size of its blocks.
func figureMetric(e *record.Experiment) keyMetric {
	if e.Block != nil {
		return keyMetric{name: "goodput", of: repeatBytes}
	}
	return workMetric(e)
}
