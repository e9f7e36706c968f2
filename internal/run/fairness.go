package run

import (
	"math"
	"slices"

	"linerate/internal/record"
)

// fairness says how evenly the streams of the repeat nearest to the median share the goodput; nil with fewer than two.
func fairness(e *record.Experiment) *record.Fairness {
	if e.Goodput == nil {
		return nil
	}
	var near *record.Repeat
	for i := range e.Repeats {
		r := &e.Repeats[i]
		if near == nil || math.Abs(r.Goodput-e.Goodput.Median) < math.Abs(near.Goodput-e.Goodput.Median) {
			near = r
		}
	}
	if near == nil || len(near.Streams) < 2 {
		return nil
	}
	var each []float64
	for _, s := range near.Streams {
		each = append(each, s.Goodput)
	}
	slices.Sort(each)
	n := len(each)
	return &record.Fairness{Streams: n, Jain: jain(each), Low: each[0], Median: (each[(n-1)/2] + each[n/2]) / 2, High: each[n-1]}
}

// jain is Jain's fairness index, (sum of x)^2 / (n * sum of x^2) (DEC-TR-301, 1984); 0 if all are 0.
func jain(x []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, v := range x {
		sum += v
		squares += v * v
	}
	if squares == 0 {
		return 0
	}
	return sum * sum / (float64(len(x)) * squares)
}
