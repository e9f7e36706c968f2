package chart

import (
	"math"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// slowPath is 3.1 Gb/s over a link of 10 Gb/s, whose NIC is in a slot that allows 6.4 Gb/s, or more.
func slowPath(slot float64) *record.Experiment {
	rate := func(name string, v float64) []record.Input {
		return []record.Input{{Name: name, Value: v}, {Name: "mtu", Value: 1500}}
	}
	return &record.Experiment{From: "a", To: "b", Direction: "out", Goodput: &record.Estimate{Median: 3.1e9},
		Verdict: &record.Verdict{Limiter: "receive-window-cap", Component: "b"},
		Ceiling: &record.Chain{From: "a", To: "b", Direction: "out", Transport: "tcp", Limit: unit.BitRate(min(slot, 9.41e9)),
			Hops: []record.Hop{
				{Component: "memory of a", Kind: "memory", Rate: unit.Unknown[unit.BitRate]("not measured")},
				{Component: "slot of a.x", Kind: "pcie", Rate: unit.Known(unit.BitRate(slot))},
				{Component: "link x", Kind: "cable", Rate: unit.Known[unit.BitRate](9.41e9),
					Inputs: rate("planned rate of the link", 10e9)},
				{Component: "port b.x", Kind: "port", Rate: unit.Known[unit.BitRate](23.5e9),
					Inputs: rate("speed of eth0", 25e9)},
				{Component: "slot of b.x", Kind: "pcie", Rate: unit.Unknown[unit.BitRate]("no permission")},
			}}}
}

// addsUp fails unless what the steps lose and what was measured is the rate that the first row begins with.
func addsUp(t *testing.T, v *Waterfall, measured float64) {
	t.Helper()
	sum := measured
	for i, r := range v.Rows {
		sum += r.lost
		if i > 0 && math.Abs(v.Rows[i-1].left-r.lost-r.left) > 1 {
			t.Errorf("%s: %v less %v is not %v", r.Step, v.Rows[i-1].left, r.lost, r.left)
		}
	}
	if math.Abs(sum-v.Rows[0].left) > 1 || v.Rows[len(v.Rows)-1].left != measured {
		t.Errorf("the steps end at %v and sum up to %v, from %v", v.Rows[len(v.Rows)-1].left, sum, v.Rows[0].left)
	}
}

// inWords is the rows of a waterfall as text.
func inWords(v *Waterfall) string {
	var b strings.Builder
	for _, r := range v.Rows {
		b.WriteString(r.Step + ": " + r.Rate + " (" + r.Lost + ") " + r.To + unit.If(r.Limiting, " *", "") + "\n")
	}
	return b.String()
}

func TestWaterfall(t *testing.T) {
	v := WaterfallOf(slowPath(6.4e9), "b: receive window", true)
	addsUp(t, v, 3.1e9)
	if got, want := inWords(v), "line rate: 10.0 Gb/s () link x\n"+
		"after headers: 9.41 Gb/s (590 Mb/s, 5.9 %) packet headers (TCP, MTU 1500)\n"+
		"after the slot: 6.40 Gb/s (3.01 Gb/s, 30 %) slot of a.x (PCIe)\n"+
		"measured: 3.10 Gb/s (3.30 Gb/s, 33 %) b: receive window *\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if v.Note != "No step for memory of a and slot of b.x: their ceilings are not known." {
		t.Error(v.Note)
	}
	// The rows are as long as what they leave and what was lost in them.
	if bar := string(v.Rows[2].Bar); !strings.Contains(bar, `x="0" y="22%" width="64%"`) ||
		!strings.Contains(bar, `x="64%" y="22%" width="30.1%"`) {
		t.Error(bar)
	}
	for name, c := range map[string]struct {
		change func(e *record.Experiment)
		found  bool
		want   string
	}{
		"a slot that allows more takes nothing": {func(e *record.Experiment) { e.Ceiling = slowPath(50e9).Ceiling }, true,
			"after the slot: 9.41 Gb/s (nothing) slot of a.x (PCIe), which allows 50.0 Gb/s\n"},
		"the slot is the bottleneck": {func(e *record.Experiment) { e.Verdict.Component = "slot of a.x" }, true,
			"slot of a.x (PCIe) *\n"},
		"no cause, no accent": {func(*record.Experiment) {}, false, "33 %) by\n"},
		"a shaper": {func(e *record.Experiment) {
			e.Ceiling.Hops = append(e.Ceiling.Hops,
				record.Hop{Component: "tbf on a", Kind: "shaper", Rate: unit.Known[unit.BitRate](4e9)})
		}, true, "after the shaper: 4.00 Gb/s (2.40 Gb/s, 24 %) tbf on a\n"},
		"above a step": {func(e *record.Experiment) { e.Goodput.Median = 6.5e9 }, true,
			"measured: 6.50 Gb/s (nothing: 100 Mb/s above the step before) by\n"},
		"both directions": {func(e *record.Experiment) {
			e.Ceiling.Direction = "both"
			for i := range e.Ceiling.Hops {
				if r, ok := e.Ceiling.Hops[i].Rate.Get(); ok {
					e.Ceiling.Hops[i].Rate = unit.Known(2 * r)
				}
			}
		}, true, "line rate: 20.0 Gb/s"},
		"a bond": {func(e *record.Experiment) {
			e.Ceiling.Hops[2].Rate = unit.Known[unit.BitRate](18.8e9)
			e.Ceiling.Hops[2].Inputs = []record.Input{{Name: record.MembersInUse, Value: 2},
				{Name: "planned rate of a member", Value: 10e9}}
		}, true, "line rate: 20.0 Gb/s"},
	} {
		e := slowPath(6.4e9)
		c.change(e)
		v := WaterfallOf(e, "by", c.found)
		addsUp(t, v, e.Goodput.Median)
		if !strings.Contains(inWords(v), c.want) || strings.Contains(inWords(v), "*") && !c.found {
			t.Errorf("%s: %s, want %s", name, inWords(v), c.want)
		}
	}
}

// Without the rate of the link the first row is what its headers leave; without any ceiling there is no waterfall.
func TestWaterfallUnknown(t *testing.T) {
	e := slowPath(6.4e9)
	e.Ceiling.Hops[2].Inputs = nil
	v := WaterfallOf(e, "by", true)
	addsUp(t, v, 3.1e9)
	if v.Rows[0].Step != "after headers" || v.Of != "the first ceiling" {
		t.Errorf("%s %s", v.Of, inWords(v))
	}
	for i := range e.Ceiling.Hops {
		e.Ceiling.Hops[i].Rate = unit.Unknown[unit.BitRate]("not read")
	}
	none := slowPath(1e9)
	none.Goodput = nil
	odd := slowPath(1e9)
	odd.Goodput.Median = math.NaN()
	for _, e := range []*record.Experiment{e, none, odd, {Goodput: &record.Estimate{Median: 1e9}}} {
		if v := WaterfallOf(e, "by", true); v != nil {
			t.Errorf("a waterfall of nothing: %s", inWords(v))
		}
	}
}
