package block

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestSteady(t *testing.T) {
	for name, c := range map[string]struct {
		ops          []int64
		is           bool
		rng, slope   float64
		first, width int
		says         string
	}{
		"level":       {[]int64{100, 100, 100, 100, 100}, true, 0, 0, 0, 5, "rises by 0 %, within 10 %"},
		"at 20 %":     {[]int64{90, 110, 100, 110, 90}, true, 0.2, 0, 0, 5, "within 20 %"},
		"one dip":     {[]int64{100, 100, 70, 100, 100}, false, 30. / 94, 0, 0, 5, "above 20 %"},
		"falls":       {[]int64{108, 104, 100, 96, 92}, false, 0.16, -0.16, 0, 5, "falls by 16 %, above 10 %"},
		"burst first": {[]int64{900, 800, 100, 100, 100, 100, 100}, true, 0, 0, 2, 5, "within"},
		"longer": {[]int64{9, 9, 9, 9, 9, 9, 100, 101, 100, 101, 100, 101}, true, 1 / 100.5,
			3. / 35 / 2 * 10 / 2 * 2 / 100.5, 6, 6, "6 slices"},
		"nothing": {[]int64{0, 0, 0, 0, 0}, false, 0, 0, 0, 5, "nothing came"},
	} {
		s := steadyOf(c.ops, 0.5)
		if s == nil || s.Is != c.is || math.Abs(s.Range-c.rng) > 1e-9 || s.First != c.first || s.Slices != c.width ||
			!strings.Contains(s.Why, c.says) {
			t.Errorf("%s: %+v", name, s)
			continue
		}
		if math.Abs(s.Slope-c.slope) > 1e-9 {
			t.Errorf("%s: slope %v, want %v", name, s.Slope, c.slope)
		}
		if s.Interval != 0.5*float64(c.width) {
			t.Errorf("%s: an interval of %v s", name, s.Interval)
		}
	}
	if s := steadyOf([]int64{1, 1, 1, 1}, 1); s != nil {
		t.Errorf("four slices decide: %+v", s)
	}
	for interval, want := range map[time.Duration]time.Duration{time.Minute: time.Second, 10 * time.Second: time.Second,
		5 * time.Second: 500 * time.Millisecond} {
		if got := sliceFor(interval); got != want {
			t.Errorf("interval %v: slices of %v", interval, got)
		}
	}
}
