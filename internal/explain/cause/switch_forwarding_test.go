package cause

import (
	"slices"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// A switch whose kernel handled the packets with a full core is the bottleneck. Each of the two alone is a candidate.
func TestSwitchForwarding(t *testing.T) {
	begin := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	shot := func(seconds, busy float64, handled uint64) *facts.Facts {
		f := &facts.Facts{Host: "sw", OS: "cumulus", When: begin.Add(time.Duration(seconds * float64(time.Second))),
			Uptime: unit.Known(time.Duration((1000 + seconds) * float64(time.Second)))}
		f.CPU.Cores = []facts.CoreTime{{Core: 0, Idle: 1000 + seconds*(1-busy), SoftIRQ: seconds * busy},
			{Core: 1, Idle: 1000 + seconds}}
		f.Softnet = []facts.SoftnetCPU{{Core: 0, Processed: handled}}
		return f
	}
	for _, c := range []struct {
		name    string
		busy    float64
		handled uint64
		chip    bool // the check finds ports for which the chip does not forward
		lab     bool
		share   float64
		want    judge.Strength // 0: no evidence
	}{
		{"full, and it handled them", 0.97, 90_000, false, false, 0.1, judge.Likely},
		{"full, of merged segments", 0.97, 9_000, false, false, 0.1, judge.Likely},
		{"full, and it handled others", 0.97, 500, false, false, 0.1, judge.Candidate},
		{"time left", 0.5, 90_000, false, false, 0.1, 0},
		{"ports of the CPU, and full", 0.97, 500, true, false, 0.1, judge.Likely},
		{"ports of the CPU", 0.2, 500, true, false, 0.1, judge.Candidate},
		{"a lab's switch", 0.97, 90_000, false, true, 0.1, 0},
		{"a full link", 0.97, 90_000, false, false, 0.99, 0},
	} {
		a, b := shot(0, 0, 1000), shot(2, c.busy, 1000+c.handled)
		if c.chip {
			for _, f := range []*facts.Facts{a, b} {
				f.OS = "routeros"
				f.NICs = []facts.Interface{{Name: "p1", Master: "bridge1", Hardware: unit.Known(false)},
					{Name: "p2", Master: "bridge1", Hardware: unit.Known(true)}}
			}
		}
		repeat := record.Repeat{Seconds: 1, Streams: []record.Stream{{Direction: "out", Goodput: 1e9}}}
		x := &judge.Case{Exp: &record.Experiment{Repeats: []record.Repeat{repeat}}, Repeat: &repeat, Streams: repeat.Streams,
			Chain: &record.Chain{Component: "link"}, Goodput: c.share * 1e10, Ceiling: 1e10,
			Lab: c.lab, Switches: []judge.SwitchSide{{Name: "sw", Shots: judge.Shots{Before: a, After: b}}}, Direction: "out"}
		m := switchForwarding.Test(x)
		if m == nil && c.want != 0 || m != nil && (m.Strength != c.want || m.Component != "sw: CPU" ||
			len(m.Evidence) == 0) {
			t.Errorf("%s: %+v, want strength %d", c.name, m, c.want)
		}
	}
	if !slices.Contains(IDs(), "switch-cpu-forwarding") {
		t.Error("it is not asked")
	}
}
