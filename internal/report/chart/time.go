package chart

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
	"linerate/internal/report/svg"
)

// Places in a chart over time, in pixels. From top to bottom it has the label and the unit, the plot of goodput,
// the names of the repeats, the plot of busy cores, and that of retransmitted segments.
const (
	timeLeft, timeRight = 52.0, 530.0 // of all plots; the values of the y axis are to the left of them
	timeGap             = 8.0         // between two repeats
	timeLabel           = 14.0        // base line of the label
	timeUnit            = 34.0        // base line of the unit, and of the words at the ceiling
	timeTop             = 44.0        // of the plot of goodput
	timeBase            = timeTop + 120
	timeNames           = timeBase + 16 // base line of the names of the repeats
	timeEnd             = timeBase + 34 // of a chart without cores
	coreWords           = timeBase + 37 // base line of what the plot of cores shows
	coreTop             = timeBase + 58
	coreBase            = timeBase + 100
	coreHeight          = 86.0 // that the plot of cores adds to the chart
	tickGap             = 6.0  // between a value and the y axis
	tickDrop            = 4.0  // from the line of a value to its base line
)

const (
	maxSlices  = 150 // of a repeat; more are joined, by their mean
	maxRepeats = 12  // in one chart
)

// timeChart is a chart of goodput over time, a panel a repeat.
type timeChart struct {
	row         result.Row
	combination result.Combination
	panels      []panel
	limit       float64 // ceiling in bits per second; 0: not known
	top         float64 // highest goodput or ceiling
	mostCores   float64 // largest number of busy cores on either host; 0: not known
	seconds     float64 // of all repeats

	svg        *svg.Drawing
	y, cores   svg.Scale
	retransmit retransmits
}

// TimeChart draws goodput over time, a panel for each repeat. Under it, on the same x axis, it draws the busy cores of
// both hosts, and retransmitted segments. It returns "" where no goodput over time was recorded, or that of too many
// repeats.
func TimeChart(w result.Row, c result.Combination, mark string) template.HTML {
	t := newTimeChart(w, c)
	if len(t.panels) == 0 || len(t.panels) > maxRepeats || t.top <= 0 || t.seconds <= 0 || math.IsInf(t.top, 0) {
		return ""
	}
	t.frame()
	perSecond := (timeRight - timeLeft - timeGap*float64(len(t.panels)-1)) / t.seconds
	at := timeLeft
	for _, p := range t.panels {
		t.panel(p, at, perSecond)
		at += p.seconds()*perSecond + timeGap
	}
	if t.limit > 0 {
		t.svg.Line("ceiling", timeLeft, t.y.At(t.limit), timeRight, t.y.At(t.limit))
		t.svg.Text("word", svg.End, timeRight, timeUnit, "ceiling "+result.CeilingText(c.E)+mark)
	}
	if t.mostCores > 0 {
		t.svg.Text("word", svg.Start, 0, coreWords,
			"cores busy: "+format.Shorten(w.From, 16)+" solid, "+format.Shorten(w.To, 16)+" dashed")
	}
	return t.svg.Done()
}

// newTimeChart collects what the chart shows.
func newTimeChart(w result.Row, c result.Combination) *timeChart {
	t := &timeChart{row: w, combination: c}
	if c.E.Ceiling != nil {
		t.limit = float64(c.E.Ceiling.Planned())
	}
	t.top = t.limit
	for _, p := range c.E.Repeats {
		panel := newPanel(p, w, c)
		if len(panel.series) == 0 {
			continue
		}
		t.top = max(t.top, slices.Max(panel.series))
		t.seconds += panel.seconds()
		for _, cores := range [][]float64{panel.from, panel.to} {
			for _, v := range cores {
				t.mostCores = max(t.mostCores, v)
			}
		}
		t.panels = append(t.panels, panel)
	}
	return t
}

