package chart

import (
	"math"

	"linerate/internal/record"
	"linerate/internal/report/result"
	"linerate/internal/report/svg"
)

// again returns the segments per second that the senders of a combination retransmitted, in the slices of the goodput;
// nil: not known.
func again(p record.Repeat, w result.Row, c result.Combination) []float64 {
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

// retransmits is the plot of retransmitted segments in a chart over time.
type retransmits struct {
	known bool
	most  float64 // per second
	top   float64 // where it begins
	y     svg.Scale
}

// Places in the plot of retransmitted segments, from its top, in pixels.
const (
	retransmitWords = 12.0 // base line of its words
	retransmitNone  = 22.0 // height of the words alone
	retransmitTop   = 24.0 // of the plot itself
	retransmitPlot  = 40.0 // height of it
	retransmitFoot  = 10.0 // below it
)

func newRetransmits(panels []panel, top float64) retransmits {
	r := retransmits{known: true, top: top}
	for _, p := range panels {
		r.known = r.known && p.again != nil
		for _, v := range p.again {
			r.most = max(r.most, v)
		}
	}
	r.y = svg.Scale{Low: 0, High: math.Max(1, r.most), From: top + retransmitTop + retransmitPlot, To: top + retransmitTop}
	return r
}

// height returns the height that the plot adds to the chart: a line of words when nothing was retransmitted, nothing
// when it is not known.
func (r retransmits) height() float64 {
	switch {
	case !r.known:
		return 0
	case r.most == 0:
		return retransmitNone
	}
	return retransmitTop + retransmitPlot + retransmitFoot
}

// frame draws the words of the plot, and the values of its y axis.
func (r retransmits) frame(s *svg.Drawing) {
	switch {
	case !r.known:
		return
	case r.most == 0:
		s.Text("word", svg.Start, 0, r.top+retransmitWords, "no segment was retransmitted")
		return
	}
	s.Text("word", svg.Start, 0, r.top+retransmitWords, "segments retransmitted in a second")
	for _, v := range []float64{0, r.y.High} {
		s.Line("grid", timeLeft, r.y.At(v), timeRight, r.y.At(v))
		s.Text("tick", svg.End, timeLeft-tickGap, r.y.At(v)+tickDrop, short(v))
	}
}

// draw draws the retransmitted segments of a repeat.
func (r retransmits) draw(s *svg.Drawing, p panel, at, perSecond float64) {
	if !r.known || r.most == 0 {
		return
	}
	s.Path("cpu", steps(r.y, p.again, at, p.slice*perSecond))
	s.Line("axis", at, r.y.At(0), at+p.seconds()*perSecond, r.y.At(0))
}

// short prints a count at the y axis: 950, 23k, 1.2M.
func short(v float64) string {
	switch {
	case v >= 1e6:
		return svg.TrimZeros(math.Round(v/1e5)/10) + "M"
	case v >= 1e4:
		return svg.TrimZeros(math.Round(v/1e3)) + "k"
	}
	return svg.TrimZeros(math.Round(v))
}
