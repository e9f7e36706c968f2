package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(a, b, eps float64) bool { return math.Abs(a-b) <= eps*math.Max(1, math.Abs(b)) }

// Critical values from the tables in Hollander, Wolfe and Chicken (A.4, A.6) and the R functions psignrank and pwilcox.
func TestNullDistributions(t *testing.T) {
	sum := func(p []float64, to int) (s float64) {
		for _, x := range p[:to+1] {
			s += x
		}
		return s
	}
	for _, c := range []struct {
		p    []float64
		to   int
		want float64
	}{
		{signedRank(6), 0, 1. / 64},
		{signedRank(10), 8, 0.02441406}, // psignrank(8, 10)
		{signedRank(20), 52, 0.02420711},
		{rankSum(4, 4), 0, 1. / 70},
		{rankSum(5, 5), 2, 4. / 252}, // orders with U = 0, 1, 2: 1 + 1 + 2
		{rankSum(10, 10), 23, 0.02162553},
		{rankSum(3, 7), 1, 2. / 120},
	} {
		if got := sum(c.p, c.to); !near(got, c.want, 2e-5) {
			t.Errorf("sum to %d of %d: %.8f, want %.8f", c.to, len(c.p), got, c.want)
		}
		if whole := sum(c.p, len(c.p)-1); !near(whole, 1, 1e-9) {
			t.Errorf("a distribution of %d adds up to %v", len(c.p), whole)
		}
	}
	for n, k := range map[int]int{5: -1, 6: 0, 8: 3, 10: 8, 20: 52, 25: 89} { // one less than c + 1 of the table
		if got := cut(signedRank(n)); got != k {
			t.Errorf("signed rank of %d: cut %d, want %d", n, got, k)
		}
	}
	for n, k := range map[int]int{3: -1, 4: 0, 5: 2, 6: 5, 8: 13, 10: 23, 20: 127} {
		if got := cut(rankSum(n, n)); got != k {
			t.Errorf("rank sum of %d and %d: cut %d, want %d", n, n, got, k)
		}
	}
	// Where counting ends, the approximation continues without a step.
	if a, b := cut(signedRank(exactPairs)), cut(
		bell(exactPairs*(exactPairs+1)/2+1, 100*101*201./24)); a != b && a != b+1 && a != b-1 {
		t.Errorf("100 pairs: counted %d, approximated %d", a, b)
	}
	if a, b := cut(rankSum(40, 40)), cut(bell(1601, 40*40*81./12)); a-b > 1 || b-a > 1 {
		t.Errorf("40 and 40: counted %d, approximated %d", a, b)
	}
}

// Darwin's maize (Fisher, The Design of Experiments, 1935, table 3): heights of cross- and self-fertilised plants in
// pairs, in eighths of an inch. The signed rank test on differences gives p = 0.0413 in R; ratios of heights are close
// to that.
func TestPairedPublished(t *testing.T) {
	cross := []float64{188, 96, 168, 176, 153, 172, 177, 163, 146, 173, 186, 168, 177, 184, 96}
	self := []float64{139, 163, 160, 160, 147, 149, 149, 122, 132, 144, 130, 144, 102, 124, 144}
	c, err := Paired(self, cross)
	if err != nil {
		t.Fatal(err)
	}
	if !c.Paired || c.Interval != Interval || c.Ratio < 1.1 || c.Ratio > 1.25 || c.P > 0.1 || c.P < 0.02 {
		t.Errorf("%+v", c)
	}
}

func TestFewValues(t *testing.T) {
	three, other := []float64{1, 1.01, 1.02}, []float64{2, 2.1, 2.2}
	c, err := Paired(three, other)
	if err != nil || c.Interval != Range || c.Different() || c.Paired {
		t.Errorf("three pairs carry no interval: %+v %v", c, err)
	}
	c, err = Unpaired([]float64{1, 1.01, 1.02, 1.03}, []float64{2, 2.1, 2.2, 2.3})
	if err != nil || c.Interval != Interval || !c.Different() {
		t.Errorf("four and four apart: %+v %v", c, err)
	}
	for _, bad := range [][2][]float64{{nil, {1}}, {{1}, {0}}, {{-1}, {1}}, {{math.NaN()}, {1}}, {{1}, {math.Inf(1)}}} {
		if _, err := Unpaired(bad[0], bad[1]); err == nil {
			t.Errorf("%v was compared", bad)
		}
	}
	if _, err := Paired([]float64{1, 2}, []float64{1}); err == nil {
		t.Error("two values and one were paired")
	}
}

// Swapping the sides inverts the ratio, a factor on one side scales it, and the interval excludes 1 exactly when the
// test finds a difference.
func TestComparisonProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		n := 4 + r.IntN(17)
		a, b, b2 := make([]float64, n), make([]float64, n), make([]float64, n)
		shift := math.Exp(r.NormFloat64() * 0.05)
		for i := range a {
			a[i], b[i] = math.Exp(r.NormFloat64()*0.1), shift*math.Exp(r.NormFloat64()*0.1)
			b2[i] = b[i] * 3
		}
		for _, f := range []func(a, b []float64) (Comparison, error){Paired, Unpaired} {
			c, err := f(a, b)
			if err != nil {
				t.Fatal(err)
			}
			back, _ := f(b, a)
			if !near(c.Ratio*back.Ratio, 1, 1e-9) || !near(c.Low*back.High, 1, 1e-9) || !near(c.P, back.P, 1e-9) {
				t.Fatalf("swapped: %+v %+v", c, back)
			}
			thrice, _ := f(a, b2)
			if !near(thrice.Ratio, 3*c.Ratio, 1e-9) || !near(thrice.Low, 3*c.Low, 1e-9) {
				t.Fatalf("times three: %+v %+v", c, thrice)
			}
			if c.Low > c.Ratio || c.Ratio > c.High {
				t.Fatalf("the ratio is outside its interval: %+v", c)
			}
			if c.Different() != (c.P <= 0.05) {
				t.Fatalf("interval and test disagree: %+v", c)
			}
		}
	}
}

func FuzzCompare(f *testing.F) {
	f.Add(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
	f.Add(1e-300, 1e300, 1.0, 1.0, 1.0, 1.0)
	f.Fuzz(func(t *testing.T, a, b, c, d, e, g float64) {
		x, y := []float64{a, b, c, a, b, c, a}, []float64{d, e, g, g, e, d, e}
		for _, compare := range []func(a, b []float64) (Comparison, error){Paired, Unpaired} {
			r, err := compare(x, y)
			if err != nil {
				continue
			}
			if math.IsNaN(r.Ratio) || math.IsNaN(r.Low) || math.IsNaN(r.High) || r.Low > r.High || r.P < 0 || r.P > 1 {
				t.Errorf("%v %v: %+v", x, y, r)
			}
		}
	})
}
