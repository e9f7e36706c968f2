package unit

import "testing"

func TestScale(t *testing.T) {
	for scale, want := range map[float64]string{1: "1/1", 0.1: "1/10", 1. / 3: "1/3", 0.3: "0.3", 0.7: "0.7", 0.4: "0.4"} {
		if got := Scale(scale); got != want {
			t.Errorf("%v: %s, want %s", scale, got, want)
		}
	}
}
