package report

import (
	"math"

	"linerate/internal/record"
)

// again is how many segments the senders of a cell sent again in a second, slice by slice as the goodput; nil: not known.
func again(p record.Repeat, w row, c cell) []float64 {
	var counts []int64
	switch {
	case !w.Both && !c.Back:
		counts = p.RetransOut
	case w.Both && p.RetransOut != nil && p.RetransIn != nil:
		counts = make([]int64, min(len(p.RetransOut), len(p.RetransIn)))
		for i := range counts {
			counts[i] = p.RetransOut[i] + p.RetransIn[i]
		}
	case c.Back && !w.Both:
		counts = p.RetransIn
	}
	if counts == nil {
		return nil
	}
	series := make([]float64, len(counts))
	for i, v := range counts {
		series[i] = float64(v) / p.Slice
	}
	_, series = join(series, p.Slice)
	return series
}

// resent is the panel of a chart over time with the segments that were sent again.
type resent struct {
	known bool
	most  float64 // in a second
	top   float64 // where it begins
	y     axis
}

const resentPlot = 40.0

func newResent(panels []panel, top float64) resent {
	r := resent{known: true, top: top}
	for _, p := range panels {
		r.known = r.known && p.again != nil
		for _, v := range p.again {
			r.most = max(r.most, v)
		}
	}
	r.y = axis{low: 0, high: math.Max(1, r.most), from: top + 24 + resentPlot, to: top + 24}
	return r
}

// height is what the panel adds to the chart: a line of words when nothing was sent again, nothing when it is not known.
func (r resent) height() float64 {
	switch {
	case !r.known:
		return 0
	case r.most == 0:
		return 22
	}
	return 24 + resentPlot + 10
}

func (r resent) frame(s *svg, left, right float64) {
	switch {
	case !r.known:
		return
	case r.most == 0:
		s.text("word", start, 0, r.top+12, "no segment was sent again")
		return
	}
	s.text("word", start, 0, r.top+12, "segments sent again in a second")
	for _, v := range []float64{0, r.y.high} {
		s.line("grid", left, r.y.at(v), right, r.y.at(v))
		s.text("tick", end, left-6, r.y.at(v)+4, short(v))
	}
}

func (r resent) draw(s *svg, p panel, at, perSecond float64) {
	if !r.known || r.most == 0 {
		return
	}
	var points [][2]float64
	for j, v := range p.again {
		x := at + float64(j)*p.slice*perSecond
		points = append(points, [2]float64{x, r.y.at(v)}, [2]float64{x + p.slice*perSecond, r.y.at(v)})
	}
	s.path("cpu", points)
	s.line("axis", at, r.y.at(0), at+p.seconds()*perSecond, r.y.at(0))
}

// short prints a count at an axis: 950, 23k, 1.2M.
func short(v float64) string {
	switch {
	case v >= 1e6:
		return trimZeros(math.Round(v/1e5)/10) + "M"
	case v >= 1e4:
		return trimZeros(math.Round(v/1e3)) + "k"
	}
	return trimZeros(math.Round(v))
}
