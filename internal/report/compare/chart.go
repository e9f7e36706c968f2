package compare

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/chart"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
	"linerate/internal/report/style"
	"linerate/internal/report/svg"
)

// comparedPoint is a place on the x axis of a chart: the figure of each system, and the comparison of each further
// system with the first.
type comparedPoint struct {
	x    string
	with []record.Comparison // one for each other system, in the order of the panel's; Metric "" where there is none
}

// comparePanel is one chart: one figure of one experiment over one parameter.
type comparePanel struct {
	title, parameter, metric string
	systems                  []string // the first is the base
	points                   []comparedPoint
}

// comparer finds the experiments of comparisons in their runs, and counts the drawn bytes.
type comparer struct {
	runs []*record.Run
	of   map[string]map[string]*record.Experiment // by run, by id
	chart.Budget
}

const (
	mostComparePanels = 8  // of an experiment; its table has all
	mostGroups        = 10 // of bars in one chart
)

func newComparer(runs []*record.Run) *comparer {
	k := &comparer{runs: runs, of: map[string]map[string]*record.Experiment{}}
	for _, r := range runs {
		k.of[r.ID] = map[string]*record.Experiment{}
		for _, e := range r.Experiments {
			k.of[r.ID][e.ID] = e
		}
	}
	return k
}

// experiment returns that of one side of a comparison, nil for a summary's.
func (k *comparer) experiment(s record.ComparisonSide) *record.Experiment {
	if len(k.runs) == 0 {
		return nil
	}
	if id, ok := strings.CutPrefix(s.Label, "run "); ok {
		id, _, _ = strings.Cut(id, " ")
		if e := k.of[id][s.ID]; e != nil {
			return e
		}
	}
	return k.of[k.runs[0].ID][s.ID]
}

// panels puts the comparisons of one experiment onto charts: over the setting with most values, else over the paths.
func (k *comparer) panels(all []record.Comparison) []comparePanel {
	parameter := k.parameter(all)
	var order []string
	of := map[string]*comparePanel{}
	at := map[string]map[string]int{}
	for _, c := range all {
		e := k.experiment(c.Base)
		if e == nil && c.Combination != "" {
			continue
		}
		x, rest := format.Clean(c.Experiment), ""
		if e != nil {
			x, rest = k.place(e, c, parameter)
		}
		key := c.Metric + "\x00" + c.Base.Label + "\x00" + rest
		p := of[key]
		if p == nil {
			p = &comparePanel{title: rest, parameter: parameter, metric: c.Metric, systems: []string{c.Base.Label}}
			of[key], at[key] = p, map[string]int{}
			order = append(order, key)
		}
		s := slices.Index(p.systems[1:], c.Other.Label) + 1 // a run may be compared with itself
		if s == 0 {
			if len(p.systems) == len(style.Systems()) {
				continue
			}
			s = len(p.systems)
			p.systems = append(p.systems, c.Other.Label)
		}
		i, ok := at[key][x]
		if !ok {
			i = len(p.points)
			at[key][x] = i
			p.points = append(p.points, comparedPoint{x: x})
		}
		for len(p.points[i].with) < s {
			p.points[i].with = append(p.points[i].with, record.Comparison{})
		}
		p.points[i].with[s-1] = c
	}
	var out []comparePanel
	for _, key := range order {
		p := of[key]
		if parameter != "" {
			sort.SliceStable(p.points, func(a, b int) bool { return result.Place(p.points[a].x) < result.Place(p.points[b].x) })
		}
		groups := p.groups()
		for from := 0; from < len(p.points); from += groups {
			q := *p
			q.points = p.points[from:min(from+groups, len(p.points))]
			out = append(out, q)
		}
	}
	return out
}

// parameter returns the setting with most values, if any has two; among equals the first by name. It is empty if the
// path distinguishes the comparisons.
func (k *comparer) parameter(all []record.Comparison) string {
	values := map[string]map[string]bool{}
	for _, c := range all {
		if e := k.experiment(c.Base); e != nil {
			for key, v := range e.Settings {
				if values[key] == nil {
					values[key] = map[string]bool{}
				}
				values[key][v] = true
			}
		}
	}
	best, most := "", 1
	for key, v := range values {
		if len(v) > most || len(v) == most && most > 1 && key < best {
			best, most = key, len(v)
		}
	}
	return best
}

// place returns a comparison's position on the x axis, and its other distinctions.
func (k *comparer) place(e *record.Experiment, c record.Comparison, parameter string) (x, rest string) {
	if parameter == "" {
		return format.Arrows(format.Clean(e.Path())), ""
	}
	rest = c.Combination
	for _, name := range []string{strings.ReplaceAll(parameter, "_", " "), format.Clean(parameter)} {
		rest = strings.Replace(rest, ", "+name+" "+format.Clean(e.Settings[parameter]), "", 1)
	}
	rest = format.Arrows(rest)
	return cmp.Or(e.Settings[parameter], "none"), rest
}

// draw makes a panel's charts: bars of every system side by side, and their ratios with intervals.
func (k *comparer) draw(p comparePanel) (out []template.HTML) {
	for _, h := range []template.HTML{k.bars(p), k.ratios(p)} {
		if h = k.Chart(h); h != "" {
			out = append(out, h)
		}
	}
	return out
}

