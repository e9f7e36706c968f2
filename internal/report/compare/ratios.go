package compare

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"

	"linerate/internal/base/stat"
	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/chart"
	"linerate/internal/report/format"
	"linerate/internal/report/svg"
)

// ratios draws each other system over the first, with its interval, next to the line of no difference.
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
	rows := (len(p.systems)) / 2
	// A y axis of less than a tenth on each side would make noise look like a difference.
	y := svg.Scale{Low: max(0, min(low-(high-low)*0.15-0.02, 0.9)), High: max(high+(high-low)*0.3+0.03, 1.1),
		From: chart.SweepBase, To: chart.SweepTop}
	if high/low > 8 {
		y = svg.Scale{Low: low / 1.3, High: high * 1.8, From: chart.SweepBase, To: chart.SweepTop, Log: true}
	}
	name := format.Shorten(p.systems[0], 24)
	names := p.names()
	d := svg.New(chart.ChartWidth, chart.SweepBase+names.high()+28+22*float64(rows), "chart", "Ratio of "+p.head(),
		fmt.Sprintf("%s over %s, with intervals; a filled point is a difference that is shown. The table has every figure.",
			strings.Join(p.systems[1:], " and "), name))
	d.Text("word", svg.Start, 0, 14, format.Shorten("Ratio to "+name+": "+metricWords(p.metric)+better(p.metric), 72))
	ticks := y.Ticks(6)
	for _, v := range ticks {
		d.Line("grid", compareLeft, y.At(v), chart.SweepRight, y.At(v))
		d.Text("tick", svg.End, compareLeft-6, y.At(v)+4, ratioTick(v, ticks))
	}
	d.Line("ceiling even", compareLeft, y.At(1), chart.SweepRight, y.At(1))
	group := (chart.SweepRight - compareLeft) / float64(len(p.points))
	for i, q := range p.points {
		mid := compareLeft + group*(float64(i)+0.5)
		names.draw(d, i, mid)
		for s, c := range q.with {
			if c.Ratio == nil {
				continue
			}
			x := mid + (float64(s)-float64(len(p.systems)-2)/2)*16
			if c.Low != nil && c.High != nil {
				d.Line("whisker", x, y.At(*c.Low), x, y.At(*c.High))
				d.Line("whisker", x-4, y.At(*c.Low), x+4, y.At(*c.Low))
				d.Line("whisker", x-4, y.At(*c.High), x+4, y.At(*c.High))
			}
			if c.Different != nil && *c.Different {
				d.Marker(s+1, x, y.At(*c.Ratio))
			} else {
				d.Circle("undecided", x, y.At(*c.Ratio), 4)
			}
			if above := *c.Ratio; group > 44 &&
				len(p.systems) == 2 { // of several they would cover each other; the table has them
				if c.High != nil && *c.High > above {
					above = *c.High
				}
				d.Text("tick beside", svg.Middle, x, y.At(above)-9, Ratio(*c.Ratio))
			}
		}
	}
	d.Line("axis", compareLeft, chart.SweepBase, chart.SweepRight, chart.SweepBase)
	d.Text("tick", svg.Middle, (compareLeft+chart.SweepRight)/2, chart.SweepBase+names.high()+20,
		"filled: a difference is shown; open: none is")
	k.legend(p, d, 1, names.high()-16)
	return d.Done()
}

// ratioTick prints a value of a y axis of ratios with the decimals that its ticks need: 0.95, 1.00, 1.05.
func ratioTick(v float64, ticks []float64) string {
	decimals := 0
	for _, t := range ticks {
		s := svg.TrimZeros(t)
		if i := strings.IndexByte(s, '.'); i >= 0 {
			decimals = max(decimals, len(s)-i-1)
		}
	}
	if v >= 10 || decimals > 3 { // logarithmic: each value has its own
		return svg.TrimZeros(v)
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// differences are the differences for which a number of repeats is suggested.
var differences = []float64{0.2, 0.1, 0.05, 0.03, 0.02, 0.01, 0.005, 0.002, 0.001}

// unseen returns, for each figure without a shown difference, the smallest difference that the repeats could show, and
// the number of repeats for a smaller one. Of several comparisons it takes the least sensitive.
func unseen(list []record.Comparison) []string {
	worst := map[string]record.Comparison{}
	several := map[string]int{}
	var order []string
	for _, c := range list {
		if c.Different == nil || *c.Different || c.Resolution == nil || !(*c.Resolution > 0) || math.IsInf(*c.Resolution, 1) {
			continue
		}
		if several[c.Metric]++; several[c.Metric] == 1 {
			order = append(order, c.Metric)
		}
		if w := worst[c.Metric]; w.Resolution == nil || *w.Resolution < *c.Resolution {
			worst[c.Metric] = c
		}
	}
	var out []string
	for _, metric := range order {
		c := worst[metric]
		n := min(c.Base.Repeats, c.Other.Repeats)
		s := fmt.Sprintf("%s: a difference below about %s could not have been seen with %d repeats a side",
			metricWords(metric), unit.Percent(*c.Resolution), n)
		if several[metric] > 1 {
			s += fmt.Sprintf(" (of %d comparisons the one that sees least)", several[metric])
		}
		for _, d := range differences {
			if d > *c.Resolution/1.3 {
				continue
			}
			if k := (stat.Comparison{Low: *c.Low, High: *c.High, Interval: c.Interval, N: [2]int{n, n}}).Needed(
				d,
			); k <= manyRepeats {
				s += fmt.Sprintf("; to see %s takes about %d: --repeats %d", unit.Percent(d), k, k)
			}
			break
		}
		out = append(out, s)
	}
	return out
}

// manyRepeats is the largest number of repeats that linerate suggests.
const manyRepeats = 500
