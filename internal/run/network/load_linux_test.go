package network

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/traffic"
)

// Latency with a load in each direction, over a shaped link: the goodput of the load is in its directions, and the
// record has the difference to the idle latency.
func TestUnderLoad(t *testing.T) {
	t.Parallel()
	n := newNamespaces(t, "tc")
	// Both directions are shaped: an unlimited load would take the CPUs from the one that must fill the queue.
	for _, name := range n.names {
		inShell(t, "ip", "netns", "exec", name, "tc", "qdisc", "add", "dev", "wire", "root", "tbf", "rate", "20mbit",
			"burst", "16kb", "limit", "256kb")
	}
	for _, c := range []struct {
		direction string
		every     time.Duration
	}{{traffic.Out, 2 * time.Millisecond}, {traffic.In, 0}, {traffic.Both, 0}} {
		t.Run(fmt.Sprint(c.direction, c.every), func(t *testing.T) {
			s := Spec{Method: "latency", Direction: traffic.Out, Streams: 1, Warmup: experiment.Warmup,
				Interval: 2 * time.Second,
				Every:    c.every, Load: LoadSpec{Streams: 2, Direction: c.direction}, FromAddr: netip.MustParseAddr("10.78.9.1"),
				ToAddr: netip.MustParseAddr("10.78.9.2"), FromHost: "a", ToHost: "b"}
			r, samples, err := repeat(t, n.from, n.to, s, nil)
			if err != nil {
				t.Fatal(err)
			}
			l := r.Load
			if l == nil || r.RTTSamples == 0 || l.IdleP50 <= 0 || len(samples) == 0 {
				t.Fatalf("%+v, %d round trips", l, r.RTTSamples)
			}
			if (l.Forward > 0) != (c.direction != traffic.In) || (l.Backward > 0) != (c.direction != traffic.Out) {
				t.Errorf("the load carried %v out, %v in", l.Forward, l.Backward)
			}
			e := &record.Experiment{Method: "latency",
				Settings: map[string]string{"load_streams": "2", "load_direction": c.direction}, Repeats: []record.Repeat{r}}
			if err := (&latency{newPair(&experiment.Combination{Record: e}, "latency")}).Summarize(); err != nil {
				t.Fatal(err)
			}
			if e.Load == nil || e.Load.Idle == nil || e.Load.Goodput == nil || e.Load.Added.P50 == nil ||
				e.Load.Added.P50.Median != r.P50-l.IdleP50 ||
				(e.Load.Forward != nil) != (c.direction == traffic.Both) {
				t.Errorf("%+v", e.Load)
			}
			t.Logf("idle p50 %v, loaded %v, out %.1f in %.1f Mb/s", l.IdleP50, r.P50, l.Forward/1e6, l.Backward/1e6)
		})
	}
}
