package network

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"linerate/internal/agent"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/runtest"
	"linerate/internal/traffic"
)

// An experiment among many hosts is one combination for each combination of values, with its flows, or the reason in
// NotRun.
func TestGroupCombinations(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string // "pattern from -> to direction: flows", or a part of the reason
	}{
		{`method: throughput, from: "n[1-2]", to: "n[3-4]"`, []string{"pairs n[1-2] -> n[3-4] out: n1>n3 n2>n4"}},
		{`method: throughput, from: "n[1-4]", traffic: pairs`, []string{"pairs n[1-2] -> n[3-4] out: n1>n3 n2>n4"}},
		{`method: throughput, from: n1, to: "n[2-4]"`, []string{"pairs n1 -> n[2-4] out: n1>n2 n1>n3 n1>n4"}},
		{`method: throughput, from: "n[1-4]", to: n4, traffic: incast`, []string{
			"incast n[1-3] -> n4 out: n1>n4 n2>n4 n3>n4"}},
		{`method: throughput, from: "n[1-3]", traffic: all-to-all, direction: [in, both]`, []string{
			"all-to-all n[1-3] -> n[1-3] out: n1>n2 n1>n3 n2>n1 n2>n3 n3>n1 n3>n2", "all-to-all n[1-3] -> n[1-3] both: " +
				"n1>n2 n1>n3 n2>n1 n2>n3 n3>n1 n3>n2"}},
		{`method: throughput, from: "n[1-2]", to: n3, traffic: [incast, all-to-all]`, []string{
			"incast n[1-2] -> n3 out: n1>n3 n2>n3", "all-to-all n[1-3] -> n[1-3] out: n1>n2 n1>n3 n2>n1 n2>n3 n3>n1 n3>n2"}},
		{`method: throughput, from: ["n[1-2]", "n[2-3]"], to: n4`,
			[]string{"pairs n[1-2] -> n4 out: n1>n4 n2>n4", "pairs n[2-3] -> n4 out: n2>n4 n3>n4"}},
		{`method: throughput, from: [n1, n2], to: n4`, []string{" n1 -> n4 out:", " n2 -> n4 out:"}},
		{`method: throughput, from: "n[1-2]", to: alone`, []string{"no link joins n1 and alone"}},
		{`method: throughput, from: "n[1-2]", to: twin`, []string{"there are several paths from n1 to twin"}},
		{`method: throughput, from: "n[1-2]", to: twin.c.2`, []string{"pairs n[1-2] -> twin out: n1>twin n2>twin"}},
		{`method: throughput, from: "n[1-2]", to: twin, via: [twin.c.1, twin.c.2]`, []string{"pairs n[1-2] -> twin out: " +
			"n1>twin n2>twin", "pairs n[1-2] -> twin out: n1>twin n2>twin"}},
		{`method: throughput, on: links, traffic: pairs, direction: both`, []string{"pairs n[1-4], twin -> n[2-4], twin, " +
			"n1 both: n1>n2 n2>n3 n3>n4 n4>twin twin>n1"}},
	} {
		combinations := runtest.Expand(runtest.StarPlan(t, c.text), experiment.Options{}, Throughput)
		if len(combinations) != len(c.want) {
			t.Errorf("%s: %d combinations; want %d", c.text, len(combinations), len(c.want))
			continue
		}
		seen := map[string]bool{}
		for i, combination := range combinations {
			x := combination.Record
			have := fmt.Sprintf("%s %s -> %s %s:", x.Pattern, x.From, x.To, x.Direction)
			for _, f := range x.Flows {
				have += fmt.Sprintf(" %s>%s", f.From, f.To)
			}
			if x.NotRun != "" {
				have = x.NotRun
			}
			if !strings.HasPrefix(have, c.want[i]) || x.NotRun == "" && have != c.want[i] {
				t.Errorf("%s: %q; want %q", c.text, have, c.want[i])
			}
			if x.NotRun == "" && len(combination.Paths()) > 0 &&
				(len(x.Ends) == 0 || len(x.Links) == 0 || combination.Busy() == 0) {
				t.Errorf("%s: ends %v, links %v, busy %v", c.text, x.Ends, x.Links, combination.Busy())
			}
			if seen[x.ID] {
				t.Errorf("%s: two combinations have the id %s", c.text, x.ID)
			}
			seen[x.ID] = true
		}
	}
}

