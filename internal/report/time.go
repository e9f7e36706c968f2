package report

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

const maxSlices = 150 // of a repeat; more are joined, by their mean

// timeChart draws goodput over time, a panel a repeat, and under it on the same
// time axis how many cores were busy on both ends in that window, and what was sent again.
func timeChart(w row, c cell, mark string) template.HTML {
	limit := 0.0
	if c.E.Ceiling != nil {
		limit = float64(c.E.Ceiling.Planned())
	}
	var panels []panel
	top, total, most := limit, 0.0, 0.0
	for _, p := range c.E.Repeats {
		series, there, back := p.SeriesOut, []float64(nil), []float64(nil)
		switch {
		case w.Both:
			series, there, back = sum(p.SeriesOut, p.SeriesIn), p.SeriesOut, p.SeriesIn
		case c.Back:
			series = p.SeriesIn
		}
		if len(series) == 0 || p.Slice <= 0 {
			continue
		}
		slice, joined := join(series, p.Slice)
		pan := panel{index: p.Index + 1, slice: slice, series: joined, there: second(join(there, p.Slice)), back: second(join(back, p.Slice)), again: again(p, w, c)}
		busyFrom, busyTo := p.BusyFrom, p.BusyTo
		if w.From != c.E.From && w.From == c.E.To { // the row's sender is the experiment's to
			busyFrom, busyTo = busyTo, busyFrom
		}
		pan.from, pan.to = cores(busyFrom, p.Slice, p.CPU, w.From), cores(busyTo, p.Slice, p.CPU, w.To)
		for _, v := range joined {
			top = max(top, v)
		}
		total += pan.seconds()
		for _, v := range append(append([]float64(nil), pan.from...), pan.to...) {
			most = max(most, v)
		}
		panels = append(panels, pan)
	}
	if len(panels) == 0 || len(panels) > 12 || top <= 0 || total <= 0 || math.IsInf(top, 0) {
		return ""
	}
	const left, right, above, plot, gap = 52.0, 530.0, 44.0, 120.0, 8.0
	base := above + plot
	height := base + 34
	if most > 0 {
		height += 86
	}
	resent := newResent(panels, height)
	height += resent.height()
	y := axis{low: 0, high: top * 1.08, from: base, to: above}
	label := c.label()
	median := notKnown // an experiment whose repeats were not summed up: it was cut off
	if c.Goodput != nil {
		median = rate(c.Goodput.Median)
	}
	s := drawing(chartWidth, height, "chart", "Goodput over time, "+arrows(w.path())+", "+label,
		fmt.Sprintf("%s in slices of %s; median %s, ceiling %s. More is better.", count(len(panels), "repeat"), seconds(panels[0].slice), median, ceilingText(c.E)))
	if w.Both {
		label = strings.TrimPrefix(label+", ", ", ") + "sum; thin: from " + shorten(w.From, 12) + " solid, back dashed"
	}
	s.text("name", start, 0, 14, label)
	s.text("word", start, 0, 34, rateUnit(top)+", more is better")
	for _, v := range y.ticks(4) {
		s.line("grid", left, y.at(v), right, y.at(v))
		s.text("tick", end, left-6, y.at(v)+4, rateTick(v, top))
	}
	cpu := axis{low: 0, high: max(1, math.Ceil(most)), from: base + 100, to: base + 58}
	if most > 0 {
		for _, v := range []float64{0, cpu.high} {
			s.line("grid", left, cpu.at(v), right, cpu.at(v))
			s.text("tick", end, left-6, cpu.at(v)+4, trimZeros(v))
		}
	}
	resent.frame(s, left, right)
	perSecond := (right - left - gap*float64(len(panels)-1)) / total
	at := left
	for _, p := range panels {
		wide := p.seconds() * perSecond
		s.line("axis", at, base, at+wide, base)
		for _, one := range []struct {
			class  string
			series []float64
		}{{"series", p.series}, {"part", p.there}, {"part dashed", p.back}} {
			var points [][2]float64
			for j, v := range one.series {
				x := at + float64(j)*p.slice*perSecond
				points = append(points, [2]float64{x, y.at(v)}, [2]float64{x + p.slice*perSecond, y.at(v)})
			}
			s.path(one.class, points)
		}
		s.text("tick", middle, at+wide/2, base+16, repeatName(p.index, p.seconds(), wide))
		for _, one := range []struct {
			class string
			cores []float64
		}{{"cpu", p.from}, {"cpu dashed", p.to}} {
			var points [][2]float64
			for j, v := range one.cores {
				each := wide / float64(len(one.cores))
				points = append(points, [2]float64{at + float64(j)*each, cpu.at(v)}, [2]float64{at + float64(j+1)*each, cpu.at(v)})
			}
			s.path(one.class, points)
		}
		if most > 0 {
			s.line("axis", at, cpu.at(0), at+wide, cpu.at(0))
		}
		resent.draw(s, p, at, perSecond)
		at += wide + gap
	}
	if limit > 0 {
		s.line("ceiling", left, y.at(limit), right, y.at(limit))
		s.text("word", end, right, 34, "ceiling "+ceilingText(c.E)+mark)
	}
	if most > 0 {
		s.text("word", start, 0, base+37, "cores busy: "+shorten(w.From, 16)+" solid, "+shorten(w.To, 16)+" dashed")
	}
	return s.done()
}

