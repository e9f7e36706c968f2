package costs

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// costRun is a run with a CPU cost of exactly perPacket + perByte + perCall, between two machines or on one.
type costRun struct {
	perPacket, perByte, perCall float64
	together                    bool
	merged                      bool // the sender's NIC segments packets of 64 KiB
	repeats                     int
	scatter                     float64
	run                         record.Run
	shots                       map[string]judge.Shots
}

func (c *costRun) combination(mtu int, size, streams string) {
	id := fmt.Sprintf("e%02d", len(c.run.Experiments))
	packet := float64(mtu - 52)
	if c.merged {
		packet = 65000
	}
	e := &record.Experiment{ID: id, Name: "threads", Method: "throughput", From: "a", To: "b", Direction: "out",
		Links: []string{"a--b"},
		Ends: []record.End{{Host: "a", Interface: "nic0", Address: "10.0.0.1"},
			{Host: "b", Interface: "nic0", Address: "10.0.0.2"}},
		Settings: map[string]string{"mtu": fmt.Sprint(mtu), "streams": streams},
		InEffect: map[string]string{"mtu": fmt.Sprint(mtu)}}
	call := 1e12
	if size != "" {
		e.Settings["size"] = size
		call = map[string]float64{"1KiB": 1024, "64KiB": 65536}[size]
	}
	cost := c.perPacket/packet + c.perByte + c.perCall/call // of a byte at both ends
	for i := range c.repeats {
		used := 1.6 * (1 + c.scatter*float64(i%3-1))
		bytes := 1.6 / cost
		r := record.Repeat{Index: i, Seconds: 1, Goodput: 8 * bytes}
		kernel := used - 0.1
		if c.together {
			r.CPU = []record.CPU{{Host: "a+b", Core: -1, User: 0.1, System: kernel / 3},
				{Host: "a", Core: 0, User: 0.4, System: kernel / 3, SoftIRQ: kernel / 3},
				{Host: "a", Core: 1, User: 0.1, System: kernel / 3},
				{Host: "b", Core: 0, User: 0.4, System: kernel / 3, SoftIRQ: kernel / 3},
				{Host: "b", Core: 1, User: 0.1, System: kernel / 3}}
		} else {
			for _, host := range []string{"a", "b"} {
				r.CPU = append(r.CPU, record.CPU{Host: host, Core: -1, User: 0.1, System: kernel / 3},
					record.CPU{Host: host, Core: 0, User: 0.5, System: kernel / 2, SoftIRQ: kernel / 2})
			}
		}
		e.Repeats = append(e.Repeats, r)
	}
	e.Goodput = &record.Estimate{Median: e.Repeats[0].Goodput}
	shot := func(packets uint64) *facts.Facts {
		counters := map[string]uint64{}
		for _, k := range []string{"tx", "rx"} {
			counters[k+"_packets"], counters[k+"_bytes"] = packets, packets*uint64(packet+66)
		}
		return &facts.Facts{NICs: []facts.Interface{{Name: "nic0", Counters: counters,
			Offloads: map[string]bool{"tx-tcp-segmentation": c.merged, "tx-generic-segmentation": false, "rx-gro": false}}}}
	}
	if c.shots == nil {
		c.shots = map[string]judge.Shots{}
	}
	c.shots[id] = judge.Shots{Before: shot(1000), After: shot(5_001_000)}
	c.run.Experiments = append(c.run.Experiments, e)
}

func (c *costRun) costs() []record.Cost {
	return Of(&c.run, func(e *record.Experiment, _ string) judge.Shots { return c.shots[e.ID] })
}

func near(t *testing.T, what string, got *record.Estimate, want float64) {
	t.Helper()
	if got == nil || math.Abs(got.Median/want-1) > 1e-3 {
		t.Errorf("%s: %+v, want %g", what, got, want)
	}
}

func TestCostsOfTwoMTUs(t *testing.T) {
	c := &costRun{perPacket: 600e-9, perByte: 0.25e-9, together: true, repeats: 3, scatter: 0.02}
	c.combination(1500, "", "1")
	c.combination(9000, "", "1")
	got := c.costs()
	if len(got) != 1 || got[0].Host != "a+b" || got[0].End != "both" || got[0].Why != "" || got[0].Merged != nil ||
		got[0].Repeats != 3 {
		t.Fatalf("%+v", got)
	}
	near(t, "per packet", got[0].PerPacket, 600e-9)
	near(t, "per byte", got[0].PerByte, 0.25e-9)
	if e := got[0].PerPacket; e.Interval != "range" || e.Low >= e.Median || e.High <= e.Median || got[0].Residual != nil {
		t.Errorf("three repeats that scatter by 2 %%, two combinations: %+v, residual %v", e, got[0].Residual)
	}
	if x := got[0].Combinations[1]; x.MTU != "9000" || math.Abs(x.Packet-8948) > 1 ||
		math.Abs(x.Measured/x.Fitted-1) > 1e-6 {
		t.Errorf("%+v", x)
	}
}

