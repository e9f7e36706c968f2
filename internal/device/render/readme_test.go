package render

import (
	"slices"
	"testing"
)

// The README of a host has each cable of a bond.
func TestCablesOfABond(t *testing.T) {
	want := "node1.team: 10.40.3.1/24, MTU 1500, node1.ql.1 by cable C4 to sw.4, node1.ql.2 by cable C5 to sw.5"
	if got := addresses(planned(t, "../../../examples/eval-25g.yaml"), "node1"); !slices.Contains(got, want) {
		t.Errorf("%q", got)
	}
}
