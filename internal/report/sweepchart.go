package report

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"

	"linerate/internal/base/stat"
)

// sweepFigure is what one chart of a sweep shows of a cell: the median, what its repeats carry, and the repeats. ok is
// false where it is not known.
type sweepFigure func(c cell) (median, low, high float64, points []float64, ok bool)

const (
	sweepLeft, sweepRight = 52.0, 528.0
	sweepTop, sweepBase   = 40.0, 236.0
)

// goodputChart draws goodput over the axis, a line a system, with the line rate.
func (s *sweep) goodputChart(p sweepPanel, mark string) template.HTML {
	figure := func(c cell) (float64, float64, float64, []float64, bool) {
		return c.Goodput.Median, c.Goodput.Low, c.Goodput.High, c.repeats(), true
	}
	limit := func(x string) (most float64) {
		for _, y := range p.systems {
			if c, ok := y.cells[x]; ok && c.E.Ceiling != nil {
				most = max(most, float64(c.E.Ceiling.Planned()))
			}
		}
		return most
	}
	title := "Goodput of " + arrows(p.row.path()) + " over " + s.Key
	var said []string
	for _, y := range p.drawn() {
		said = append(said, strings.TrimPrefix(y.name+": ", ": ")+s.lineRate(y))
	}
	d, y, at := s.frame(p, title, strings.Join(said, "; ")+". More is better; the table has every figure.", figure, limit, func(top float64) string { return rateUnit(top) + ", more is better" }, rateTick)
	if d == nil {
		return ""
	}
	s.ceilingLine(d, y, at, limit, rate, "line rate ", mark)
	s.lines(d, p, y, at, figure)
	return d.done()
}

// ceilingLine draws the ceiling over the axis; false where none is known.
func (s *sweep) ceilingLine(d *svg, y axis, at []float64, limit func(string) float64, text func(float64) string, word, mark string) bool {
	var line [][2]float64
	lowest, highest := math.Inf(1), 0.0
	for i, x := range s.xs {
		if v := limit(x); v > 0 {
			line = append(line, [2]float64{at[i], y.at(v)})
			lowest, highest = min(lowest, v), max(highest, v)
		}
	}
	if len(line) == 0 {
		return false
	}
	line[0][0], line[len(line)-1][0] = sweepLeft, sweepRight
	d.path("ceiling", line)
	said := word + text(highest) + mark
	if lowest < highest*0.999 {
		said = word + text(lowest) + " to " + text(highest) + mark
	}
	d.text("word beside", end, sweepRight, y.at(highest)-9, said)
	return true
}

// costChart draws the processor time of a gigabit over the axis: what the measuring processes of both ends used.
func (s *sweep) costChart(p sweepPanel) template.HTML {
	figure := func(c cell) (float64, float64, float64, []float64, bool) {
		var points []float64
		for _, r := range c.E.Repeats {
			if v := cost(r); v > 0 {
				points = append(points, v)
			}
		}
		sum, err := stat.Summarize(points)
		return sum.Median, sum.Low, sum.High, points, err == nil
	}
	title := "Processor time of " + arrows(p.row.path()) + " over " + s.Key
	desc := "Seconds of one core that the measuring processes of both ends use for a gigabit. Less is better; the table has every figure."
	return s.figures(p, title, desc, figure, func(string) float64 { return 0 },
		func(float64) string { return "processor seconds a gigabit, less is better" }, func(v, _ float64) string { return trimZeros(v) })
}

// cost of a cell is the median over its repeats, in processor seconds a gigabit.
func (c cell) cost() (float64, bool) {
	var each []float64
	for _, r := range c.E.Repeats {
		if v := cost(r); v > 0 {
			each = append(each, v)
		}
	}
	v, err := stat.Median(each)
	return v, err == nil
}

// drawn are the systems of a sweepPanel that there are colours for.
func (p sweepPanel) drawn() []system {
	return p.systems[:min(len(p.systems), len(systems()))]
}

// abreast is how many names of lines stand beside each other: three, or two where one is long.
func (p sweepPanel) abreast() int {
	for _, y := range p.drawn() {
		if width(y.name) > 15 {
			return 2
		}
	}
	return 3
}

