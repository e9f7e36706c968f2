package page

import (
	"html/template"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/stat"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report/chart"
	"linerate/internal/report/compare"
	"linerate/internal/report/format"
	"linerate/internal/report/highlight"
	"linerate/internal/report/result"
	"linerate/internal/report/tables"
)

// series makes the charts over a parameter before those of single paths, so that they get space first.
func (m *maker) series(v *pageView, all []result.Row) {
	v.Systems = m.systems()
	v.Sweeps = chart.Sweeps(all, m.mark)
	for n := range v.Sweeps {
		s := &v.Sweeps[n]
		s.Anchor = numbered("sweep", n)
		for i := range s.Charts {
			s.Charts[i] = m.Chart(s.Charts[i])
		}
		for _, p := range s.Panels {
			for _, y := range p.Systems {
				for _, c := range y.Combinations {
					m.anchor(s.Anchor, c.E)
				}
			}
		}
	}
	v.Apps, v.Storage = tables.AppTables(m.run), slices.Concat(tables.BlockTables(m.run), tables.CopyTables(m.run))
	for n := range v.Storage {
		t := &v.Storage[n]
		t.Anchor, t.Title = numbered("storage", n), format.Arrows(t.Title)
		m.anchor(t.Anchor, t.Of.All...)
		if len(t.Of.All) > 0 && t.Of.All[0].Block != nil {
			for _, c := range chart.BlockCharts(t.Title, t.Of.All, t.Of.Keys, m.mark) {
				if c = m.Chart(c); c != "" {
					t.Charts = append(t.Charts, c)
				}
			}
		}
	}
	v.Verbs, v.Halos = tables.VerbsTables(m.run), tables.HaloTables(m.run)
	for i := range v.Verbs {
		t := &v.Verbs[i]
		t.Anchor = numbered("rdma", i)
		for _, e := range t.Values {
			m.anchor(t.Anchor, e)
		}
		t.Chart = m.Chart(t.Draw(m.mark))
	}
	for i := range v.Halos {
		v.Halos[i].Chart = m.Chart(v.Halos[i].Draw())
	}
}

// systemsView is one experiment of several systems: a chart a figure with a line a system, and the table of the
// same numbers.
type systemsView struct {
	Title, Anchor string
	Whisker       string
	Panels        []systemsPanel
}

type systemsPanel struct {
	Caption string
	Charts  []template.HTML
	Headers []string
	Rows    [][]string
}

// systemParameters make two systems of one experiment.
var systemParameters = []string{"variant", "via"}

// sweptParameters are the parameters over which systems are drawn: the first with three or more values is used.
var sweptParameters = []string{"size", "load", "processes", "tiles", "threads", "streams", "depth"}

// fewestPoints is the smallest number of values for a line.
const fewestPoints = 3

// systems draws the experiments that were measured on several systems, side by side where they differ in the system
// alone.
func (m *maker) systems() (out []systemsView) {
	for _, parameter := range systemParameters {
		var order []string
		of := map[string][]*record.Experiment{}
		for _, e := range m.run.Experiments {
			if len(e.Repeats) == 0 || len(chart.FiguresOf(e)) == 0 ||
				parameter != "variant" && highlight.ParameterValue(e, parameter) == "" {
				continue
			}
			name := e.Name
			if parameter != "variant" {
				name += "\x00" + e.Variant
			}
			if of[name] == nil {
				order = append(order, name)
			}
			of[name] = append(of[name], e)
		}
		for _, name := range order {
			v := systemsView{Title: format.Clean(of[name][0].Name) + ": " + systemsWord(parameter) + " side by side",
				Anchor: numbered("systems", len(out))}
			if e := of[name][0]; parameter != "variant" && e.Variant != "" {
				v.Title += " [" + format.Clean(e.Variant) + "]"
			}
			v.Panels = m.systemsPanels(parameter, of[name], v.Anchor)
			if len(v.Panels) > 0 {
				v.Whisker = "the interval, or where repeats are few the lowest and highest"
				out = append(out, v)
			}
		}
	}
	return out
}

func systemsWord(parameter string) string {
	return map[string]string{"variant": "variants", "via": "adapters"}[parameter]
}

