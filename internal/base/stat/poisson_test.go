package stat

import (
	"math"
	"testing"
)

// Against the tables of the chi-square distribution: half of its quantile with 2n + 2 degrees of freedom.
func TestPoissonUpper(t *testing.T) {
	for _, c := range []struct {
		n          int64
		confidence float64
		want       float64
	}{{0, 0.95, 2.9957}, {0, 0.99, 4.6052}, {1, 0.95, 4.7439}, {2, 0.95, 6.2958}, {5, 0.95, 10.5130},
		{10, 0.95, 16.9622}, {10, 0.99, 20.1447}, {100, 0.95, 118.0794}} {
		if got := PoissonUpper(c.n, c.confidence); math.Abs(got-c.want) > 5e-4 {
			t.Errorf("PoissonUpper(%d, %g) = %.4f, want %.4f", c.n, c.confidence, got, c.want)
		}
	}
	// Many events: about n + 1.645 sqrt(n).
	if got := PoissonUpper(1_000_000, 0.95); math.Abs(got-1_001_646) > 20 {
		t.Errorf("of a million: %f", got)
	}
	for _, bad := range []float64{PoissonUpper(-1, 0.95), PoissonUpper(0, 0), PoissonUpper(0, 1)} {
		if !math.IsNaN(bad) {
			t.Error(bad)
		}
	}
}