func TestCostsOfTwoMachines(t *testing.T) {
	c := &costRun{perPacket: 600e-9, perByte: 0.25e-9, repeats: 6}
	c.combination(1500, "", "1")
	c.combination(4000, "", "1")
	c.combination(9000, "", "1")
	got := c.costs()
	if len(got) != 2 || got[0].Host != "a" || got[0].End != "sender" || got[1].Host != "b" || got[1].End != "receiver" {
		t.Fatalf("%+v", got)
	}
	near(t, "per packet", got[1].PerPacket, 600e-9)
	if got[0].PerPacket.Interval != "95%" || got[0].Residual == nil || *got[0].Residual > 1e-6 {
		t.Errorf("six repeats, three combinations: %+v, residual %v", got[0].PerPacket, got[0].Residual)
	}
}

func TestCostsOfCalls(t *testing.T) {
	c := &costRun{perPacket: 600e-9, perByte: 0.25e-9, perCall: 300e-9, together: true, repeats: 6}
	c.combination(1500, "1KiB", "1")
	c.combination(9000, "1KiB", "1")
	c.combination(1500, "64KiB", "1")
	c.combination(9000, "64KiB", "1")
	got := c.costs()[0]
	near(t, "per packet", got.PerPacket, 600e-9)
	near(t, "per byte", got.PerByte, 0.25e-9)
	near(t, "per call", got.PerCall, 300e-9)

	// At one MTU the cost of a byte includes that of packets, and the fit says so.
	c = &costRun{perPacket: 600e-9, perByte: 0.25e-9, perCall: 300e-9, together: true, repeats: 6}
	c.combination(1500, "1KiB", "1")
	c.combination(1500, "64KiB", "1")
	got = c.costs()[0]
	near(t, "per byte with its packets", got.PerByte, 0.25e-9+600e-9/1448)
	near(t, "per call", got.PerCall, 300e-9)
	if got.PerPacket != nil || !strings.Contains(got.Why, "another MTU") {
		t.Errorf("one MTU: %+v, %q", got.PerPacket, got.Why)
	}
}

func TestCostsThatAreNotKnown(t *testing.T) {
	c := &costRun{perPacket: 600e-9, perByte: 0.25e-9, together: true, merged: true, repeats: 3}
	c.combination(1500, "", "1")
	c.combination(9000, "", "1")
	if got := c.costs()[0]; got.PerPacket != nil || !strings.Contains(got.Why, "tso on a") ||
		!strings.Contains(got.Why, "merged") {
		t.Errorf("merged packets: %+v", got)
	}

	c = &costRun{perPacket: 600e-9, perByte: 0.25e-9, together: true, repeats: 3}
	c.combination(1500, "", "1")
	c.combination(1500, "", "4")
	if got := c.costs(); len(got) != 0 {
		t.Errorf("nothing varies that has a cost: %+v", got)
	}

	c = &costRun{perPacket: 600e-9, perByte: 0.25e-9, together: true, repeats: 3}
	c.combination(1500, "", "1")
	c.combination(9000, "", "1")
	c.shots = nil
	if got := c.costs()[0]; got.PerPacket != nil || !strings.Contains(got.Why, "not counted") {
		t.Errorf("no counters: %+v", got)
	}

	c = &costRun{perPacket: 600e-9, perByte: 0.25e-9, together: true, repeats: 3}
	c.combination(1500, "", "1")
	c.combination(9000, "", "1")
	for _, e := range c.run.Experiments {
		for i := range e.Repeats {
			e.Repeats[i].CPU = nil
		}
	}
	if got := c.costs()[0]; got.PerByte != nil || !strings.Contains(got.Why, "was not read") {
		t.Errorf("no CPU times: %+v", got)
	}

	// A larger packet that costs more than its bytes explain leaves no cost for the packet itself.
	c = &costRun{perPacket: -100e-9, perByte: 1e-9, together: true, repeats: 3}
	c.combination(1500, "", "1")
	c.combination(9000, "", "1")
	if got := c.costs()[0]; got.PerPacket != nil || got.PerByte != nil || !strings.Contains(got.Why, "no cost or less") {
		t.Errorf("a cost below 0: %+v", got)
	}
}
