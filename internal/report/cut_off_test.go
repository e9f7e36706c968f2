package report

import (
	"strings"
	"testing"
)

// A run that was cut off has repeats that nobody summed up: they are drawn, and the median is not known.
func TestRepeatsWithoutASum(t *testing.T) {
	r := meshRun()
	drawn := 0
	for _, e := range r.Experiments {
		if e.Goodput != nil && len(e.Repeats) > 0 {
			e.Goodput = nil
			drawn++
		}
	}
	if drawn == 0 {
		t.Fatal("the fixture has no repeats")
	}
	var b strings.Builder
	if err := HTML(&b, r); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "median "+notKnown) {
		t.Error("the page does not say that the median is not known")
	}
}
