package stat

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/perf/benchmath"
)

func TestSummarize(t *testing.T) {
	for _, x := range []struct {
		name string
		in   []float64
		want Summary
	}{
		{"one", []float64{7}, Summary{7, 7, 7, Range, 1}},
		{"two", []float64{4, 2}, Summary{3, 2, 4, Range, 2}},
		{"three", []float64{9, 1, 2}, Summary{2, 1, 9, Range, 3}},
		{"five is a range", []float64{5, 4, 3, 2, 1}, Summary{3, 1, 5, Range, 5}},
		{"six is an interval", []float64{6, 5, 4, 3, 2, 1}, Summary{3.5, 1, 6, Interval, 6}},
		{"nine drops one on each side", []float64{9, 8, 7, 6, 5, 4, 3, 2, 1}, Summary{5, 2, 8, Interval, 9}},
		{"equal", []float64{3, 3, 3, 3, 3, 3, 3}, Summary{3, 3, 3, Interval, 7}},
		{"zeros", []float64{0, 0, 0}, Summary{0, 0, 0, Range, 3}},
		{"huge", []float64{-math.MaxFloat64, math.MaxFloat64}, Summary{0, -math.MaxFloat64, math.MaxFloat64, Range, 2}},
	} {
		before := slices.Clone(x.in)
		got, err := Summarize(x.in)
		if err != nil || got != x.want {
			t.Errorf("%s: %+v, %v; want %+v", x.name, got, err, x.want)
		}
		if !slices.Equal(before, x.in) {
			t.Errorf("%s: the values were reordered", x.name)
		}
	}
}

func TestRefused(t *testing.T) {
	if _, err := Summarize(nil); !errors.Is(err, ErrEmpty) {
		t.Errorf("nothing: %v", err)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if s, err := Summarize([]float64{1, bad, 2}); err == nil || s != (Summary{}) {
			t.Errorf("%v: %+v, %v", bad, s, err)
		}
		if _, err := Median([]float64{bad}); err == nil {
			t.Errorf("median of %v passes", bad)
		}
	}
	for _, q := range []float64{-0.1, 1.1, math.NaN()} {
		if _, err := Quantile([]float64{1}, q); err == nil {
			t.Errorf("quantile %v passes", q)
		}
	}
}

func TestQuantile(t *testing.T) {
	v := []float64{50, 10, 40, 20, 30}
	for q, want := range map[float64]float64{0: 10, 0.25: 20, 0.5: 30, 0.625: 35, 0.9: 46, 1: 50} {
		if got, err := Quantile(v, q); err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("quantile %v = %v, %v; want %v", q, got, err, want)
		}
	}
}

// TestProperties holds what is true of every set of values.
func TestProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		v := make([]float64, 1+r.IntN(60))
		for i := range v {
			v[i] = math.Trunc(r.NormFloat64() * math.Pow10(r.IntN(12)))
		}
		s, err := Summarize(v)
		if err != nil {
			t.Fatal(err)
		}
		lo, hi := slices.Min(v), slices.Max(v)
		if !(lo <= s.Low && s.Low <= s.Median && s.Median <= s.High && s.High <= hi) || s.N != len(v) {
			t.Fatalf("%v: out of order: %+v", v, s)
		}
		if (s.Interval == Interval) != (len(v) >= FewestForInterval) {
			t.Fatalf("%d values give %q", len(v), s.Interval)
		}
		if s.Interval == Range && (s.Low != lo || s.High != hi) {
			t.Fatalf("%v: the range is %v to %v", v, s.Low, s.High)
		}
		if !slices.Contains(v, s.Low) || !slices.Contains(v, s.High) {
			t.Fatalf("%v: the bounds are not among its values: %+v", v, s)
		}
		r.Shuffle(len(v), func(i, j int) { v[i], v[j] = v[j], v[i] })
		if again, _ := Summarize(v); again != s {
			t.Fatalf("the order of the values matters: %+v, %+v", s, again)
		}
		for i := range v {
			v[i] *= 2
		}
		if d, _ := Summarize(v); d.Median != 2*s.Median || d.Low != 2*s.Low || d.High != 2*s.High {
			t.Fatalf("twice the values give %+v of %+v", d, s)
		}
	}
}

// TestCoverage compares the bounds with the binomial distribution summed exactly: one more value dropped is too many.
func TestCoverage(t *testing.T) {
	for n := FewestForInterval; n <= 60; n++ {
		k := trim(n)
		if c := coverage(n, k); c < 0.95 {
			t.Errorf("%d values without %d on each side cover %.4f", n, k, c)
		}
		if c := coverage(n, k+1); c >= 0.95 {
			t.Errorf("%d values: %d on each side could be dropped too (%.4f)", n, k+1, c)
		}
	}
	for _, n := range []int{1000, 100000} { // the normal approximation, where 2^-n is below every float64
		want := float64(n)/2 - 1.959964*math.Sqrt(float64(n))/2
		if k := float64(trim(n)); math.Abs(k-want) > 2 {
			t.Errorf("%d values drop %v; the normal approximation drops %.1f", n, k, want)
		}
	}
}

// coverage is 1 - 2 * P(at most k of n values on one side of the median).
func coverage(n, k int) float64 {
	choose, sum := 1.0, 0.0
	for i := 0; i <= k; i++ {
		sum += choose
		choose = choose * float64(n-i) / float64(i+1)
	}
	return 1 - 2*sum/math.Pow(2, float64(n))
}

// TestAgainstBenchmath compares with what Go's own benchmark tools compute for the same values.
func TestAgainstBenchmath(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := FewestForInterval; n < 40; n++ {
		v := make([]float64, n)
		for i := range v {
			v[i] = r.ExpFloat64()
		}
		s, err := Summarize(v)
		if err != nil {
			t.Fatal(err)
		}
		thresholds := benchmath.DefaultThresholds
		b := benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(v), &thresholds), 0.95)
		if math.Abs(b.Center-s.Median) > 1e-12 || b.Lo > s.Low+1e-12 && b.Hi < s.High-1e-12 {
			t.Errorf("%d values: %v %v %v; benchmath %v %v %v", n, s.Median, s.Low, s.High, b.Center, b.Lo, b.Hi)
		}
	}
}

// TestTrueCoverage draws from a skewed distribution whose median is known.
func TestTrueCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{6, 9, 20} {
		const rounds = 20000
		hit := 0
		for range rounds {
			v := make([]float64, n)
			for i := range v {
				v[i] = r.ExpFloat64()
			}
			if s, _ := Summarize(v); s.Low <= math.Ln2 && math.Ln2 <= s.High {
				hit++
			}
		}
		if share := float64(hit) / rounds; share < 0.945 {
			t.Errorf("%d values: the interval held the median %.3f of the time", n, share)
		}
	}
}