// frame draws a chart's axes and grid. It is nil where there is nothing to draw.
func (s *sweep) frame(p sweepPanel, title, desc string, figure sweepFigure, limit func(string) float64, name func(top float64) string, tick func(v, top float64) string) (*svg, axis, []float64) {
	top, bottom := 0.0, math.Inf(1)
	for _, x := range s.xs {
		top = max(top, limit(x))
		for _, y := range p.drawn() {
			if c, ok := y.cells[x]; ok {
				if _, low, high, points, ok := figure(c); ok {
					for _, v := range append(points, low, high) {
						top = max(top, v)
						if v > 0 {
							bottom = min(bottom, v)
						}
					}
				}
			}
		}
	}
	if !(top > 0) || math.IsInf(top, 0) {
		return nil, axis{}, nil
	}
	rows := (len(p.drawn()) + p.abreast() - 1) / p.abreast()
	if len(p.drawn()) == 1 && p.drawn()[0].name == "" {
		rows = 0
	}
	d := drawing(chartWidth, sweepBase+44+22*float64(rows), "chart", title, fmt.Sprintf("%d values of %s, %s. %s", len(s.xs), s.Key, count(len(p.drawn()), "line"), desc))
	y := axis{low: 0, high: top * 1.12, from: sweepBase, to: sweepTop}
	if s.decades && bottom < top {
		y = axis{low: bottom / 1.3, high: top * 1.3, from: sweepBase, to: sweepTop, log: true}
	}
	at := s.spacing(sweepLeft+12, sweepRight-12)
	head := arrows(p.row.path())
	if p.note != "" {
		head += ", " + p.note
	}
	d.text("word", start, 0, 14, shorten(head, 76-width(name(top)))+", "+name(top))
	for _, v := range y.ticks(5) {
		d.line("grid", sweepLeft, y.at(v), sweepRight, y.at(v))
		d.text("tick", end, sweepLeft-6, y.at(v)+4, tick(v, top))
	}
	last := math.Inf(-1)
	for i, x := range s.xs {
		text := shorten(s.value(x), 10)
		if need := 8.5*float64(width(text)) + 6; at[i]-last >= need {
			d.text("tick", middle, at[i], sweepBase+16, text)
			last = at[i]
		}
	}
	d.text("tick", middle, (sweepLeft+sweepRight)/2, sweepBase+36, s.axisName())
	return d, y, at
}

// figures is a chart of one figure, without a ceiling.
func (s *sweep) figures(p sweepPanel, title, desc string, figure sweepFigure, limit func(string) float64, name func(top float64) string, tick func(v, top float64) string) template.HTML {
	d, y, at := s.frame(p, title, desc, figure, limit, name, tick)
	if d == nil {
		return ""
	}
	s.lines(d, p, y, at, figure)
	return d.done()
}

// axisName says what the axis is and how it is spaced.
func (s *sweep) axisName() string {
	if s.logarithmic() {
		return s.Key + ", in doublings"
	}
	return s.Key
}

// lines draws every system: its line through the medians, repeats as points, what they carry as a whisker, a marker of
// its own and its name.
func (s *sweep) lines(d *svg, p sweepPanel, y axis, at []float64, figure sweepFigure) {
	for n, sys := range p.drawn() {
		class := strconv.Itoa(n)
		var line [][2]float64
		for i, x := range s.xs {
			c, ok := sys.cells[x]
			if !ok {
				continue
			}
			median, low, high, points, ok := figure(c)
			if !ok {
				continue
			}
			if y.log && median <= 0 { // has no place there: the line breaks
				s.stroke(d, n, line)
				line = nil
				continue
			}
			line = append(line, [2]float64{at[i], y.at(median)})
			d.line("whisker", at[i], y.at(low), at[i], y.at(high))
			for _, v := range points {
				d.circle("repeat", at[i], y.at(v), 1.6)
			}
		}
		s.stroke(d, n, line)
		if sys.name != "" {
			k := p.abreast()
			x, row := sweepLeft+float64(n%k)*480/float64(k), sweepBase+62+22*float64(n/k)
			d.line("line s"+class, x, row-4, x+26, row-4)
			d.marker(n, x+13, row-4)
			d.text("word", start, x+32, row, shorten(sys.name, int(480/float64(k)-36)/8))
		}
	}
	d.line("axis", sweepLeft, sweepBase, sweepRight, sweepBase)
}

// stroke draws a line and its markers.
func (s *sweep) stroke(d *svg, n int, line [][2]float64) {
	d.path("line s"+strconv.Itoa(n), line)
	for _, q := range line {
		d.marker(n, q[0], q[1])
	}
}

// logarithmic says whether the values are numbers above 0, which stand by their doublings.
func (s *sweep) logarithmic() bool {
	return place(s.xs[0]) > 0 && place(s.xs[len(s.xs)-1]) < math.MaxFloat64
}

// spacing places the values: by doublings where all are positive numbers, else evenly.
func (s *sweep) spacing(from, to float64) []float64 {
	a := axis{low: place(s.xs[0]), high: place(s.xs[len(s.xs)-1]), from: from, to: to, log: true}
	out := make([]float64, len(s.xs))
	for i, x := range s.xs {
		if s.logarithmic() {
			out[i] = a.at(place(x))
		} else {
			out[i] = from + (to-from)*float64(i)/float64(len(s.xs)-1)
		}
	}
	return out
}

// marker is a shape that tells lines apart without their colour.
func (s *svg) marker(n int, x, y float64) {
	const r = 4.5
	class := "marker m" + strconv.Itoa(n)
	switch n % 6 {
	case 0:
		s.circle(class, x, y, r)
	case 1:
		s.rect(class, x-4, y-4, 8, 8)
	case 2:
		s.path(class, [][2]float64{{x, y - r}, {x + r, y + r}, {x - r, y + r}, {x, y - r}})
	case 3:
		s.path(class, [][2]float64{{x, y - 5.5}, {x + 5.5, y}, {x, y + 5.5}, {x - 5.5, y}, {x, y - 5.5}})
	case 4:
		s.path(class, [][2]float64{{x - r, y - r}, {x + r, y - r}, {x, y + r}, {x - r, y - r}})
	case 5:
		s.rect(class, x-5.5, y-2.5, 11, 5)
	}
}
