package report

import (
	"html/template"
	"math"
	"strings"

	"linerate/internal/base/unit"
)

const (
	chartWidth = 540
	maxBars    = 8 // more cells are for the sweep's chart
)

// barChart draws what each cell of a row carried, against its ceiling: the bar
// is the median, points are repeats, the whisker is their range or interval.
func barChart(w row, mark string) template.HTML {
	var cells []cell
	top := 0.0
	for _, c := range w.Cells {
		if c.Goodput == nil {
			continue
		}
		cells = append(cells, c)
		top = max(top, c.Goodput.Median, c.Goodput.High)
		if c.E.Ceiling != nil {
			top = max(top, float64(c.E.Ceiling.Planned()))
		}
	}
	if len(cells) == 0 || len(cells) > maxBars || top <= 0 || math.IsInf(top, 0) || math.IsNaN(top) {
		return ""
	}
	const left, right, rowHeight, above = 96.0, 386.0, 40.0, 44.0
	bottom := above + rowHeight*float64(len(cells))
	x := axis{low: 0, high: top * 1.04, from: left, to: right}
	var said []string
	for _, c := range cells {
		said = append(said, c.label()+" "+rate(c.Goodput.Median)+" of "+ceilingText(c.E))
	}
	s := drawing(chartWidth, bottom+38, "chart", "Goodput of "+arrows(w.path()), strings.Join(said, "; ")+". More is better.")
	for _, v := range x.ticks(5) {
		s.line("grid", x.at(v), above-4, x.at(v), bottom)
		s.text("tick", middle, x.at(v), bottom+14, rateTick(v, top))
	}
	s.text("word", start, 0, 14, rateUnit(top)+", more is better")
	for i, c := range cells {
		y := above + rowHeight*float64(i)
		mid := y + rowHeight/2 - 3
		if first, rest, two := strings.Cut(c.label(), ", "); two && width(c.label()) > 14 { // what tells the bars apart is mostly in the second part
			s.text("word", end, left-8, mid-4, shorten(first, 14))
			s.text("word", end, left-8, mid+12, shorten(rest, 14))
		} else {
			s.text("word", end, left-8, mid+4, shorten(c.label(), 14))
		}
		s.rect("fill", left, mid-9, x.at(c.Goodput.Median)-left, 18)
		for _, p := range c.repeats() {
			s.circle("point", x.at(p), mid, 3.2)
		}
		s.line("whisker", x.at(c.Goodput.Low), mid+14, x.at(c.Goodput.High), mid+14)
		s.line("whisker", x.at(c.Goodput.Low), mid+11, x.at(c.Goodput.Low), mid+17)
		s.line("whisker", x.at(c.Goodput.High), mid+11, x.at(c.Goodput.High), mid+17)
		text := rate(c.Goodput.Median)
		if share, ok := c.share(); ok {
			text += ", " + unit.Percent(share)
		}
		s.text("word", start, right+10, mid+4, text)
		if c.E.Ceiling != nil && c.E.Ceiling.Planned() > 0 {
			at := x.at(float64(c.E.Ceiling.Planned()))
			s.line("ceiling", at, y-2, at, y+rowHeight-4)
			if i == 0 {
				s.text("word", end, at+4, 34, "ceiling "+ceilingText(c.E)+mark)
			}
		} else {
			s.text("tick", start, right+10, mid+18, "ceiling "+notKnown)
		}
	}
	s.line("axis", left, above-4, left, bottom)
	s.text("tick", start, 0, bottom+34, "bar: median · points: repeats · whisker: "+whisker(cells))
	return s.done()
}

func whisker(cells []cell) string {
	for _, c := range cells {
		if c.Goodput != nil && c.Goodput.Repeats >= 6 && c.Goodput.Interval != "range" {
			return clean(c.Goodput.Interval) + " interval"
		}
	}
	return "lowest and highest"
}

// repeats are the goodputs of a cell's repeats.
func (c cell) repeats() []float64 {
	var out []float64
	for _, p := range c.E.Repeats {
		v := p.Goodput
		if c.E.Direction == "both" && p.Forward > 0 && p.Backward > 0 {
			v = p.Forward + p.Backward
		}
		if v > 0 && !math.IsInf(v, 0) {
			out = append(out, v)
		}
	}
	return out
}