// The load on a lab is the group's ceiling over each link of the path, not the sum of all links.
func TestGroupBusy(t *testing.T) {
	for text, want := range map[string]float64{`method: throughput, from: "n[1-3]", to: n4, traffic: incast`: 2 * 10e9,
		`method: throughput, from: "n[1-2]", to: "n[3-4]"`:        4 * 10e9,
		`method: throughput, from: "n[1-4]", traffic: all-to-all`: 8 * 10e9,
		`method: throughput, from: n1, to: n2, direction: both`:   4 * 10e9} {
		combinations := runtest.Expand(runtest.StarPlan(t, text), experiment.Options{}, Throughput)
		if have := float64(combinations[0].Busy()); have > want || have < 0.93*want {
			t.Errorf("%s: %v; want about %v", text, combinations[0].Busy(), want)
		}
	}
}

func TestJain(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want float64
	}{{[]float64{1, 1, 1, 1}, 1}, {[]float64{1, 0, 0, 0}, 0.25}, {[]float64{1, 2, 3}, 36.0 / 42}, {[]float64{0, 0}, 0}} {
		if have := jain(c.x); math.Abs(have-c.want) > 1e-12 {
			t.Errorf("%v: %v; want %v", c.x, have, c.want)
		}
	}
}

// The sum of a group is measured over the interval that all share.
func TestSharedInterval(t *testing.T) {
	o := func(start, end int64, goodput float64, first int64) *traffic.Outcome {
		return &traffic.Outcome{StartNS: start, EndNS: end, Goodput: goodput, FirstNS: first, Slice: 0.1,
			Series: []float64{goodput, goodput}}
	}
	r := record.Repeat{Flows: make([]record.FlowRepeat, 2)}
	err := inSharedInterval(&r, Spec{Interval: 1e9}, []receiver{
		{0, false, o(5e9, 6e9, 1e9, 4e9), 0},
		{1, false, o(15.1e9, 15.9e9, 2e9, 14.003e9), 10e9}, // its clock is 10 s ahead
	})
	if err != nil || math.Abs(r.Seconds-0.8) > 1e-9 || r.Goodput != 3e9 || math.Abs(r.Skew-0.003) > 1e-9 ||
		r.Flows[1].First != r.Skew ||
		r.SeriesOut[1] != 3e9 {
		t.Errorf("%+v, %v", r, err)
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "800ms") {
		t.Errorf("a shared interval of 80 %% is not reported: %q", r.Warnings)
	}
	err = inSharedInterval(&r, Spec{Interval: 1e9},
		[]receiver{{0, false, o(5e9, 6e9, 1, 1), 0}, {1, false, o(7e9, 8e9, 1, 1), 0}})
	if err == nil || !strings.Contains(err.Error(), "share no interval") {
		t.Errorf("intervals apart: %v", err)
	}
}

// Each cause is named once, with the flows that failed by it.
func TestFailuresOfAGroup(t *testing.T) {
	c := &group{flows: []plan.Path{{From: "n1", To: "n4"}, {From: "n2", To: "n4"}, {From: "n3", To: "n4"}}}
	gone := &agent.Error{Host: "n4", Asked: "measure throughput", Cause: errors.New("silent")}
	have := c.failures(Group{Failed: []error{gone, nil, gone}})
	if want := gone.Error() + " (n1 -> n4, n3 -> n4)"; have != want {
		t.Errorf("%q; want %q", have, want)
	}
}

// If one flow of a repeat fails, the figures of the other flows are kept.
func TestFlowsOfABrokenGroup(t *testing.T) {
	c := &experiment.Combination{Record: &record.Experiment{InEffect: map[string]string{},
		Flows: []record.Flow{{From: "n1", To: "n4"}, {From: "n2", To: "n4"}}}}
	c.Partial = &record.Repeat{Flows: []record.FlowRepeat{{Goodput: 5e9, Forward: 5e9}, {Failed: "n2: silent"}},
		Streams: []record.Stream{{Flow: 0}, {Flow: 0}}}
	if err := (&group{c: c}).summarizeFlows(); err != nil {
		t.Fatal(err)
	}
	kept, lost := c.Record.Flows[0], c.Record.Flows[1]
	if kept.Goodput == nil || kept.Goodput.Median != 5e9 || kept.Failed != "" || kept.Streams != 2 {
		t.Errorf("kept: %+v", kept)
	}
	if lost.Goodput != nil || lost.Failed != "n2: silent" || lost.Streams != 0 {
		t.Errorf("lost: %+v", lost)
	}
}
