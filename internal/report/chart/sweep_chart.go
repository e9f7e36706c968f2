package chart

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"

	"linerate/internal/base/stat"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
	"linerate/internal/report/style"
	"linerate/internal/report/svg"
)

// sweepFigure is what one chart of a sweep shows of a combination: the median, the interval of its repeats, and the
// repeats. ok is false where it is not known.
type sweepFigure func(c result.Combination) (median, low, high float64, points []float64, ok bool)

// The edges of the plot of a sweep, in pixels.
const (
	SweepLeft  = 52.0
	SweepRight = 528.0
	SweepTop   = 40.0
	SweepBase  = 236.0
)

// goodputChart draws goodput over the parameter, a line for each system, with the line rate.
func (s *Sweep) goodputChart(p SweepPanel, mark string) template.HTML {
	figure := func(c result.Combination) (float64, float64, float64, []float64, bool) {
		return c.Goodput.Median, c.Goodput.Low, c.Goodput.High, c.Repeats(), true
	}
	limit := func(x string) (most float64) {
		for _, y := range p.Systems {
			if c, ok := y.Combinations[x]; ok && c.E.Ceiling != nil {
				most = max(most, float64(c.E.Ceiling.Planned()))
			}
		}
		return most
	}
	title := "Goodput of " + format.Arrows(p.Row.Path()) + " over " + s.Key
	said := xslices.Map(p.drawn(), func(y System) string { return strings.TrimPrefix(y.Name+": ", ": ") + s.LineRate(y) })
	d, y, at := s.Frame(p, title, strings.Join(said, "; ")+". More is better; the table has every figure.", figure,
		limit, func(top float64) string { return svg.RateUnit(top) + ", more is better" }, svg.RateTick)
	if d == nil {
		return ""
	}
	s.CeilingLine(d, y, at, limit, format.Rate, "line rate ", mark)
	s.Lines(d, p, y, at, figure)
	return d.Done()
}

// CeilingLine draws the ceiling over the parameter. It returns false where none is known.
func (s *Sweep) CeilingLine(d *svg.Drawing, y svg.Scale, at []float64, limit func(string) float64,
	text func(float64) string, word, mark string) bool {
	var line [][2]float64
	lowest, highest := math.Inf(1), 0.0
	for i, x := range s.Xs {
		if v := limit(x); v > 0 {
			line = append(line, [2]float64{at[i], y.At(v)})
			lowest, highest = min(lowest, v), max(highest, v)
		}
	}
	if len(line) == 0 {
		return false
	}
	line[0][0], line[len(line)-1][0] = SweepLeft, SweepRight
	d.Path("ceiling", line)
	said := word + text(highest) + mark
	if lowest < highest*0.999 {
		said = word + text(lowest) + " to " + text(highest) + mark
	}
	d.Text("word beside", svg.End, SweepRight, y.At(highest)-9, said)
	return true
}

// costChart draws the CPU time per gigabit of the measuring processes of both ends over the parameter.
func (s *Sweep) costChart(p SweepPanel) template.HTML {
	figure := func(c result.Combination) (float64, float64, float64, []float64, bool) {
		var points []float64
		for _, r := range c.E.Repeats {
			if v := result.Cost(r); v > 0 {
				points = append(points, v)
			}
		}
		sum, err := stat.Summarize(points)
		return sum.Median, sum.Low, sum.High, points, err == nil
	}
	title := "CPU time of " + format.Arrows(p.Row.Path()) + " over " + s.Key
	desc := "Seconds of one core that the measuring processes of both ends use for a gigabit. Less is better; the " +
		"table has every figure."
	return s.Figures(p, title, desc, figure, func(string) float64 { return 0 },
		func(float64) string { return "CPU seconds a gigabit, less is better" },
		func(v, _ float64) string { return svg.TrimZeros(v) })
}

// drawn returns the systems for which there are colours.
func (p SweepPanel) drawn() []System { return p.Systems[:min(len(p.Systems), len(style.Systems()))] }

// Abreast returns how many names of lines are side by side: three, or two where one is long.
func (p SweepPanel) Abreast() int {
	for _, y := range p.drawn() {
		if format.Width(y.Name) > 15 {
			return 2
		}
	}
	return 3
}