// frame begins the drawing: its title, the x axis, the y axis and their values.
func (t *timeChart) frame() {
	height := timeEnd
	if t.mostCores > 0 {
		height += coreHeight
	}
	t.retransmit = newRetransmits(t.panels, height)
	height += t.retransmit.height()
	t.y = svg.Scale{Low: 0, High: t.top * 1.08, From: timeBase, To: timeTop}
	t.cores = svg.Scale{Low: 0, High: max(1, math.Ceil(t.mostCores)), From: coreBase, To: coreTop}
	e := t.combination.E
	label := t.combination.Label()
	median := format.NotKnown // an interrupted experiment without an estimate
	if t.combination.Goodput != nil {
		median = format.Rate(t.combination.Goodput.Median)
	}
	t.svg = svg.New(ChartWidth, height, "chart", "Goodput over time, "+format.Arrows(t.row.Path())+", "+label,
		fmt.Sprintf("%s in slices of %s; median %s, ceiling %s. More is better.",
			unit.Counted(len(t.panels), "repeat"), format.Seconds(t.panels[0].slice), median, result.CeilingText(e)))
	if t.row.Both {
		label = strings.TrimPrefix(label+", ",
			", ") + "sum; thin: from " + format.Shorten(t.row.From, 12) + " solid, back dashed"
	}
	t.svg.Text("name", svg.Start, 0, timeLabel, label)
	t.svg.Text("word", svg.Start, 0, timeUnit, svg.RateUnit(t.top)+", more is better")
	for _, v := range t.y.Ticks(4) {
		t.tick(t.y, v, svg.RateTick(v, t.top))
	}
	if t.mostCores > 0 {
		for _, v := range []float64{0, t.cores.High} {
			t.tick(t.cores, v, svg.TrimZeros(v))
		}
	}
	t.retransmit.frame(t.svg)
}

// tick draws the line of a value over all plots, and the value at its left end.
func (t *timeChart) tick(y svg.Scale, v float64, text string) {
	t.svg.Line("grid", timeLeft, y.At(v), timeRight, y.At(v))
	t.svg.Text("tick", svg.End, timeLeft-tickGap, y.At(v)+tickDrop, text)
}

// panel draws a repeat from at on, with a number of pixels for each second.
func (t *timeChart) panel(p panel, at, perSecond float64) {
	wide := p.seconds() * perSecond
	t.svg.Line("axis", at, timeBase, at+wide, timeBase)
	t.steps("series", t.y, p.series, at, p.slice*perSecond)
	t.steps("part", t.y, p.there, at, p.slice*perSecond)
	t.steps("part dashed", t.y, p.back, at, p.slice*perSecond)
	t.svg.Text("tick", svg.Middle, at+wide/2, timeNames, repeatName(p.index, p.seconds(), wide))
	t.steps("cpu", t.cores, p.from, at, wide/float64(len(p.from)))
	t.steps("cpu dashed", t.cores, p.to, at, wide/float64(len(p.to)))
	if t.mostCores > 0 {
		t.svg.Line("axis", at, t.cores.At(0), at+wide, t.cores.At(0))
	}
	t.retransmit.draw(t.svg, p, at, perSecond)
}

// steps draws a series as a line that keeps each value over its slice, which is wide pixels.
func (t *timeChart) steps(class string, y svg.Scale, series []float64, at, wide float64) {
	t.svg.Path(class, steps(y, series, at, wide))
}

// steps are the points of a line that keeps each value over its slice, which is wide pixels.
func steps(y svg.Scale, series []float64, at, wide float64) (points [][2]float64) {
	for i, v := range series {
		x := at + float64(i)*wide
		points = append(points, [2]float64{x, y.At(v)}, [2]float64{x + wide, y.At(v)})
	}
	return points
}

// tickWidth is the width of a character below the x axis on a phone, where drawings shrink but text does not.
const tickWidth = 9

// repeatName is the text below a repeat: as much as there is room for.
func repeatName(index int, long, wide float64) string {
	name := fmt.Sprintf("repeat %d", index)
	for _, text := range []string{fmt.Sprintf("%s, %s s", name, unit.Significant(long)), name} {
		if float64(len(text))*tickWidth <= wide {
			return text
		}
	}
	return strconv.Itoa(index)
}
