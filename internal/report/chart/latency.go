package chart

import (
	"html/template"
	"math"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/svg"
)

// TripWords names the subject of a latency: a round trip, or a request of storage.
func TripWords(e *record.Experiment) string {
	return unit.If(method.Named(e.Method).Stores, "time of a request", "round trip")
}

// curve is one line of a chart of round trips.
type curve struct {
	l     *record.Latency
	name  string // next to its end; empty: it is the only one
	class string
}

// curves returns the distributions that are drawn together, the experiment's own first.
func curves(e *record.Experiment) []curve {
	if e.Latency == nil {
		return nil
	}
	switch {
	case e.Load != nil && e.Load.Idle != nil:
		return []curve{{e.Latency, "with the load", "series"}, {e.Load.Idle, "without", "series dashed"}}
	case e.Open != nil && e.Open.Service != nil:
		return []curve{{e.Latency, "from when due", "series"}, {e.Open.Service, "from sending", "series dashed"}}
	}
	return []curve{{e.Latency, "", "series"}}
}

// LatencyChart draws the percentile curve of round trips: percentiles spaced by their nines, time on a logarithmic y
// axis. A second curve is that of the path without the load, or of the round trips from the moment of sending.
func LatencyChart(e *record.Experiment) template.HTML {
	l := e.Latency
	if l == nil || len(l.Curve) < 2 {
		return ""
	}
	all := curves(e)
	low, high, most := math.Inf(1), 0.0, int64(0)
	for _, c := range all {
		for _, q := range c.l.Curve {
			if q.Seconds > 0 && !math.IsInf(q.Seconds, 0) {
				low, high = min(low, q.Seconds), max(high, q.Seconds)
			}
		}
		most = max(most, c.l.Count)
	}
	if high <= 0 || low > high {
		return ""
	}
	const left, right, above, base = 60.0, 524.0, 26.0, 190.0
	last := 4.0
	if most > 1 {
		last = min(max(2, math.Log10(float64(most))), 7)
	}
	x := svg.Scale{Low: 0, High: last, From: left, To: right}
	y := svg.Scale{Low: low / max(1.3, math.Pow(high/low, 0.14)), High: high * 1.3, From: base, To: above, Log: true}
	said := "Half of " + unit.Counted(
		int(l.Count), strings.TrimPrefix(TripWords(e), "time of a "),
	) + " took at most " + format.Seconds(l.P50) + ", 99 % at most " + format.Seconds(
		l.P99,
	) + ", the longest " + format.Seconds(l.Max) + "."
	if len(all) > 1 {
		said += " " + all[1].name + ": half at most " + format.Seconds(all[1].l.P50) + ", 99 % at most " + format.Seconds(
			all[1].l.P99,
		) + "."
	}
	height := base + 40
	if len(all) > 1 {
		height += 18
	}
	s := svg.New(ChartWidth, height, "chart", svg.Upper(
		strings.Replace(TripWords(e), "time", "times", 1)+unit.If(!method.Named(e.Method).Stores, "s", ""),
	)+" of "+format.Clean(e.From)+" → "+format.Clean(e.To), said+" Less is better.")
	s.Text("word", svg.Start, 0, 14, TripWords(e)+", logarithmic, less is better")
	for _, v := range y.Ticks(6) {
		s.Line("grid", left, y.At(v), right, y.At(v))
		s.Text("tick", svg.End, left-6, y.At(v)+4, svg.ShortSeconds(v))
	}
	for _, p := range []struct {
		q    float64
		name string
	}{{0.5, "50 %"}, {0.9, "90 %"}, {0.99, "99 %"}, {0.999, "99.9 %"}, {0.9999, "99.99 %"}, {0.99999, "99.999 %"}} {
		if n := nines(p.q); n <= last+0.01 {
			s.Line("grid", x.At(n), above, x.At(n), base)
			s.Text("tick", svg.Middle, x.At(n), base+16, p.name)
		}
	}
	for _, c := range all {
		var points [][2]float64
		for _, q := range c.l.Curve {
			if q.Seconds > 0 {
				points = append(points, [2]float64{x.At(min(nines(q.Q), last)), y.At(q.Seconds)})
			}
		}
		s.Path(c.class, points)
	}
	for _, p := range e.Repeats {
		if p.P50 > 0 {
			s.Circle("point", x.At(nines(0.5)), y.At(p.P50), 3.2)
		}
	}
	marks := percentileLabels{left: left, right: right, base: base}
	for _, p := range []struct {
		q, v float64
		name string
	}{{0.5, l.P50, "p50 "}, {0.99, l.P99, "p99 "}, {0.999, l.P999, "p99.9 "}} {
		if p.v > 0 && nines(p.q) <= last {
			if p.q > 0.5 {
				s.Circle("dot", x.At(nines(p.q)), y.At(p.v), 3.2)
			}
			marks.draw(s, x.At(nines(p.q)), y.At(p.v), p.name+format.Seconds(p.v))
		}
	}
	s.Line("axis", left, base, right, base)
	s.Text("tick", svg.Start, 0, base+36,
		"percentile: share of "+strings.TrimPrefix(TripWords(e), "time of a ")+"s at most this long · points: repeats")
	if len(all) > 1 {
		s.Text("tick", svg.Start, 0, base+54, "line: "+all[0].name+" · dashed: "+all[1].name)
	}
	return s.Done()
}

// percentileLabels places the names of percentiles next to their points on a curve that rises to the right, so that
// none covers another.
type percentileLabels struct {
	left, right, base float64
	taken             [][4]float64 // left, top, right, bottom
}

func (p *percentileLabels) draw(s *svg.Drawing, x, y float64, text string) {
	const high = 15.0
	wide := svg.TextWidth(text, false)
	// Above the point on its left, then below it on its right: there the curve is not. Then further away.
	for away := 0.0; away < 6*high; away += high {
		for _, at := range [][2]float64{{x - 5 - wide, y - 8 - away}, {x + 6, y + 14 + away}} {
			box := [4]float64{at[0], at[1] - high + 3, at[0] + wide, at[1] + 3}
			if box[0] < p.left-40 || box[2] > p.right+16 || box[3] > p.base || box[1] < 16 || p.covers(box) {
				continue
			}
			p.taken = append(p.taken, box)
			s.Text("word beside", svg.Start, at[0], at[1], text)
			return
		}
	} // there is no room: the table next to the chart has the figure
}

func (p *percentileLabels) covers(box [4]float64) bool {
	return slices.ContainsFunc(p.taken, func(o [4]float64) bool {
		return box[0] < o[2] && o[0] < box[2] && box[1] < o[3] && o[1] < box[3]
	})
}

// nines returns the position of a percentile on an x axis that gives every further nine the same width.
func nines(q float64) float64 {
	if q >= 1 {
		return math.Inf(1)
	}
	return -math.Log10(1 - q)
}
