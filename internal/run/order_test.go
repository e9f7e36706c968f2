package run

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"linerate/internal/record"
)

// sweep is streams x size x direction, as document 003 has them.
func sweep() []map[string]string {
	var out []map[string]string
	for _, streams := range []string{"1", "4", "8"} {
		for size := range 12 {
			for _, direction := range []string{"out", "in", "both"} {
				out = append(out, map[string]string{"streams": streams, "size": fmt.Sprint(size), "direction": direction, "path": "only one"})
			}
		}
	}
	return out
}

func TestOrder(t *testing.T) {
	axes := sweep()
	file := order(FileOrder, 7, axes)
	if !slices.IsSorted(file) || len(file) != len(axes) {
		t.Errorf("the file's order: %v", file)
	}
	for _, kind := range []string{RandomOrder, BalancedOrder} {
		a, b, c := order(kind, 7, axes), order(kind, 7, axes), order(kind, 8, axes)
		if !slices.Equal(a, b) || slices.Equal(a, c) || slices.Equal(a, file) {
			t.Errorf("%s: the seed must decide alone", kind)
		}
		slices.Sort(a)
		if !slices.Equal(a, file) {
			t.Errorf("%s: not every cell comes once: %v", kind, a)
		}
	}
	groups := valuesOf(axes)
	if len(groups) != 3+12+3 {
		t.Fatalf("%d values of axes", len(groups))
	}
	inFile, balanced := imbalance(groups, file), imbalance(groups, order(BalancedOrder, 7, axes))
	if random := imbalance(groups, order(RandomOrder, 7, axes)); balanced >= random || balanced > inFile/10 {
		t.Errorf("imbalance: file %.0f, random %.0f, balanced %.0f", inFile, random, balanced)
	}
	for _, n := range []int{0, 1, 2} {
		if got := order(BalancedOrder, 1, axes[:n]); len(got) != n {
			t.Errorf("%d cells: %v", n, got)
		}
	}
	if CheckOrder("") != nil || CheckOrder("balanced") != nil || CheckOrder("up") == nil {
		t.Error("names of orders")
	}
}

func cellOf(variant string, repeats ...float64) *Cell {
	c := &Cell{Exp: &record.Experiment{Name: "x", Method: "stream", From: "a", To: "b", Direction: "out", Variant: variant, Settings: map[string]string{"streams": "1"}}, Repeat: 3}
	for i, v := range repeats {
		c.Exp.Repeats = append(c.Exp.Repeats, record.Repeat{Index: i, Goodput: v})
	}
	return c
}

func TestSameTurn(t *testing.T) {
	a, b, other, not := cellOf(""), cellOf("ten"), cellOf("ten"), cellOf("ten")
	other.Exp.Settings["streams"] = "8"
	not.Exp.NotRun = "because"
	if n := SameTurn([]*Cell{a, b, other, not}); n != 1 || a.Turn == "" || a.Turn != b.Turn || other.Turn == a.Turn || not.Turn != "" {
		t.Errorf("%d turns: %q %q %q %q", n, a.Turn, b.Turn, other.Turn, not.Turn)
	}
	s1, s2 := &session{cfg: Config{Cells: []*Cell{a}}}, &session{cfg: Config{Cells: []*Cell{b, other, not}}}
	all := turns([]*session{s1, s2})
	if len(all) != 2 || len(all[0]) != 2 || len(all[1]) != 1 || all[0].shared() {
		t.Errorf("%v", all)
	}
	if !turns([]*session{{cfg: Config{Cells: []*Cell{a, b}}}})[0].shared() {
		t.Error("two cells of one session share their hosts")
	}
}

// The repeats of a turn alternate, also when one side of an interrupted run has more.
func TestBehindAlternates(t *testing.T) {
	a, b := cellOf("", 1, 1), cellOf("ten")
	both := turn{{&session{}, a}, {&session{}, b}}
	var order []string
	for {
		behind := both.behind()
		if len(behind) == 0 {
			break
		}
		for _, e := range behind {
			name := "A"
			if e.c == b {
				name = "B"
			}
			order = append(order, name)
			e.c.Exp.Repeats = append(e.c.Exp.Repeats, record.Repeat{Goodput: 1})
		}
	}
	if want := []string{"B", "B", "A", "B"}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
	c := cellOf("", 1)
	c.Exp.Failed = "its host is gone"
	d := cellOf("ten", 1)
	if behind := (turn{{nil, c}, {nil, d}}).behind(); len(behind) != 1 || behind[0].c != d {
		t.Errorf("one side failed: %v", behind)
	}
}

func TestUntil(t *testing.T) {
	c := cellOf("")
	c.Until = 0.02
	if c.missing() != 6 {
		t.Errorf("an interval needs six repeats, missing %d", c.missing())
	}
	wide := []float64{1, 1.1, 1.2, 0.9, 1.05, 1.15}
	c = cellOf("", wide...)
	c.Until = 0.02
	if c.missing() != 1 || c.settled() {
		t.Errorf("missing %d", c.missing())
	}
	c.AtMost = 6
	if c.missing() != 0 {
		t.Error("more than at most")
	}
	c.unsettled()
	if len(c.Exp.Warnings) != 1 {
		t.Error("a target that was missed is not said")
	}
	c = cellOf("", 1, 1.001, 1.002, 1, 0.999, 1)
	c.Until = 0.02
	if w, ok := c.halfWidth(); !ok || math.Abs(w-0.0015) > 1e-9 || c.missing() != 0 {
		t.Errorf("half width %v %v, missing %d", w, ok, c.missing())
	}
	c.unsettled()
	if len(c.Exp.Warnings) != 0 {
		t.Errorf("%q", c.Exp.Warnings)
	}
	c.Repeat = 9
	if c.missing() != 3 {
		t.Errorf("the file's repeats are the least: %d", c.missing())
	}
	c.AtMost = 4
	if c.missing() != 0 {
		t.Errorf("at most four: %d", c.missing())
	}
}

func TestSteadyWarns(t *testing.T) {
	r := record.Repeat{Slice: 0.1, SeriesOut: []float64{1, 1, 9, 9, 9.1, 9, 8.9, 9, 9, 9}, SeriesIn: []float64{9, 9, 9, 9, 9, 9, 9, 9, 9, 9}}
	steady(&r)
	if len(r.Warnings) != 1 || len(r.SeriesOut) != 10 {
		t.Errorf("%q", r.Warnings)
	}
}
