package stat

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Values of Summary.Interval: what Low and High are.
const (
	Range    = "range" // the lowest and the highest value
	Interval = "95%"   // an interval that covers the true median at least 95 times in 100
)

// FewestForInterval is the least number of values whose order statistics can cover the median with 95 %: lowest to
// highest covers it with 1 - 2/2^n, which is 93.75 % for five values and 96.9 % for six.
const FewestForInterval = 6

// ErrEmpty is the error of a summary without values.
var ErrEmpty = errors.New("there is no value: a median needs at least one")

// Summary is the median of some values and the spread that their number can show, in the unit of the values.
type Summary struct {
	Median, Low, High float64
	Interval          string // Range or Interval
	N                 int
}

// Summarize returns the median of the values, which may have any order and are not modified. With fewer than
// FewestForInterval values Low and High are the lowest and the highest one. From there on they are the order statistics
// that bound a 95 % confidence interval of the median, exact for every distribution (binomial, p = 1/2; Hahn and
// Meeker, Statistical Intervals, section 5.2). NaN and infinity are refused.
func Summarize(values []float64) (Summary, error) {
	v, err := sorted(values)
	if err != nil {
		return Summary{}, err
	}
	s := Summary{Median: quantile(v, 0.5), Low: v[0], High: v[len(v)-1], Interval: Range, N: len(v)}
	if len(v) >= FewestForInterval {
		k := trim(len(v))
		s.Low, s.High, s.Interval = v[k], v[len(v)-1-k], Interval
	}
	return s, nil
}

// trim returns the largest k for which the order statistics k and n-1-k (from 0) still cover the median with 95 %: the
// sum of the binomial probabilities of up to k values on one side must be at most 2.5 %.
func trim(n int) int {
	k, sum := -1, 0.0
	logP := -float64(n) * math.Ln2 // the probability of no value on that side; its logarithm, as 2^-n underflows
	for i := 0; i < n; i++ {
		sum += math.Exp(logP)
		if sum > 0.025 {
			break
		}
		k = i
		logP += math.Log(float64(n-i)) - math.Log(float64(i+1))
	}
	return max(k, 0)
}

// Quantile returns the value below which the share q (0 to 1) of the values is, interpolated between two values
// (Hyndman and Fan's type 7).
func Quantile(values []float64, q float64) (float64, error) {
	v, err := sorted(values)
	if err != nil {
		return 0, err
	}
	if !(q >= 0 && q <= 1) {
		return 0, fmt.Errorf("quantile %v is not a share from 0 to 1", q)
	}
	return quantile(v, q), nil
}

// Median returns the median of the values.
func Median(values []float64) (float64, error) { return Quantile(values, 0.5) }

func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	f := at - float64(i)
	// Weighted from both sides, because the difference of two huge values of opposite sign overflows.
	v := sorted[i]*(1-f) + sorted[i+1]*f
	return min(max(v, sorted[i]), sorted[i+1]) // rounding must not leave the range between the two
}

func sorted(values []float64) ([]float64, error) {
	if len(values) == 0 {
		return nil, ErrEmpty
	}
	for i, x := range values {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf(
				"value %d of %d is %v: only finite numbers can be summarised; leave the reading out and say that it is unknown",
				i+1, len(values), x)
		}
	}
	v := slices.Clone(values)
	slices.Sort(v)
	return v, nil
}
