package svg

import (
	"fmt"
	"math"
	"testing"
)

func TestScale(t *testing.T) {
	a := Scale{Low: 0, High: 941e6, From: 0, To: 100}
	if got := fmt.Sprint(a.Ticks(5)); got != "[0 2e+08 4e+08 6e+08 8e+08]" {
		t.Errorf("ticks %s", got)
	}
	l := Scale{Low: 20e-6, High: 2e-3, From: 100, To: 0, Log: true}
	if got := len(l.Ticks(7)); got != 7 {
		t.Errorf("%d ticks: %v", got, l.Ticks(7))
	}
	for _, bad := range []Scale{{}, {Low: 1, High: 1}, {Log: true}, {Low: 1, High: 0, Log: true}} {
		if v := bad.At(5); math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("%+v gives %v", bad, v)
		}
		bad.Ticks(5)
	}
	for v, want := range map[float64]string{50e-6: "50 us", 1e-3: "1 ms", 2: "2 s", 500e-9: "500 ns"} {
		if got := ShortSeconds(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}
