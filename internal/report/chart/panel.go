package chart

import (
	"math"

	"linerate/internal/record"
	"linerate/internal/report/result"
)

// panel is a repeat in a chart over time.
type panel struct {
	index    int
	slice    float64 // seconds
	series   []float64
	there    []float64 // of both directions at once, each of them
	back     []float64
	again    []float64 // retransmitted segments per second; nil: not known
	from, to []float64 // cores busy on the two hosts over the same time, evenly spread; nil: not known
}

func (p panel) seconds() float64 { return p.slice * float64(len(p.series)) }

// newPanel returns the panel of a repeat; its series is empty where goodput over time was not recorded.
func newPanel(r record.Repeat, w result.Row, c result.Combination) panel {
	series, there, back := r.SeriesOut, []float64(nil), []float64(nil)
	switch {
	case w.Both:
		series, there, back = sum(r.SeriesOut, r.SeriesIn), r.SeriesOut, r.SeriesIn
	case c.Back:
		series = r.SeriesIn
	}
	if len(series) == 0 || r.Slice <= 0 {
		return panel{}
	}
	p := panel{index: r.Index + 1, again: again(r, w, c)}
	p.slice, p.series = join(series, r.Slice)
	_, p.there = join(there, r.Slice)
	_, p.back = join(back, r.Slice)
	busyFrom, busyTo := r.BusyFrom, r.BusyTo
	if w.From != c.E.From && w.From == c.E.To { // the row's sender is the experiment's to
		busyFrom, busyTo = busyTo, busyFrom
	}
	p.from, p.to = cores(busyFrom, r.Slice, r.CPU, w.From), cores(busyTo, r.Slice, r.CPU, w.To)
	return p
}

// sum adds two series slice by slice, as long as the shorter is.
func sum(a, b []float64) []float64 {
	out := make([]float64, min(len(a), len(b)))
	for i := range out {
		out[i] = a[i] + b[i]
	}
	return out
}

// join reduces a series to at most maxSlices slices, each the mean of equally many.
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

// cores returns the busy cores of a host over a repeat: slice by slice where that was recorded, or else the mean.
func cores(series []float64, slice float64, cpu []record.CPU, host string) []float64 {
	if len(series) > 0 {
		_, joined := join(series, slice)
		return joined
	}
	if b := Busy(cpu, host); b >= 0 {
		return []float64{b}
	}
	return nil
}

// Busy returns the number of a host's cores that were in use, or -1 if not known.
func Busy(cpu []record.CPU, host string) float64 {
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
