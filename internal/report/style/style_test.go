package style

import (
	"math"
	"strconv"
	"testing"
)

// contrast is the ratio of WCAG 2.1 between two colours "#rrggbb".
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	l := func(c string) float64 {
		var v [3]float64
		for i := range v {
			n, err := strconv.ParseUint(c[1+2*i:3+2*i], 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			s := float64(n) / 255
			if s <= 0.04045 {
				v[i] = s / 12.92
			} else {
				v[i] = math.Pow((s+0.055)/1.055, 2.4)
			}
		}
		return 0.2126*v[0] + 0.7152*v[1] + 0.0722*v[2]
	}
	x, y := l(a), l(b)
	if x < y {
		x, y = y, x
	}
	return (x + 0.05) / (y + 0.05)
}

func TestContrast(t *testing.T) {
	for name, c := range map[string]theme{"light": light(), "dark": dark()} {
		for _, text := range []string{c.Ink, c.Soft, c.Accent, c.Fill, c.Met, c.Missed} {
			for _, ground := range []string{c.Page, c.Panel} {
				if r := contrast(t, text, ground); r < 4.5 {
					t.Errorf("%s: %s on %s is %.2f to 1", name, text, ground, r)
				}
			}
		}
		for _, ground := range []string{c.Page, c.Panel} {
			if r := contrast(t, c.Rule, ground); r < 3 {
				t.Errorf("%s: line %s on %s is %.2f to 1", name, c.Rule, ground, r)
			}
		}
	}
	if r := contrast(t, "#ffffff", "#000000"); math.Abs(r-21) > 0.01 {
		t.Errorf("black on white is %v to 1", r)
	}
}
