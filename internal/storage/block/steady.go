package block

import (
	"fmt"
	"time"

	"linerate/internal/base/unit"
)

// The rule of the steady state is that of SNIA's Solid State Storage Performance Test Specification, with slices of
// time instead of rounds.
const (
	minSlices    = 5
	maxRange     = 0.20 // of the mean: the largest less the smallest
	maxSlope     = 0.10 // of the mean: rise or fall of the least-squares line over the interval
	sliceOf      = time.Second
	slicesAtLast = 10
)

// sliceFor is the width of a slice: a second, or a tenth of a shorter interval.
func sliceFor(interval time.Duration) time.Duration {
	return min(sliceOf, max(interval/slicesAtLast, time.Millisecond))
}

// SteadyState reports whether the rate was stable over the last slices: half of them, and at least five.
type SteadyState struct {
	Is       bool    `json:"is"`
	Interval float64 `json:"window"` // seconds that were examined
	Slices   int     `json:"slices"` // in it
	First    int     `json:"first"`  // of them, in the series
	Range    float64 `json:"range"`  // share of the mean
	Slope    float64 `json:"slope"`  // rise (or fall, negative) of the line over the interval, as a share of the mean
	Mean     float64 `json:"mean"`   // operations a second in the interval
	Why      string  `json:"why"`
}

// Steady applies the rule to whole slices of operations, such as the sums of several jobs; slice is their width in
// seconds. It is nil if there are too few slices.
func Steady(ops []int64, slice float64) *SteadyState { return steadyOf(ops, slice) }

// steadyOf applies the rule to whole slices of operations; slice is their width in seconds. It is nil if there are too
// few.
func steadyOf(ops []int64, slice float64) *SteadyState {
	n := len(ops)
	if n < minSlices {
		return nil
	}
	w := max(minSlices, (n+1)/2)
	first := n - w
	y := ops[first:]
	s := &SteadyState{Interval: float64(w) * slice, Slices: w, First: first}
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
	s.Is = s.Range <= maxRange && abs <= maxSlope
	verdict := func(v, most float64) string {
		if v <= most {
			return "within"
		}
		return "above"
	}
	s.Why = fmt.Sprintf(
		"over the last %d slices of %v the rate ranges by %s of its mean, %s %s, and its line %s by %s, %s %s",
		w,
		time.Duration(slice*1e9).Round(time.Millisecond),
		unit.Percent(s.Range),
		verdict(s.Range, maxRange),
		unit.Percent(maxRange),
		map[bool]string{true: "rises", false: "falls"}[s.Slope >= 0],
		unit.Percent(abs),
		verdict(abs, maxSlope),
		unit.Percent(maxSlope),
	)
	return s
}
