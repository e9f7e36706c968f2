package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"linerate/internal/record"
)

// comparedPoint is a place on a chart's axis: of each system its figure, and of the others their comparison with the first.
type comparedPoint struct {
	x    string
	with []record.Comparison // one for each other system, in the order of the panel's; Metric "" where there is none
}

// comparePanel is one chart's worth of comparisons: one figure of one experiment over one axis.
type comparePanel struct {
	title, axis, metric string
	systems             []string // the first is the base
	points              []comparedPoint
}

// comparer finds the experiments of comparisons in their runs, and counts how much was drawn.
type comparer struct {
	runs []*record.Run
	of   map[string]map[string]*record.Experiment // by run, by id
	m    *maker
}

const (
	mostComparePanels = 8  // of an experiment; its table has all
	mostGroups        = 10 // of bars in one chart
)

func newComparer(runs []*record.Run) *comparer {
	k := &comparer{runs: runs, of: map[string]map[string]*record.Experiment{}, m: &maker{}}
	for _, r := range runs {
		k.of[r.ID] = map[string]*record.Experiment{}
		for _, e := range r.Experiments {
			k.of[r.ID][e.ID] = e
		}
	}
	return k
}

// experiment is that of one side of a comparison; nil: a card's.
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

// compareSections are the comparisons, an experiment each.
func compareSections(runs []*record.Run, all []record.Comparison) []compareSection {
	k := newComparer(runs)
	var order []string
	of := map[string][]record.Comparison{}
	for _, c := range all {
		name := c.Experiment
		if c.Cell == "" {
			name = "rows of the cards"
		}
		if of[name] == nil {
			order = append(order, name)
		}
		of[name] = append(of[name], c)
	}
	room := mostCompareRows
	var out []compareSection
	for _, name := range order {
		s := compareSection{Title: clean(name), Caption: "the same figures; rows in bold differ by more than chance",
			Heads: []compareCell{{"compared", false}, {"figure", false}, {"first", true}, {"other", true}, {"ratio", true}, {"95 % interval", false}}}
		panels := k.panels(of[name])
		for _, p := range panels[:min(len(panels), mostComparePanels)] {
			s.Charts = append(s.Charts, k.draw(p)...)
		}
		labels := map[string]bool{}
		for _, c := range of[name] {
			labels[c.Base.Label+"\x00"+c.Other.Label] = true
		}
		if len(labels) == 1 {
			s.Heads[2].Text, s.Heads[3].Text = of[name][0].Base.Label, of[name][0].Other.Label
		}
		for i, c := range of[name] {
			if room == 0 {
				s.More = fmt.Sprintf("%d more rows are in linerate compare --json.", len(of[name])-i)
				break
			}
			room--
			s.Rows = append(s.Rows, compareTableRow(c, len(labels) > 1))
		}
		if n := len(panels) - mostComparePanels; n > 0 {
			s.More = strings.TrimSpace(fmt.Sprintf("%d more charts are left out; the table has their figures. ", n) + s.More)
		}
		out = append(out, s)
	}
	return out
}

func compareTableRow(c record.Comparison, labelled bool) compareRow {
	what := arrows(c.Cell)
	if what == "" {
		what = clean(c.Experiment)
	}
	if len(c.Differs) > 0 {
		what += " (" + strings.Join(c.Differs, "; ") + ")"
	}
	a, b := metricText(c.Metric, c.Base.Median), metricText(c.Metric, c.Other.Median)
	if labelled {
		a, b = c.Base.Label+": "+a, c.Other.Label+": "+b
	}
	return compareRow{Different: c.Different != nil && *c.Different,
		Cells: []compareCell{{what, false}, {metricWords(c.Metric), false}, {a, true}, {b, true}, {ratioText(c), true}, {intervalWords(c), false}}}
}