// Frame draws the x axis, the y axis and the grid of a chart. It returns nil where there is nothing to draw.
func (s *Sweep) Frame(p SweepPanel, title, desc string, figure sweepFigure, limit func(string) float64,
	name func(top float64) string, tick func(v, top float64) string) (*svg.Drawing, svg.Scale, []float64) {
	top, bottom := 0.0, math.Inf(1)
	for _, x := range s.Xs {
		top = max(top, limit(x))
		for _, y := range p.drawn() {
			if c, ok := y.Combinations[x]; ok {
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
		return nil, svg.Scale{}, nil
	}
	rows := (len(p.drawn()) + p.Abreast() - 1) / p.Abreast()
	if len(p.drawn()) == 1 && p.drawn()[0].Name == "" {
		rows = 0
	}
	d := svg.New(ChartWidth, SweepBase+44+22*float64(rows), "chart", title,
		fmt.Sprintf("%d values of %s, %s. %s", len(s.Xs), s.Key, unit.Counted(len(p.drawn()), "line"), desc))
	y := svg.Scale{Low: 0, High: top * 1.12, From: SweepBase, To: SweepTop}
	if s.Decades && bottom < top {
		y = svg.Scale{Low: bottom / 1.3, High: top * 1.3, From: SweepBase, To: SweepTop, Log: true}
	}
	at := s.spacing(SweepLeft+12, SweepRight-12)
	head := format.Arrows(p.Row.Path())
	if p.Note != "" {
		head += ", " + p.Note
	}
	d.Text("word", svg.Start, 0, 14, format.Shorten(head, 76-format.Width(name(top)))+", "+name(top))
	for _, v := range y.Ticks(5) {
		d.Line("grid", SweepLeft, y.At(v), SweepRight, y.At(v))
		d.Text("tick", svg.End, SweepLeft-6, y.At(v)+4, tick(v, top))
	}
	last := math.Inf(-1)
	for i, x := range s.Xs {
		text := format.Shorten(s.Value(x), 10)
		if need := 8.5*float64(format.Width(text)) + 6; at[i]-last >= need {
			d.Text("tick", svg.Middle, at[i], SweepBase+16, text)
			last = at[i]
		}
	}
	d.Text("tick", svg.Middle, (SweepLeft+SweepRight)/2, SweepBase+36, s.parameterName())
	return d, y, at
}

// Figures draws a chart of one figure, without a ceiling.
func (s *Sweep) Figures(p SweepPanel, title, desc string, figure sweepFigure, limit func(string) float64,
	name func(top float64) string, tick func(v, top float64) string) template.HTML {
	d, y, at := s.Frame(p, title, desc, figure, limit, name, tick)
	if d == nil {
		return ""
	}
	s.Lines(d, p, y, at, figure)
	return d.Done()
}

// parameterName names the parameter and how its values are spaced.
func (s *Sweep) parameterName() string {
	if s.logarithmic() {
		return s.Key + ", in doublings"
	}
	return s.Key
}

// Lines draws every system: its line through the medians, repeats as points, their interval as a whisker, a marker of
// its own and its name.
func (s *Sweep) Lines(d *svg.Drawing, p SweepPanel, y svg.Scale, at []float64, figure sweepFigure) {
	for n, sys := range p.drawn() {
		class := strconv.Itoa(n)
		var line [][2]float64
		for i, x := range s.Xs {
			c, ok := sys.Combinations[x]
			if !ok {
				continue
			}
			median, low, high, points, ok := figure(c)
			if !ok {
				continue
			}
			if y.Log && median <= 0 { // it has no place on a logarithmic y axis: the line breaks
				s.stroke(d, n, line)
				line = nil
				continue
			}
			line = append(line, [2]float64{at[i], y.At(median)})
			d.Line("whisker", at[i], y.At(low), at[i], y.At(high))
			for _, v := range points {
				d.Circle("repeat", at[i], y.At(v), 1.6)
			}
		}
		s.stroke(d, n, line)
		if sys.Name != "" {
			k := p.Abreast()
			x, row := SweepLeft+float64(n%k)*480/float64(k), SweepBase+62+22*float64(n/k)
			d.Line("line s"+class, x, row-4, x+26, row-4)
			d.Marker(n, x+13, row-4)
			d.Text("word", svg.Start, x+32, row, format.Shorten(sys.Name, int(480/float64(k)-36)/8))
		}
	}
	d.Line("axis", SweepLeft, SweepBase, SweepRight, SweepBase)
}

// stroke draws a line and its markers.
func (s *Sweep) stroke(d *svg.Drawing, n int, line [][2]float64) {
	d.Path("line s"+strconv.Itoa(n), line)
	for _, q := range line {
		d.Marker(n, q[0], q[1])
	}
}

// logarithmic reports whether the values are numbers above 0, which are spaced by their doublings.
func (s *Sweep) logarithmic() bool {
	return result.Place(s.Xs[0]) > 0 && result.Place(s.Xs[len(s.Xs)-1]) < math.MaxFloat64
}

// spacing places the values: by doublings where all are positive numbers, else evenly.
func (s *Sweep) spacing(from, to float64) []float64 {
	a := svg.Scale{Low: result.Place(s.Xs[0]), High: result.Place(s.Xs[len(s.Xs)-1]), From: from, To: to, Log: true}
	out := make([]float64, len(s.Xs))
	for i, x := range s.Xs {
		if s.logarithmic() {
			out[i] = a.At(result.Place(x))
		} else {
			out[i] = from + (to-from)*float64(i)/float64(len(s.Xs)-1)
		}
	}
	return out
}
