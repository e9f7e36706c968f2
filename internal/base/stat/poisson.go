package stat

import "math"

// PoissonUpper returns the largest mean of a Poisson distribution that is plausible after n events: with a larger one,
// so few events would be seen with a probability of at most 1 - confidence. It is the exact upper bound of Garwood
// (Biometrika 28, 1936): half of the chi-square quantile with 2n + 2 degrees of freedom; for n = 0 it is -ln(1 -
// confidence). confidence is above 0 and below 1, n at least 0; else NaN.
func PoissonUpper(n int64, confidence float64) float64 {
	if n < 0 || !(confidence > 0 && confidence < 1) {
		return math.NaN()
	}
	tail := 1 - confidence
	low, high := 0.0, float64(n)+1
	for poissonUpTo(n, high) > tail {
		high *= 2
	}
	for range 200 {
		middle := (low + high) / 2
		if middle == low || middle == high {
			break
		}
		if poissonUpTo(n, middle) > tail {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// poissonUpTo returns the probability of at most n events where the mean is m.
func poissonUpTo(n int64, m float64) float64 {
	// From the largest term down, in logarithms, because the terms of many events overflow. Terms far below the largest
	// add nothing.
	sum := 0.0
	for k := n; k >= 0; k-- {
		gamma, _ := math.Lgamma(float64(k) + 1)
		term := math.Exp(float64(k)*math.Log(m) - m - gamma)
		sum += term
		if float64(k) < m && term < sum*1e-17 {
			break
		}
	}
	return min(sum, 1)
}