// panels puts the comparisons of one experiment onto charts: over the setting with most values, else over the paths.
func (k *comparer) panels(all []record.Comparison) []comparePanel {
	axis := k.axis(all)
	var order []string
	of := map[string]*comparePanel{}
	at := map[string]map[string]int{}
	for _, c := range all {
		e := k.experiment(c.Base)
		if e == nil && c.Cell != "" {
			continue
		}
		x, rest := clean(c.Experiment), ""
		if e != nil {
			x, rest = k.place(e, c, axis)
		}
		key := c.Metric + "\x00" + c.Base.Label + "\x00" + rest
		p := of[key]
		if p == nil {
			p = &comparePanel{title: rest, axis: axis, metric: c.Metric, systems: []string{c.Base.Label}}
			of[key], at[key] = p, map[string]int{}
			order = append(order, key)
		}
		s := slices.Index(p.systems[1:], c.Other.Label) + 1 // a run may stand beside itself
		if s == 0 {
			if len(p.systems) == len(systems()) {
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
		if axis != "" {
			sort.SliceStable(p.points, func(a, b int) bool { return place(p.points[a].x) < place(p.points[b].x) })
		}
		for from := 0; from < len(p.points); from += mostGroups {
			q := *p
			q.points = p.points[from:min(from+mostGroups, len(p.points))]
			out = append(out, q)
		}
	}
	return out
}

// axis is the setting with most values, if any has two; of equals the first by name. Empty: the path.
func (k *comparer) axis(all []record.Comparison) string {
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

// place is where a comparison stands on the axis, and what else tells it apart.
func (k *comparer) place(e *record.Experiment, c record.Comparison, axis string) (x, rest string) {
	if axis == "" {
		return arrows(clean(e.Path())), ""
	}
	drop := ", " + strings.ReplaceAll(axis, "_", " ") + " " + clean(e.Settings[axis])
	rest = arrows(strings.Replace(strings.Replace(c.Cell, drop, "", 1), ", "+clean(axis)+" "+clean(e.Settings[axis]), "", 1))
	return cmp.Or(e.Settings[axis], "none"), rest
}

// draw makes a panel's charts: bars of every system side by side, and their ratios with what the repeats carry.
func (k *comparer) draw(p comparePanel) (out []template.HTML) {
	for _, h := range []template.HTML{k.bars(p), k.ratios(p)} {
		if h = k.m.chart(h); h != "" {
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
	return upper(s)
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

// tick of the metric's axis: in the metric's own words.
func comparedTick(metric string, v float64) string {
	if v == 0 {
		return "0"
	}
	return metricText(metric, v)
}

func (k *comparer) bars(p comparePanel) template.HTML {
	top := 0.0
	figure := compared{}
	for _, f := range k.comparedOf(p) {
		if f.metric == p.metric {
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
	const left = 84.0
	rows := (len(p.systems) + 1) / 2
	d := drawing(chartWidth, sweepBase+44+22*float64(rows), "chart", p.head(), fmt.Sprintf("Bars of %s for %s%s. The table has every figure.", strings.Join(p.systems, " and "), count(len(p.points), "value"), better(p.metric)))
	y := axis{low: 0, high: top * 1.1, from: sweepBase, to: sweepTop}
	d.text("word", start, 0, 14, shorten(p.head()+better(p.metric), 72))
	for _, v := range y.ticks(5) {
		d.line("grid", left, y.at(v), sweepRight, y.at(v))
		d.text("tick", end, left-6, y.at(v)+4, comparedTick(p.metric, v))
	}
	group := (sweepRight - left) / float64(len(p.points))
	wide := min(group*0.8/float64(len(p.systems)), 46)
	for i, q := range p.points {
		mid := left + group*(float64(i)+0.5)
		from := mid - wide*float64(len(p.systems))/2
		d.text("tick", middle, mid, sweepBase+16, shorten(valueOf(p.axis, q.x), max(3, int(group/7.5))))
		for n := range p.systems {
			s, ok := q.side(n)
			if !ok {
				continue
			}
			x := from + wide*float64(n)
			d.rect("barmark m"+strconv.Itoa(n), x+1, y.at(s.Median), wide-2, sweepBase-y.at(s.Median))
			repeats, ceiling := k.spread(figure, s, p.metric)
			if len(repeats) > 1 {
				d.line("whisker", x+wide/2, y.at(slices.Min(repeats)), x+wide/2, y.at(slices.Max(repeats)))
			}
			for _, v := range repeats[:min(len(repeats), 30)] {
				d.circle("point", x+wide/2, y.at(v), 2.4)
			}
			if ceiling > 0 && ceiling <= top {
				d.line("ceiling", x, y.at(ceiling), x+wide, y.at(ceiling))
			}
		}
	}
	d.line("axis", left, sweepBase, sweepRight, sweepBase)
	d.text("tick", middle, (left+sweepRight)/2, sweepBase+36, cmp.Or(p.axis, "path"))
	k.legend(p, d, 0)
	return d.done()
}

// legend names the systems from one on, with the scale of labs where they differ in it.
func (k *comparer) legend(p comparePanel, d *svg, from int) {
	for n, name := range p.systems[from:] {
		x, row := sweepLeft+float64(n%2)*240, sweepBase+62+22*float64(n/2)
		d.rect("barmark m"+strconv.Itoa(n+from), x, row-11, 14, 12)
		d.text("word", start, x+20, row, shorten(name+k.scaleTag(name), 34))
	}
}

// side is the figure of a system: the base's out of any comparison.
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

func (k *comparer) comparedOf(p comparePanel) []compared {
	for _, q := range p.points {
		if s, ok := q.side(0); ok {
			if e := k.experiment(s); e != nil {
				return comparedOf(e)
			}
		}
	}
	return nil
}

// spread are the repeats behind a figure, and its ceiling in the same unit; 0: it has none.
func (k *comparer) spread(f compared, s record.ComparisonSide, metric string) (repeats []float64, ceiling float64) {
	e := k.experiment(s)
	if e == nil || f.of == nil {
		return nil, 0
	}
	repeats = values(f, e)
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

// ratios draws each other system over the first, with its interval, beside the line of no difference.
func (k *comparer) ratios(p comparePanel) template.HTML {
	low, high := 1.0, 1.0
	n := 0
	for _, q := range p.points {
		for _, c := range q.with {
			if c.Ratio == nil || !(*c.Ratio > 0) {
				continue
			}
			n++
			low, high = min(low, *c.Ratio), max(high, *c.Ratio)
			if c.Low != nil && c.High != nil && *c.Low > 0 && !math.IsInf(*c.High, 0) {
				low, high = min(low, *c.Low), max(high, *c.High)
			}
		}
	}
	if n == 0 {
		return ""
	}
	const left = 84.0
	rows := (len(p.systems)) / 2
	y := axis{low: max(0, low-(high-low)*0.15-0.02), high: high + (high-low)*0.3 + 0.03, from: sweepBase, to: sweepTop}
	if high/low > 8 {
		y = axis{low: low / 1.3, high: high * 1.8, from: sweepBase, to: sweepTop, log: true}
	}
	name := shorten(p.systems[0], 24)
	d := drawing(chartWidth, sweepBase+44+22*float64(rows), "chart", "Ratio of "+p.head(), fmt.Sprintf("%s over %s, with intervals; a filled point is a difference that is shown. The table has every figure.", strings.Join(p.systems[1:], " and "), name))
	d.text("word", start, 0, 14, shorten("Ratio to "+name+": "+metricWords(p.metric)+better(p.metric), 72))
	for _, v := range y.ticks(6) {
		d.line("grid", left, y.at(v), sweepRight, y.at(v))
		d.text("tick", end, left-6, y.at(v)+4, trimZeros(v))
	}
	d.line("ceiling even", left, y.at(1), sweepRight, y.at(1))
	group := (sweepRight - left) / float64(len(p.points))
	for i, q := range p.points {
		mid := left + group*(float64(i)+0.5)
		d.text("tick", middle, mid, sweepBase+16, shorten(valueOf(p.axis, q.x), max(3, int(group/7.5))))
		for s, c := range q.with {
			if c.Ratio == nil {
				continue
			}
			x := mid + (float64(s)-float64(len(p.systems)-2)/2)*16
			if c.Low != nil && c.High != nil {
				d.line("whisker", x, y.at(*c.Low), x, y.at(*c.High))
				d.line("whisker", x-4, y.at(*c.Low), x+4, y.at(*c.Low))
				d.line("whisker", x-4, y.at(*c.High), x+4, y.at(*c.High))
			}
			if c.Different != nil && *c.Different {
				d.marker(s+1, x, y.at(*c.Ratio))
			} else {
				d.circle("undecided", x, y.at(*c.Ratio), 4)
			}
			if above := *c.Ratio; group > 44 && len(p.systems) == 2 { // of several they would cover each other; the table has them
				if c.High != nil && *c.High > above {
					above = *c.High
				}
				d.text("tick beside", middle, x, y.at(above)-9, ratio(*c.Ratio))
			}
		}
	}
	d.line("axis", left, sweepBase, sweepRight, sweepBase)
	d.text("tick", middle, (left+sweepRight)/2, sweepBase+36, "filled: a difference is shown; open: none is")
	k.legend(p, d, 1)
	return d.done()
}