func (p comparePanel) head() string {
	s := metricWords(p.metric)
	if p.title != "" {
		s += ", " + p.title
	}
	return svg.Upper(s)
}

func better(metric string) string {
	switch {
	case metric == "figure":
		return ""
	case lowerIsBetter(metric):
		return ", less is better"
	}
	return ", more is better"
}

// comparedTick prints a value of the y axis in the metric's own words.
func comparedTick(metric string, v float64) string {
	if v == 0 {
		return "0"
	}
	return metricText(metric, v)
}

func (k *comparer) bars(p comparePanel) template.HTML {
	top := 0.0
	figure := Compared{}
	for _, f := range k.comparedOf(p) {
		if f.Metric == p.metric {
			figure = f
		}
	}
	for _, q := range p.points {
		for _, c := range q.with {
			top = max(top, c.Base.Median, c.Other.Median)
			for _, s := range []record.ComparisonSide{c.Base, c.Other} {
				repeats, ceiling := k.spread(figure, s, p.metric)
				for _, v := range repeats {
					top = max(top, v)
				}
				if ceiling < 20*top {
					top = max(top, ceiling)
				}
			}
		}
	}
	if !(top > 0) || math.IsInf(top, 0) {
		return ""
	}
	rows := (len(p.systems) + 1) / 2
	names := p.names()
	d := svg.New(chart.ChartWidth, chart.SweepBase+names.high()+28+22*float64(rows), "chart", p.head(),
		fmt.Sprintf("Bars of %s for %s%s. The table has every figure.", strings.Join(p.systems, " and "),
			unit.Counted(len(p.points), "value"), better(p.metric)))
	y := svg.Scale{Low: 0, High: top * 1.1, From: chart.SweepBase, To: chart.SweepTop}
	d.Text("word", svg.Start, 0, 14, format.Shorten(p.head()+better(p.metric), 72))
	for _, v := range y.Ticks(5) {
		d.Line("grid", compareLeft, y.At(v), chart.SweepRight, y.At(v))
		d.Text("tick", svg.End, compareLeft-6, y.At(v)+4, comparedTick(p.metric, v))
	}
	group := (chart.SweepRight - compareLeft) / float64(len(p.points))
	wide := min(group*0.8/float64(len(p.systems)), 46)
	for i, q := range p.points {
		mid := compareLeft + group*(float64(i)+0.5)
		from := mid - wide*float64(len(p.systems))/2
		names.draw(d, i, mid)
		for n := range p.systems {
			s, ok := q.side(n)
			if !ok {
				continue
			}
			x := from + wide*float64(n)
			d.Rect("barmark m"+strconv.Itoa(n), x+1, y.At(s.Median), wide-2, chart.SweepBase-y.At(s.Median))
			repeats, ceiling := k.spread(figure, s, p.metric)
			if len(repeats) > 1 {
				d.Line("whisker", x+wide/2, y.At(slices.Min(repeats)), x+wide/2, y.At(slices.Max(repeats)))
			}
			for _, v := range repeats[:min(len(repeats), 30)] {
				d.Circle("point", x+wide/2, y.At(v), 2.4)
			}
			if ceiling > 0 && ceiling <= top {
				d.Line("ceiling", x, y.At(ceiling), x+wide, y.At(ceiling))
			}
		}
	}
	d.Line("axis", compareLeft, chart.SweepBase, chart.SweepRight, chart.SweepBase)
	d.Text("tick", svg.Middle, (compareLeft+chart.SweepRight)/2, chart.SweepBase+names.high()+20,
		cmp.Or(p.parameter, "path"))
	k.legend(p, d, 0, names.high()-16)
	return d.Done()
}

// legend names the systems from one on, so far below its usual place, with the scale of labs where they differ in it.
func (k *comparer) legend(p comparePanel, d *svg.Drawing, from int, below float64) {
	for n, name := range p.systems[from:] {
		x, row := chart.SweepLeft+float64(n%2)*240, chart.SweepBase+62+below+22*float64(n/2)
		d.Rect("barmark m"+strconv.Itoa(n+from), x, row-11, 14, 12)
		d.Text("word", svg.Start, x+20, row, format.Shorten(name+k.scaleTag(name), 34))
	}
}

// side returns the figure of a system, for the base from any comparison.
func (q comparedPoint) side(n int) (record.ComparisonSide, bool) {
	for i, c := range q.with {
		if c.Metric == "" {
			continue
		}
		if n == 0 {
			return c.Base, true
		}
		if i == n-1 {
			return c.Other, true
		}
	}
	return record.ComparisonSide{}, false
}

func (k *comparer) comparedOf(p comparePanel) []Compared {
	for _, q := range p.points {
		if s, ok := q.side(0); ok {
			if e := k.experiment(s); e != nil {
				return comparedOf(e)
			}
		}
	}
	return nil
}

// spread returns the repeats of a figure, and its ceiling in the same unit; 0: it has none.
func (k *comparer) spread(f Compared, s record.ComparisonSide, metric string) (repeats []float64, ceiling float64) {
	e := k.experiment(s)
	if e == nil || f.Of == nil {
		return nil, 0
	}
	repeats = Values(f, e)
	if e.Ceiling != nil {
		switch metric {
		case "goodput":
			ceiling = float64(e.Ceiling.Planned())
		case "bytes_per_second":
			ceiling = float64(e.Ceiling.Planned()) / 8
		}
	}
	return repeats, ceiling
}