func (m *maker) systemsPanels(parameter string, all []*record.Experiment, anchor string) (out []systemsPanel) {
	x := ""
	for _, k := range sweptParameters {
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
	varying := result.VaryingKeys(all)[all[0].Name]
	type panel struct {
		s *chart.Sweep
		p chart.SweepPanel
	}
	var order []string
	of := map[string]*panel{}
	for _, e := range all {
		v, rest := xOf(e, x)
		if v == "" {
			continue
		}
		k := strings.Join(
			[]string{e.Method, e.From, e.To, e.Pattern, e.Direction, rest, result.Settings(e.Settings, x, parameter)}, "\x00")
		w := of[k]
		if w == nil {
			w = &panel{s: &chart.Sweep{Key: unit.If(x == "load" || x == "size" && e.Block != nil, "block", format.Clean(x))}}
			w.p.Row = result.Row{Name: e.Name, From: e.From, To: e.To, Pattern: e.Pattern, Both: e.Direction == "both"}
			if e.Direction == "in" {
				w.p.Row.From, w.p.Row.To = e.To, e.From
			}
			w.p.Note = strings.TrimPrefix(
				highlight.CombinationWords(e, slices.DeleteFunc(slices.Clone(varying), func(k string) bool { return k == x }),
					[]string{parameter}, false)+rest, ", ",
			)
			if e.Direction == "both" {
				w.p.Note = strings.TrimSuffix(strings.TrimSuffix(w.p.Note, "both directions at once"), ", ")
			}
			of[k], order = w, append(order, k)
		}
		name := highlight.SystemName(e, parameter)
		i := slices.IndexFunc(w.p.Systems, func(y chart.System) bool { return y.Name == name })
		if i < 0 {
			i = len(w.p.Systems)
			w.p.Systems = append(w.p.Systems, chart.System{Name: name, Short: name,
				Combinations: map[string]result.Combination{}})
		}
		w.p.Systems[i].Combinations[v] = result.Combination{E: e, Goodput: e.Goodput}
		w.s.Xs = xslices.AppendNew(w.s.Xs, v)
	}
	for _, k := range order {
		w := of[k]
		if len(w.p.Systems) < 2 || len(w.s.Xs) < fewestPoints {
			continue
		}
		slices.SortStableFunc(w.s.Xs, func(a, b string) int { return int(min(max(result.Place(a)-result.Place(b), -1), 1)) })
		out = append(out, m.systemsPanel(w.s, w.p, anchor))
	}
	return out
}

// xOf returns the value of a parameter; for a named load the size of its blocks, and the rest of its name.
func xOf(e *record.Experiment, key string) (v, rest string) {
	if key != "load" {
		return e.Settings[key], ""
	}
	return chart.BlockPlace(e, []string{"load"})
}

func (m *maker) systemsPanel(s *chart.Sweep, p chart.SweepPanel, anchor string) systemsPanel {
	out := systemsPanel{Caption: format.Arrows(p.Row.Path())}
	if p.Note != "" {
		out.Caption += ", " + p.Note
	}
	first := p.Systems[0]
	var figures []chart.Figure
	for _, c := range first.Combinations {
		figures = chart.FiguresOf(c.E)
		break
	}
	out.Headers = []string{s.Key}
	rowsOf := make([][]string, len(s.Xs))
	for i, x := range s.Xs {
		rowsOf[i] = []string{s.Value(x)}
	}
	for _, f := range figures {
		if h := m.Chart(s.Chart(p, f, f.What+" of "+format.Clean(p.Row.Name)+", "+out.Caption+", over "+s.Key,
			"The table has every figure.", m.mark)); h != "" {
			out.Charts = append(out.Charts, h)
		}
		for n, y := range p.Systems {
			out.Headers = append(out.Headers, strings.ToLower(f.What[:1])+f.What[1:]+", "+y.Name)
			for i, x := range s.Xs {
				text := "not run"
				if c, ok := y.Combinations[x]; ok {
					text = format.NotKnown
					if v, _, _, _, ok := f.Of(c.E); ok {
						text = f.Text(v)
					}
					m.anchor(anchor, c.E)
				}
				rowsOf[i] = append(rowsOf[i], text)
			}
			if n > 0 && f.What == figures[0].What {
				out.Headers = append(out.Headers, "ratio to "+first.Name)
				for i, x := range s.Xs {
					rowsOf[i] = append(rowsOf[i], ratioCombination(first.Combinations[x].E, y.Combinations[x].E))
				}
			}
		}
	}
	out.Rows = rowsOf
	return out
}

// ratioCombination formats the ratio of the second of two experiments to the first, with the interval of the repeats.
func ratioCombination(a, b *record.Experiment) string {
	if a == nil || b == nil {
		return ""
	}
	if highlight.Skipped(a) || highlight.Skipped(b) {
		return "none"
	}
	c := highlight.Contest{A: a, B: b, Turns: compare.Interleaved(a.Repeats, b.Repeats)}
	m := figureMetric(a)
	s := c.Against(m)
	if s == nil {
		return format.NotKnown
	}
	text := compare.Ratio(s.Ratio)
	switch {
	case s.N[0] < 2 && s.N[1] < 2:
		return text + ", one repeat"
	case s.Interval != stat.Interval:
		return text + " (range " + compare.Ratio(s.Low) + " .. " + compare.Ratio(s.High) + ")"
	case !s.Different():
		return "no difference shown (" + compare.Ratio(s.Low) + " .. " + compare.Ratio(s.High) + ")"
	}
	return text + " (" + compare.Ratio(s.Low) + " .. " + compare.Ratio(s.High) + ")"
}

// figureMetric returns the metric for comparing the first figure of a table: for storage bytes, whatever the block
// size.
func figureMetric(e *record.Experiment) highlight.Metric {
	if e.Block != nil {
		return highlight.Metric{Name: "goodput", Of: result.RepeatBytes}
	}
	return highlight.WorkMetric(e)
}

// keyView is the section of the page with the highlights.
type keyView struct {
	Findings []highlight.Finding
	Notes    []string
	More     int // that the page has no room for
	Mark     string
}

// keys makes the section: the findings that the page has room for, each with the chart that shows it.
func (m *maker) keys() keyView {
	all := m.found.All()
	v := keyView{Notes: m.found.Notes(), Mark: result.LabShort(m.run.Lab), More: max(0, len(all)-highlight.MostShown)}
	found := slices.Clone(all[:len(all)-v.More])
	for i := range found {
		for _, e := range found[i].About {
			if found[i].Chart = m.anchors[e]; found[i].Chart != "" {
				break
			}
		}
	}
	for i := range found {
		found[i].Text = format.Unbroken(found[i].Text)
	}
	v.Findings = found
	return v
}

// anchor makes the first drawing of an experiment the target of links.
func (m *maker) anchor(id string, all ...*record.Experiment) {
	for _, e := range all {
		if _, taken := m.anchors[e]; !taken {
			m.anchors[e] = id
		}
	}
}

// numbered returns an id of an element: "sweep-1".
func numbered(kind string, n int) string { return kind + "-" + strconv.Itoa(n+1) }
