package report

import (
	"fmt"
	"math"
	"testing"
)

func TestAxis(t *testing.T) {
	a := axis{low: 0, high: 941e6, from: 0, to: 100}
	if got := fmt.Sprint(a.ticks(5)); got != "[0 2e+08 4e+08 6e+08 8e+08]" {
		t.Errorf("ticks %s", got)
	}
	l := axis{low: 20e-6, high: 2e-3, from: 100, to: 0, log: true}
	if got := len(l.ticks(7)); got != 7 {
		t.Errorf("%d ticks: %v", got, l.ticks(7))
	}
	for _, bad := range []axis{{}, {low: 1, high: 1}, {log: true}, {low: 1, high: 0, log: true}} {
		if v := bad.at(5); math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("%+v gives %v", bad, v)
		}
		bad.ticks(5)
	}
	for v, want := range map[float64]string{50e-6: "50 us", 1e-3: "1 ms", 2: "2 s", 500e-9: "500 ns"} {
		if got := shortSeconds(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}