// panel is a repeat in a chart over time.
type panel struct {
	index    int
	slice    float64 // seconds
	series   []float64
	there    []float64 // of both directions at once, each of them
	back     []float64
	again    []float64 // segments sent again in a second; nil: not known
	from, to []float64 // cores busy on the two hosts over the same time, evenly spread; nil: not known
}

func (p panel) seconds() float64 { return p.slice * float64(len(p.series)) }

// sum adds two series slice by slice, as long as the shorter is.
func sum(a, b []float64) []float64 {
	out := make([]float64, min(len(a), len(b)))
	for i := range out {
		out[i] = a[i] + b[i]
	}
	return out
}

func second(_ float64, series []float64) []float64 { return series }

// join makes at most maxSlices slices out of a series, each the mean of equally many.
func join(series []float64, slice float64) (float64, []float64) {
	k := (len(series) + maxSlices - 1) / maxSlices
	if k <= 1 {
		return slice, series
	}
	var out []float64
	for i := 0; i+k <= len(series); i += k {
		sum := 0.0
		for _, v := range series[i : i+k] {
			sum += v
		}
		out = append(out, sum/float64(k))
	}
	return slice * float64(k), out
}

// cores is how many cores of a host were busy over a repeat: slice by slice where that was recorded, else the mean.
func cores(series []float64, slice float64, cpu []record.CPU, host string) []float64 {
	if len(series) > 0 {
		_, joined := join(series, slice)
		return joined
	}
	if b := busy(cpu, host); b >= 0 {
		return []float64{b}
	}
	return nil
}

// busy is the number of a host's cores that were in use, or -1 if not known.
func busy(cpu []record.CPU, host string) float64 {
	sum, known := 0.0, false
	for _, c := range cpu {
		if c.Host == host && c.Core >= 0 {
			sum += c.Busy() + c.Steal
			known = true
		}
	}
	if !known || math.IsNaN(sum) {
		return -1
	}
	return sum
}

// tickWidth is the room that a letter below an axis takes on a phone, where a drawing is smaller and its letters are not.
const tickWidth = 9

// repeatName is what stands below a repeat: as much as there is room for.
func repeatName(index int, long, wide float64) string {
	name := fmt.Sprintf("repeat %d", index)
	for _, text := range []string{fmt.Sprintf("%s, %s s", name, unit.Significant(long)), name} {
		if float64(len(text))*tickWidth <= wide {
			return text
		}
	}
	return strconv.Itoa(index)
}
