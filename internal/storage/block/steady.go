package block

import (
	"fmt"
	"time"
)

// The rule of the steady state is that of SNIA's Solid State Storage Performance Test Specification, with slices of time in place of rounds.
const (
	leastSlices  = 5
	mostRange    = 0.20 // of the mean: the largest less the smallest
	mostSlope    = 0.10 // of the mean: what the least-squares line rises or falls by over the window
	sliceOf      = time.Second
	slicesAtLast = 10
)

// sliceFor is the width of a slice: a second, or a tenth of a shorter window.
func sliceFor(window time.Duration) time.Duration {
	return min(sliceOf, max(window/slicesAtLast, time.Millisecond))
}

// SteadyState is whether the rate stood still, over the last slices: a half of them, and five at least.
type SteadyState struct {
	Is     bool    `json:"is"`
	Window float64 `json:"window"` // seconds that were looked at
	Slices int     `json:"slices"` // in it
	First  int     `json:"first"`  // of them, in the series
	Range  float64 `json:"range"`  // share of the mean
	Slope  float64 `json:"slope"`  // share of the mean that the line rises (or falls, below 0) by over the window
	Mean   float64 `json:"mean"`   // operations a second in the window
	Why    string  `json:"why"`
}

// Steady holds the rule against whole slices of operations, such as the sums of several jobs; slice is their width in seconds. nil: there are too few.
func Steady(ops []int64, slice float64) *SteadyState { return steadyOf(ops, slice) }

// steadyOf looks at whole slices of operations; slice is their width in seconds. nil: there are too few.
func steadyOf(ops []int64, slice float64) *SteadyState {
	n := len(ops)
	if n < leastSlices {
		return nil
	}
	w := max(leastSlices, (n+1)/2)
	first := n - w
	y := ops[first:]
	s := &SteadyState{Window: float64(w) * slice, Slices: w, First: first}
	low, high, sum := y[0], y[0], 0.0
	for _, v := range y {
		low, high, sum = min(low, v), max(high, v), sum+float64(v)
	}
	mean := sum / float64(w)
	s.Mean = mean / slice
	if mean == 0 {
		s.Why = "nothing came"
		return s
	}
	middle, over, under := float64(w-1)/2, 0.0, 0.0
	for i, v := range y {
		x := float64(i) - middle
		over, under = over+x*(float64(v)-mean), under+x*x
	}
	s.Range = float64(high-low) / mean
	s.Slope = over / under * float64(w-1) / mean
	abs := max(s.Slope, -s.Slope)
	s.Is = s.Range <= mostRange && abs <= mostSlope
	verdict := func(v, most float64) string {
		if v <= most {
			return "within"
		}
		return "above"
	}
	s.Why = fmt.Sprintf("over the last %d slices of %v the rate ranges by %.1f %% of its mean, %s %.0f %%, and its line %s by %.1f %%, %s %.0f %%",
		w, time.Duration(slice*1e9).Round(time.Millisecond), s.Range*100, verdict(s.Range, mostRange), mostRange*100,
		map[bool]string{true: "rises", false: "falls"}[s.Slope >= 0], abs*100, verdict(abs, mostSlope), mostSlope*100)
	return s
}
