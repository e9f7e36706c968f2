package stat

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// FewestPairs is the least number of alternating repeats per side with a paired 95 % interval: by chance all of n
// differences have one sign 2 times in 2^n.
const FewestPairs = 6

// FewestApart is the same for two sets without pairs: of the C(8,4) = 70 orders of four and four values, 2 separate the
// sets completely.
const FewestApart = 4

// mostCompared bounds the values of one side: all n^2 ratios are sorted.
const mostCompared = 1000

// Comparison is the ratio of two sets of repeats, B / A.
type Comparison struct {
	Ratio     float64 // 1.05: B is 5 % more than A
	Low, High float64 // of the ratio
	Interval  string  // Interval, or Range (the lowest and highest ratio) where there are too few repeats
	Paired    bool
	N         [2]int  // values of A and B that were compared
	P         float64 // probability of so different a ratio without a difference: signed rank if Paired, else Mann-Whitney
}

// Different reports whether the interval excludes 1. False means that no difference is shown, not that there is none.
func (c Comparison) Different() bool {
	return c.Interval == Interval && (c.Low > 1 || c.High < 1)
}

// Unpaired compares two sets of positive values that were not measured alternating. The ratio is the median of all B /
// A. Its interval is the exact one of the Mann-Whitney test (Hodges and Lehmann 1963; Hollander, Wolfe and Chicken,
// Nonparametric Statistical Methods, section 4.3): it excludes 1 exactly when that test finds a difference at 5 %.
//
// The interval is an exact rank interval, not a bootstrap, because repeats are few (4 to 25). The percentile bootstrap
// of the mean of pairs claims a difference between equal sides 17 times in 100 with six pairs and 9 with ten (simulated
// over normal values). Ranks claim it at most 5 times in 100 whatever the distribution and need no seed, and one
// disturbed repeat moves them by one rank. It uses logarithms, because disturbances of a rate are factors and A / B
// must be 1 / (B / A).
//
// Values drift with the machine's state, so two sets measured one after the other differ even if nothing changed: print
// this next to the result.
func Unpaired(a, b []float64) (Comparison, error) {
	if err := checkSets(a, b); err != nil {
		return Comparison{}, err
	}
	m, n := len(a), len(b)
	all := make([]float64, 0, m*n)
	above := 0.0
	for _, x := range a {
		for _, y := range b {
			all = append(all, math.Log(y)-math.Log(x))
			switch {
			case y > x:
				above++
			case y == x:
				above += 0.5
			}
		}
	}
	p := rankSum(m, n)
	return between(all, p, above, Comparison{N: [2]int{m, n}}), nil
}

// Paired compares sets measured alternating, A B A B: the k-th values of both are a pair. A disturbance that lasts
// longer than one repeat affects both values of a pair and cancels out of their ratio. The ratio is the median of the
// means of every two pairs' logarithms (Hodges and Lehmann). Its interval is the exact one of Wilcoxon's signed rank
// test (Hollander, Wolfe and Chicken, section 3.3). That test assumes only that the differences are symmetric about 0
// when nothing differs, which holds because the two values of a pair could then be swapped. With fewer than FewestPairs
// pairs the sets are compared as by Unpaired, which has an interval from FewestApart on.
func Paired(a, b []float64) (Comparison, error) {
	if len(a) != len(b) {
		return Comparison{}, fmt.Errorf("%d values next to %d are not pairs", len(a), len(b))
	}
	if err := checkSets(a, b); err != nil {
		return Comparison{}, err
	}
	n := len(a)
	if n < FewestPairs {
		return Unpaired(a, b)
	}
	d := make([]float64, n)
	for i := range a {
		d[i] = math.Log(b[i]) - math.Log(a[i])
	}
	walsh := make([]float64, 0, n*(n+1)/2)
	positive := 0.0 // the statistic is how many Walsh averages are above 0
	for i := range d {
		for j := i; j < n; j++ {
			w := (d[i] + d[j]) / 2
			walsh = append(walsh, w)
			switch {
			case w > 0:
				positive++
			case w == 0:
				positive += 0.5
			}
		}
	}
	return between(walsh, signedRank(n), positive, Comparison{N: [2]int{n, n}, Paired: true}), nil
}

// between computes the ratio and its interval from the order statistics of log ratios.
func between(logs, p []float64, statistic float64, c Comparison) Comparison {
	slices.Sort(logs)
	c.Ratio = math.Exp(quantile(logs, 0.5))
	c.P = twoSided(p, statistic)
	low, high := logs[0], logs[len(logs)-1]
	c.Interval = Range
	if k := cut(p); k >= 0 {
		low, high, c.Interval = logs[k], logs[len(logs)-1-k], Interval
	}
	c.Low, c.High = math.Exp(low), math.Exp(high)
	return c
}

func checkSets(a, b []float64) error {
	if len(a) == 0 || len(b) == 0 {
		return ErrEmpty
	}
	if len(a) > mostCompared || len(b) > mostCompared {
		return fmt.Errorf("%d and %d values: at most %d a side can be compared", len(a), len(b), mostCompared)
	}
	for _, set := range [][]float64{a, b} {
		for _, x := range set {
			if !(x > 0) || math.IsInf(x, 1) {
				return errors.New("a ratio needs values above 0; leave a repeat that measured nothing out and say so")
			}
		}
	}
	return nil
}
