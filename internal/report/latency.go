package report

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// latency is the round trips of an experiment as a page shows them.
func (m *maker) latency(e *record.Experiment) latencyView {
	title := upper(tripWords(e)) + " " + clean(e.From) + " → " + clean(e.To) + through(e)
	if s := settings(e.Settings, "direction", "time", "repeats", "via"); s != "" {
		title += " (" + s + ")"
	}
	if e.Variant != "" {
		title += " [" + clean(e.Variant) + "]"
	}
	v := latencyView{Title: title, Mark: latencyMark(m.run.Lab), Chart: m.chart(latencyChart(e))}
	rows := func(l *record.Latency, name string) {
		if l == nil {
			return
		}
		for i, p := range percentileNames {
			text := seconds(p.of(l))
			if i < len(l.Percentiles) {
				if c := l.Percentiles[i]; c.Seconds == nil {
					text += ": " + clean(c.Why)
				} else {
					text += fmt.Sprintf(" (%d at or above)", c.Behind)
				}
			}
			v.Rows = append(v.Rows, [2]string{p.name + name, text})
		}
		v.Rows = append(v.Rows, [2]string{"max" + name, seconds(l.Max)}, [2]string{strings.Replace(tripWords(e), "time of a request", "request", 1) + "s" + name, fmt.Sprint(l.Count)})
	}
	rows(e.Latency, "")
	if e.Load != nil {
		rows(e.Load.Idle, " without the load")
	}
	v.Rows = withLoss(e, v.Rows)
	for _, f := range pingFacts(e) {
		if f[0] != "counts" && f[0] != "too few" {
			v.Facts = append(v.Facts, f)
		}
	}
	for _, c := range e.Clocks {
		v.Facts = append(v.Facts, [2]string{"clock", clockText(c)})
	}
	return v
}

// tripWords are what a latency is of: a round trip, or a request of storage.
func tripWords(e *record.Experiment) string {
	if e.Method == record.MethodBlock {
		return "time of a request"
	}
	return "round trip"
}

// curve is one line of a chart of round trips.
type curve struct {
	l     *record.Latency
	name  string // beside its end; empty: it is the only one
	class string
}

// curves are the distributions that are drawn together, the experiment's own first.
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

// latencyChart draws the percentile curve of round trips: percentiles spaced by
// their nines, time on a logarithmic axis. A second curve is that of the path without the load, or
// of the round trips from the moment of sending.
func latencyChart(e *record.Experiment) template.HTML {
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
	x := axis{low: 0, high: last, from: left, to: right}
	y := axis{low: low / max(1.3, math.Pow(high/low, 0.14)), high: high * 1.3, from: base, to: above, log: true}
	said := "Half of " + count(int(l.Count), strings.TrimPrefix(tripWords(e), "time of a ")) + " took at most " + seconds(l.P50) + ", 99 % at most " + seconds(l.P99) + ", the longest " + seconds(l.Max) + "."
	if len(all) > 1 {
		said += " " + all[1].name + ": half at most " + seconds(all[1].l.P50) + ", 99 % at most " + seconds(all[1].l.P99) + "."
	}
	height := base + 40
	if len(all) > 1 {
		height += 18
	}
	s := drawing(chartWidth, height, "chart", upper(strings.Replace(tripWords(e), "time", "times", 1)+map[bool]string{true: "s"}[e.Method != record.MethodBlock])+" of "+clean(e.From)+" → "+clean(e.To), said+" Less is better.")
	s.text("word", start, 0, 14, tripWords(e)+", logarithmic, less is better")
	for _, v := range y.ticks(6) {
		s.line("grid", left, y.at(v), right, y.at(v))
		s.text("tick", end, left-6, y.at(v)+4, shortSeconds(v))
	}
	for _, p := range []struct {
		q    float64
		name string
	}{{0.5, "50 %"}, {0.9, "90 %"}, {0.99, "99 %"}, {0.999, "99.9 %"}, {0.9999, "99.99 %"}, {0.99999, "99.999 %"}} {
		if n := nines(p.q); n <= last+0.01 {
			s.line("grid", x.at(n), above, x.at(n), base)
			s.text("tick", middle, x.at(n), base+16, p.name)
		}
	}
	for _, c := range all {
		var points [][2]float64
		for _, q := range c.l.Curve {
			if q.Seconds > 0 {
				points = append(points, [2]float64{x.at(min(nines(q.Q), last)), y.at(q.Seconds)})
			}
		}
		s.path(c.class, points)
	}
	for _, p := range e.Repeats {
		if p.P50 > 0 {
			s.circle("point", x.at(nines(0.5)), y.at(p.P50), 3.2)
		}
	}
	for _, p := range []struct {
		q, v float64
		name string
	}{{0.5, l.P50, "p50 "}, {0.99, l.P99, "p99 "}, {0.999, l.P999, "p99.9 "}} {
		if p.v > 0 && nines(p.q) <= last {
			if p.q > 0.5 {
				s.circle("dot", x.at(nines(p.q)), y.at(p.v), 3.2)
			}
			if p.q == 0.5 { // the left end has no room on its left
				s.text("word", start, x.at(nines(p.q))+6, y.at(p.v)+14, p.name+seconds(p.v))
			} else {
				s.text("word", end, x.at(nines(p.q))-5, y.at(p.v)-8, p.name+seconds(p.v))
			}
		}
	}
	s.line("axis", left, base, right, base)
	s.text("tick", start, 0, base+36, "share of "+strings.TrimPrefix(tripWords(e), "time of a ")+"s at most this long · points: repeats")
	if len(all) > 1 {
		s.text("tick", start, 0, base+54, "line: "+all[0].name+" · dashed: "+all[1].name)
	}
	return s.done()
}

// nines is a percentile's place on an axis that gives every further nine the
// same room.
func nines(q float64) float64 {
	if q >= 1 {
		return math.Inf(1)
	}
	return -math.Log10(1 - q)
}

// shortSeconds prints a round value of an axis: "50 us".
func shortSeconds(v float64) string {
	for _, u := range []struct {
		k    float64
		name string
	}{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}} {
		if v >= u.k*0.9999 {
			return trimZeros(math.Round(v/u.k*100)/100) + " " + u.name
		}
	}
	return unit.Seconds(v)
}
