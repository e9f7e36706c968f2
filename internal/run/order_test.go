package run

import (
	"fmt"
	"slices"
	"testing"

	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/runtest"
)

// sweep is streams x size x direction, as document 003 has them.
func sweep() []map[string]string {
	var out []map[string]string
	for _, streams := range []string{"1", "4", "8"} {
		for size := range 12 {
			for _, direction := range []string{"out", "in", "both"} {
				out = append(out,
					map[string]string{"streams": streams, "size": fmt.Sprint(size), "direction": direction, "path": "only one"})
			}
		}
	}
	return out
}

func TestOrder(t *testing.T) {
	parameters := sweep()
	file := order(FileOrder, 7, parameters)
	if !slices.IsSorted(file) || len(file) != len(parameters) {
		t.Errorf("the file's order: %v", file)
	}
	for _, kind := range []string{RandomOrder, BalancedOrder} {
		a, b, c := order(kind, 7, parameters), order(kind, 7, parameters), order(kind, 8, parameters)
		if !slices.Equal(a, b) || slices.Equal(a, c) || slices.Equal(a, file) {
			t.Errorf("%s: the seed must decide alone", kind)
		}
		slices.Sort(a)
		if !slices.Equal(a, file) {
			t.Errorf("%s: not every combination comes once: %v", kind, a)
		}
	}
	groups := valuesOf(parameters)
	if len(groups) != 3+12+3 {
		t.Fatalf("%d values of parameters", len(groups))
	}
	inFile, balanced := imbalance(groups, file), imbalance(groups, order(BalancedOrder, 7, parameters))
	if random := imbalance(groups, order(RandomOrder, 7, parameters)); balanced >= random || balanced > inFile/10 {
		t.Errorf("imbalance: file %.0f, random %.0f, balanced %.0f", inFile, random, balanced)
	}
	for _, n := range []int{0, 1, 2} {
		if got := order(BalancedOrder, 1, parameters[:n]); len(got) != n {
			t.Errorf("%d combinations: %v", n, got)
		}
	}
	if CheckOrder("") != nil || CheckOrder("balanced") != nil || CheckOrder("up") == nil {
		t.Error("names of orders")
	}
}

func combinationOf(variant string, repeats ...float64) *experiment.Combination {
	c := &experiment.Combination{
		Record: &record.Experiment{Name: "x", Method: "throughput", From: "a", To: "b", Direction: "out",
			Variant: variant, Settings: map[string]string{"streams": "1"}},
		Repeats: 3,
	}
	c.Measurement = &runtest.Fake{Of: c}
	for i, v := range repeats {
		c.Record.Repeats = append(c.Record.Repeats, record.Repeat{Index: i, Goodput: v})
	}
	return c
}

func TestSameTurn(t *testing.T) {
	a, b, other, not := combinationOf(""), combinationOf("ten"), combinationOf("ten"), combinationOf("ten")
	other.Record.Settings["streams"] = "8"
	not.Record.NotRun = "because"
	n := SameTurn([]*experiment.Combination{a, b, other, not})
	if n != 1 || a.Turn == "" || a.Turn != b.Turn || other.Turn == a.Turn ||
		not.Turn != "" {
		t.Errorf("%d turns: %q %q %q %q", n, a.Turn, b.Turn, other.Turn, not.Turn)
	}
	s1, s2 := &session{cfg: Config{Combinations: []*experiment.Combination{a}}}, &session{
		cfg: Config{Combinations: []*experiment.Combination{b, other, not}},
	}
	all := turns([]*session{s1, s2})
	if len(all) != 2 || len(all[0]) != 2 || len(all[1]) != 1 || all[0].shared() {
		t.Errorf("%v", all)
	}
	if !turns([]*session{{cfg: Config{Combinations: []*experiment.Combination{a, b}}}})[0].shared() {
		t.Error("two combinations of one session share their hosts")
	}
}

// The repeats of a turn alternate, also when one side of an interrupted run has more.
func TestBehindAlternates(t *testing.T) {
	a, b := combinationOf("", 1, 1), combinationOf("ten")
	both := turn{{&session{}, a}, {&session{}, b}}
	var order []string
	for {
		behind := both.behind()
		if len(behind) == 0 {
			break
		}
		for _, e := range behind {
			name := "A"
			if e.combination == b {
				name = "B"
			}
			order = append(order, name)
			e.combination.Record.Repeats = append(e.combination.Record.Repeats, record.Repeat{Goodput: 1})
		}
	}
	if want := []string{"B", "B", "A", "B"}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
	c := combinationOf("", 1)
	c.Record.Failed = "its host is gone"
	d := combinationOf("ten", 1)
	if behind := (turn{{nil, c}, {nil, d}}).behind(); len(behind) != 1 || behind[0].combination != d {
		t.Errorf("one side failed: %v", behind)
	}
}
