package experiment

import (
	"math"
	"testing"

	"linerate/internal/record"
)

// Repeats go on until the interval of the median is narrow enough, within the bounds of their number.
func TestUntil(t *testing.T) {
	c := repeated()
	c.Until = 0.02
	if c.Missing() != 6 {
		t.Errorf("an interval needs six repeats, missing %d", c.Missing())
	}
	wide := []float64{1, 1.1, 1.2, 0.9, 1.05, 1.15}
	c = repeated(wide...)
	c.Until = 0.02
	if c.Missing() != 1 || c.settled() {
		t.Errorf("missing %d", c.Missing())
	}
	c.AtMost = 6
	if c.Missing() != 0 {
		t.Error("more than at most")
	}
	c.NoteUnsettled()
	if len(c.Record.Warnings) != 1 {
		t.Error("a target that was missed is not said")
	}
	c = repeated(1, 1.001, 1.002, 1, 0.999, 1)
	c.Until = 0.02
	if w, ok := c.halfWidth(); !ok || math.Abs(w-0.0015) > 1e-9 || c.Missing() != 0 {
		t.Errorf("half width %v %v, missing %d", w, ok, c.Missing())
	}
	c.NoteUnsettled()
	if len(c.Record.Warnings) != 0 {
		t.Errorf("%q", c.Record.Warnings)
	}
	c.Repeats = 9
	if c.Missing() != 3 {
		t.Errorf("the file's repeats are the least: %d", c.Missing())
	}
	c.AtMost = 4
	if c.Missing() != 0 {
		t.Errorf("at most four: %d", c.Missing())
	}
}

// repeated is a combination with repeats of a goodput each.
func repeated(goodputs ...float64) *Combination {
	c := &Combination{Record: &record.Experiment{}, Repeats: 3, Measurement: notMeasured{}}
	for i, v := range goodputs {
		c.Record.Repeats = append(c.Record.Repeats, record.Repeat{Index: i, Goodput: v})
	}
	return c
}
