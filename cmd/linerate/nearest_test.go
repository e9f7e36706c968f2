package main

import (
	"slices"
	"testing"

	"linerate/internal/record"
)

// How near a figure is to its limits is said of what was read, and of nothing else.
func TestNearest(t *testing.T) {
	x := &record.Experiment{Direction: "out"}
	if got := nearest(x); len(got) != 0 {
		t.Errorf("of nothing: %q", got)
	}
	x.Goodput, x.Ceiling = &record.Estimate{Median: 9.0e9}, &record.Chain{Component: "link a--b", Limit: 10e9}
	x.CPU = []record.CPU{{Host: "a", Core: 0, System: 0.25}, {Host: "b", Core: 3, User: 0.5, System: 0.25}, {Host: "a", Core: 1, User: 0.125}, {Host: "a", Core: -1, User: 13, System: 0.63}}
	if got, want := nearest(x), []string{"90.0 % of link a--b", "busiest core a 25.0 %, b 75.0 %"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	x.Direction = "both" // both ways together, and the ceiling is that of one
	if got := nearest(x); len(got) != 1 {
		t.Errorf("both ways: %q", got)
	}
}
