package run

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"linerate/internal/agent"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

const star = `
fabric: star
addressing: {pool: 10.0.0.0/16, prefix: 24}
hosts:
  "n[1-4]":
    nics: {c: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}
  alone:
    nics: {c: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}
  twin:
    nics: {c: {part: {kind: nic, speed: 10G, ports: 2, cage: sfp+}}}
switches: {sw: {part: {kind: switch, speed: 10G, ports: 8, cage: sfp+}}}
links:
  - {ends: ["n[1-4].c", "sw.[1-4]"], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 1m}}}
  - {ends: ["twin.c.[1-2]", "sw.[5-6]"], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 1m}}}
experiments:
  x: {%s}
`

var loadParts = sync.OnceValues(catalog.Load)

// partsOnce is the catalogue of parts, which is read once.
func partsOnce(t *testing.T) *catalog.Catalog {
	t.Helper()
	catalog, err := loadParts()
	if err != nil {
		t.Fatal(err)
	}
	return catalog
}

func planOf(t *testing.T, experiment string) *plan.Plan {
	t.Helper()
	catalog := partsOnce(t)
	f, problems := fabric.Parse("star.yaml", []byte(fmt.Sprintf(star, experiment)), fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return plan.Build(f)
}

// What an experiment among many hosts becomes: one cell a combination of values, its flows, or why it is not run.
func TestGroupCells(t *testing.T) {
	for _, c := range []struct {
		experiment string
		want       []string // "pattern from -> to direction: flows", or a part of the reason
	}{
		{`method: stream, from: "n[1-2]", to: "n[3-4]"`, []string{"pairs n[1-2] -> n[3-4] out: n1>n3 n2>n4"}},
		{`method: stream, from: "n[1-4]", pattern: pairs`, []string{"pairs n[1-2] -> n[3-4] out: n1>n3 n2>n4"}},
		{`method: stream, from: n1, to: "n[2-4]"`, []string{"pairs n1 -> n[2-4] out: n1>n2 n1>n3 n1>n4"}},
		{`method: stream, from: "n[1-4]", to: n4, pattern: incast`, []string{"incast n[1-3] -> n4 out: n1>n4 n2>n4 n3>n4"}},
		{`method: stream, from: "n[1-3]", pattern: all-to-all, direction: [in, both]`, []string{
			"all-to-all n[1-3] -> n[1-3] in: n1>n2 n1>n3 n2>n1 n2>n3 n3>n1 n3>n2", "all-to-all n[1-3] -> n[1-3] both: n1>n2 n1>n3 n2>n1 n2>n3 n3>n1 n3>n2"}},
		{`method: stream, from: "n[1-2]", to: n3, pattern: [incast, all-to-all]`, []string{
			"incast n[1-2] -> n3 out: n1>n3 n2>n3", "all-to-all n[1-3] -> n[1-3] out: n1>n2 n1>n3 n2>n1 n2>n3 n3>n1 n3>n2"}},
		{`method: stream, from: ["n[1-2]", "n[2-3]"], to: n4`, []string{"pairs n[1-2] -> n4 out: n1>n4 n2>n4", "pairs n[2-3] -> n4 out: n2>n4 n3>n4"}},
		{`method: stream, from: [n1, n2], to: n4`, []string{" n1 -> n4 out:", " n2 -> n4 out:"}},
		{`method: stream, from: "n[1-2]", to: alone`, []string{"no link joins n1 and alone"}},
		{`method: stream, from: "n[1-2]", to: twin`, []string{"there are several paths from n1 to twin"}},
		{`method: stream, from: "n[1-2]", to: twin.c.2`, []string{"pairs n[1-2] -> twin out: n1>twin n2>twin"}},
		{`method: stream, from: "n[1-2]", to: twin, via: [twin.c.1, twin.c.2]`, []string{"pairs n[1-2] -> twin out: n1>twin n2>twin", "pairs n[1-2] -> twin out: n1>twin n2>twin"}},
		{`method: stream, on: links, pattern: pairs, direction: both`, []string{"pairs n[1-4], twin -> n[2-4], twin, n1 both: n1>n2 n2>n3 n3>n4 n4>twin twin>n1"}},
		{`method: ping, from: "n[1-2]", to: n3`, []string{"ping among several hosts at once is not part of this version"}},
	} {
		cells, err := Cells(planOf(t, c.experiment), Options{})
		if err != nil || len(cells) != len(c.want) {
			t.Errorf("%s: %d cells, %v; want %d", c.experiment, len(cells), err, len(c.want))
			continue
		}
		seen := map[string]bool{}
		for i, cell := range cells {
			x := cell.Exp
			have := fmt.Sprintf("%s %s -> %s %s:", x.Pattern, x.From, x.To, x.Direction)
			for _, f := range x.Flows {
				have += fmt.Sprintf(" %s>%s", f.From, f.To)
			}
			if x.NotRun != "" {
				have = x.NotRun
			}
			if !strings.HasPrefix(have, c.want[i]) || x.NotRun == "" && have != c.want[i] {
				t.Errorf("%s: %q; want %q", c.experiment, have, c.want[i])
			}
			if x.NotRun == "" && len(cell.Flows) > 0 && (len(x.Ends) == 0 || len(x.Links) == 0 || cell.Busy() == 0) {
				t.Errorf("%s: ends %v, links %v, busy %v", c.experiment, x.Ends, x.Links, cell.Busy())
			}
			if seen[x.ID] {
				t.Errorf("%s: two cells have the id %s", c.experiment, x.ID)
			}
			seen[x.ID] = true
		}
	}
}

// What a lab has to carry: the group's ceiling over each link on the way, not the sum of all links.
func TestGroupBusy(t *testing.T) {
	for experiment, want := range map[string]float64{
		`method: stream, from: "n[1-3]", to: n4, pattern: incast`: 2 * 10e9,
		`method: stream, from: "n[1-2]", to: "n[3-4]"`:            4 * 10e9,
		`method: stream, from: "n[1-4]", pattern: all-to-all`:     8 * 10e9,
		`method: stream, from: n1, to: n2, direction: both`:       4 * 10e9,
	} {
		cells, err := Cells(planOf(t, experiment), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if have := float64(cells[0].Busy()); have > want || have < 0.93*want {
			t.Errorf("%s: %v; want about %v", experiment, cells[0].Busy(), want)
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

// The sum of a group is cut at the window that all share.
func TestSharedWindow(t *testing.T) {
	o := func(start, end int64, goodput float64, first int64) *traffic.Outcome {
		return &traffic.Outcome{StartNS: start, EndNS: end, Goodput: goodput, FirstNS: first, Slice: 0.1, Series: []float64{goodput, goodput}}
	}
	r := record.Repeat{Flows: make([]record.FlowRepeat, 2)}
	err := inSharedWindow(&r, Spec{Window: 1e9}, []receiving{
		{0, false, o(5e9, 6e9, 1e9, 4e9), 0},
		{1, false, o(15.1e9, 15.9e9, 2e9, 14.003e9), 10e9}, // its clock is 10 s ahead
	})
	if err != nil || math.Abs(r.Seconds-0.8) > 1e-9 || r.Goodput != 3e9 || math.Abs(r.Skew-0.003) > 1e-9 || r.Flows[1].First != r.Skew || r.SeriesOut[1] != 3e9 {
		t.Errorf("%+v, %v", r, err)
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "800ms") {
		t.Errorf("a shared window of 80 %% is not told: %q", r.Warnings)
	}
	err = inSharedWindow(&r, Spec{Window: 1e9}, []receiving{{0, false, o(5e9, 6e9, 1, 1), 0}, {1, false, o(7e9, 8e9, 1, 1), 0}})
	if err == nil || !strings.Contains(err.Error(), "share no window") {
		t.Errorf("windows apart: %v", err)
	}
}

// Each cause is named once, with the flows that it took.
func TestFailuresOfAGroup(t *testing.T) {
	c := &Cell{Flows: []plan.Path{{From: "n1", To: "n4"}, {From: "n2", To: "n4"}, {From: "n3", To: "n4"}}}
	gone := &agent.Error{Host: "n4", Asked: "measure stream", Cause: errors.New("silent")}
	have := c.failures(Group{Failed: []error{gone, nil, gone}})
	if want := gone.Error() + " (n1 -> n4, n3 -> n4)"; have != want {
		t.Errorf("%q; want %q", have, want)
	}
}

// If one flow of a repeat fails, the figures of the other flows are kept.
func TestFlowsOfABrokenGroup(t *testing.T) {
	c := &Cell{Exp: &record.Experiment{
		InEffect: map[string]string{},
		Flows:    []record.Flow{{From: "n1", To: "n4"}, {From: "n2", To: "n4"}},
	}}
	c.partial = &record.Repeat{
		Flows:   []record.FlowRepeat{{Goodput: 5e9, Forward: 5e9}, {Failed: "n2: silent"}},
		Streams: []record.Stream{{Flow: 0}, {Flow: 0}},
	}
	if err := c.summarizeFlows(); err != nil {
		t.Fatal(err)
	}
	kept, lost := c.Exp.Flows[0], c.Exp.Flows[1]
	if kept.Goodput == nil || kept.Goodput.Median != 5e9 || kept.Failed != "" || kept.Streams != 2 {
		t.Errorf("kept: %+v", kept)
	}
	if lost.Goodput != nil || lost.Failed != "n2: silent" || lost.Streams != 0 {
		t.Errorf("lost: %+v", lost)
	}
}
