package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Sides that differ by Resolution are found about 9 times in 10, and sides half as far apart with the number that
// Needed returns.
func TestResolution(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{10, 20, 40} {
		for _, compare := range []func(a, b []float64) (Comparison, error){Paired, Unpaired} {
			draw := func(n int, factor float64) Comparison {
				a, b := make([]float64, n), make([]float64, n)
				for i := range a {
					a[i], b[i] = math.Exp(r.NormFloat64()*0.03), factor*math.Exp(r.NormFloat64()*0.03)
				}
				c, err := compare(a, b)
				if err != nil {
					t.Fatal(err)
				}
				return c
			}
			found := func(n int, factor float64) float64 {
				k := 0
				for range 400 {
					if draw(n, factor).Different() {
						k++
					}
				}
				return float64(k) / 400
			}
			var all []float64
			for range 400 {
				all = append(all, draw(n, 1).Resolution())
			}
			typical, err := Median(all)
			if err != nil {
				t.Fatal(err)
			}
			if share := found(n, 1+typical); share < 0.84 || share > 0.97 {
				t.Errorf("%d values: a difference of %.1f %% is found %.0f times in 100", n, typical*100, share*100)
			}
			c := draw(n, 1)
			half := c.Resolution() / 2
			needed := c.Needed(half)
			if needed < 3*n || needed > 5*n {
				t.Errorf("%d values see %.3f, and half of it takes %d", n, c.Resolution(), needed)
			}
		}
	}
	for _, c := range []Comparison{{}, {Interval: Range, Low: 0.9, High: 1.1, N: [2]int{3, 3}}, {Interval: Interval}} {
		if c.Resolution() != 0 || c.Needed(0.05) != 0 {
			t.Errorf("%+v: %v %v", c, c.Resolution(), c.Needed(0.05))
		}
	}
	if n := (Comparison{Interval: Interval, Low: 0.99, High: 1.01, N: [2]int{10, 10}}).Needed(0.5); n != FewestPairs {
		t.Errorf("a difference that leaps to the eye: %d", n)
	}
}
