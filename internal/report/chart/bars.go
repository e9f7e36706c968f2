package chart

import (
	"html/template"
	"math"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
	"linerate/internal/report/svg"
)

// ChartWidth is the width of a chart, in pixels.
const ChartWidth = 540

const (
	maxBars = 8 // the sweep's chart shows more combinations
)

// BarChart draws the goodput of each combination of a row against its ceiling: the bar is the median, points are
// repeats, the whisker is their range or interval.
func BarChart(w result.Row, mark string) template.HTML {
	var combinations []result.Combination
	top := 0.0
	for _, c := range w.Combinations {
		if c.Goodput == nil {
			continue
		}
		combinations = append(combinations, c)
		top = max(top, c.Goodput.Median, c.Goodput.High)
		if c.E.Ceiling != nil {
			top = max(top, float64(c.E.Ceiling.Planned()))
		}
	}
	if len(combinations) == 0 || len(combinations) > maxBars || top <= 0 || math.IsInf(top, 0) || math.IsNaN(top) {
		return ""
	}
	const left, right, rowHeight, above = 96.0, 386.0, 40.0, 44.0
	bottom := above + rowHeight*float64(len(combinations))
	x := svg.Scale{Low: 0, High: top * 1.04, From: left, To: right}
	var said []string
	for _, c := range combinations {
		said = append(said, c.Label()+" "+format.Rate(c.Goodput.Median)+" of "+result.CeilingText(c.E))
	}
	s := svg.New(ChartWidth, bottom+38, "chart", "Goodput of "+format.Arrows(w.Path()),
		strings.Join(said, "; ")+". More is better.")
	for _, v := range x.Ticks(5) {
		s.Line("grid", x.At(v), above-4, x.At(v), bottom)
		s.Text("tick", svg.Middle, x.At(v), bottom+14, svg.RateTick(v, top))
	}
	s.Text("word", svg.Start, 0, 14, svg.RateUnit(top)+", more is better")
	for i, c := range combinations {
		y := above + rowHeight*float64(i)
		mid := y + rowHeight/2 - 3
		if first, rest, two := strings.Cut(c.Label(), ", "); two &&
			format.Width(c.Label()) > 14 { // the second part mostly distinguishes the bars
			s.Text("word", svg.End, left-8, mid-4, format.Shorten(first, 14))
			s.Text("word", svg.End, left-8, mid+12, format.Shorten(rest, 14))
		} else {
			s.Text("word", svg.End, left-8, mid+4, format.Shorten(c.Label(), 14))
		}
		s.Rect("fill", left, mid-9, x.At(c.Goodput.Median)-left, 18)
		for _, p := range c.Repeats() {
			s.Circle("point", x.At(p), mid, 3.2)
		}
		s.Line("whisker", x.At(c.Goodput.Low), mid+14, x.At(c.Goodput.High), mid+14)
		s.Line("whisker", x.At(c.Goodput.Low), mid+11, x.At(c.Goodput.Low), mid+17)
		s.Line("whisker", x.At(c.Goodput.High), mid+11, x.At(c.Goodput.High), mid+17)
		text := format.Rate(c.Goodput.Median)
		if share, ok := c.Share(); ok {
			text += ", " + unit.Percent(share)
		}
		s.Text("word", svg.Start, right+10, mid+4, text)
		if c.E.Ceiling != nil && c.E.Ceiling.Planned() > 0 {
			at := x.At(float64(c.E.Ceiling.Planned()))
			s.Line("ceiling", at, y-2, at, y+rowHeight-4)
			if i == 0 {
				s.Text("word", svg.End, at+4, 34, "ceiling "+result.CeilingText(c.E)+mark)
			}
		} else {
			s.Text("tick", svg.Start, right+10, mid+18, "ceiling "+format.NotKnown)
		}
	}
	s.Line("axis", left, above-4, left, bottom)
	s.Text("tick", svg.Start, 0, bottom+34, "bar: median · points: repeats · whisker: "+whisker(combinations))
	return s.Done()
}

func whisker(combinations []result.Combination) string {
	for _, c := range combinations {
		if c.Goodput != nil && c.Goodput.Repeats >= 6 && c.Goodput.Interval != "range" {
			return format.Clean(c.Goodput.Interval) + " interval"
		}
	}
	return "lowest and highest"
}

// eighths are the parts of a character that a bar can fill, from none to seven eighths.
var eighths = [8]string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}

// Bar draws a share of the ceiling in n characters. The line after them is the ceiling. A share above 1 fills the bar;
// the figure next to it shows by how much the share is above 1.
func Bar(share float64, n int, plain bool) string {
	share = min(max(share, 0), 1)
	if share != share {
		share = 0
	}
	if plain {
		full := int(share*float64(n) + 0.5)
		return strings.Repeat("#", full) + strings.Repeat(".", n-full) + "|"
	}
	steps := int(share*float64(n*8) + 0.5)
	s := strings.Repeat("█", steps/8) + eighths[steps%8]
	return format.Pad(s, n) + "│"
}

// mostDrawn is the number of bytes of charts that a page may have. The page omits further charts and says so; every
// chart also has its table.
const mostDrawn = 200_000

// Budget counts the bytes of charts on one page.
type Budget struct {
	drawn int
	Left  int // charts that were left out
}

// Chart returns a chart that the page still has room for; empty: it has none left.
func (b *Budget) Chart(h template.HTML) template.HTML {
	if h == "" {
		return ""
	}
	if b.drawn+len(h) > mostDrawn {
		b.Left++
		return ""
	}
	b.drawn += len(h)
	return h
}
