package stat

import (
	"math"
	"slices"
)

// Steadiness is what the slices of a repeat show about its warm-up.
type Steadiness struct {
	// Skip is how many slices at the start are still warm-up; 0: none. If it is half of the slices, no steady part was
	// found.
	Skip int
	// Shift is by what share of the mean the result would change without them.
	Shift float64
}

const (
	fewestSlices = 8    // fewer have no shape
	steadyShift  = 0.02 // of the mean: the least effect of a warm-up that is reported
	steadySpread = 4    // standard deviations of the rest that lie between it and the warm-up
	// normalMAD scales the median absolute deviation of normal values to their standard deviation.
	normalMAD = 1.4826
)

// Warmup finds by MSER how many slices at the start of a repeat belong to its warm-up (White, An effective truncation
// heuristic for bias reduction in simulation output, Simulation 69, 1997). MSER omits, within the first half, the
// slices without which the squared standard error of the mean is smallest. That minimum is flat, so Warmup takes the
// shortest cut within a factor of two of it. MSER omits something whenever values scatter. The cut therefore counts
// only if the mean moves by more than 2 % and the median of the omitted slices differs from the rest's by more than
// steadySpread standard deviations (by the median absolute deviation; up to twice as many with few values, which
// estimate it poorly). A series of fewer than eight slices has no warm-up.
func Warmup(v []float64) Steadiness {
	n := len(v)
	if n < fewestSlices {
		return Steadiness{}
	}
	all := mean(v)
	if !(all > 0) || math.IsInf(all, 1) {
		return Steadiness{}
	}
	errors := make([]float64, n/2+1) // of the mean without the first d, squared
	best := math.Inf(1)
	for d := range errors {
		rest := v[d:]
		m := mean(rest)
		for _, x := range rest {
			errors[d] += (x - m) * (x - m)
		}
		errors[d] /= float64(len(rest)) * float64(len(rest))
		best = min(best, errors[d])
	}
	skip := slices.IndexFunc(errors, func(e float64) bool { return e <= 2*best })
	if skip <= 0 {
		return Steadiness{}
	}
	rest := v[skip:]
	shift := mean(rest)/all - 1
	away := math.Abs(middle(v[:skip]) - middle(rest))
	if math.Abs(shift) <= steadyShift || away <= steadySpread*deviation(rest)*(1+8/float64(len(rest))) {
		return Steadiness{}
	}
	return Steadiness{Skip: skip, Shift: shift}
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

func middle(v []float64) float64 {
	s := slices.Clone(v)
	slices.Sort(s)
	return quantile(s, 0.5)
}

// deviation is the median absolute deviation as a standard deviation.
func deviation(v []float64) float64 {
	m := middle(v)
	d := make([]float64, len(v))
	for i, x := range v {
		d[i] = math.Abs(x - m)
	}
	return middle(d) * normalMAD
}
