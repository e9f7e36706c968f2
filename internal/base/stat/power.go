package stat

import "math"

// power is how many half widths of a 95 % interval a ratio must be beyond its end to be found 9 times in 10: z(0.9) /
// z(0.975).
const power = 1.2816 / 1.9600

// Resolution returns the least difference, as a share (0.07: 7 %), that as many values with the same noise find 9 times
// in 10; 0 where the values have no interval. It is as accurate as these values' estimate of the noise: about a quarter
// with ten pairs.
func (c Comparison) Resolution() float64 {
	if c.Interval != Interval || !(c.Low > 0) {
		return 0
	}
	return math.Expm1(math.Log(c.High/c.Low) / 2 * (1 + power))
}

// Needed returns about how many values per side find a difference (0.05: 5 %) 9 times in 10 with the noise of these
// values; 0 where the noise is not known.
func (c Comparison) Needed(difference float64) int {
	r := c.Resolution()
	if r == 0 || !(difference > 0) {
		return 0
	}
	half := math.Log1p(r) / math.Log1p(difference) // the width of an interval falls with the root of the number
	return max(FewestPairs, int(math.Ceil(float64(min(c.N[0], c.N[1]))*half*half)))
}
