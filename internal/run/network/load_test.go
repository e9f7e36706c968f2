package network

import (
	"slices"
	"testing"
	"time"

	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/traffic"
)

// roundTrips is a repeat of latency with 990 round trips of one time and 10 of another.
func roundTrips(t *testing.T, typical, slow time.Duration) record.Repeat {
	t.Helper()
	h := traffic.NewHistogram()
	h.RecordN(typical, 980)
	h.RecordN(slow, 20)
	text, err := h.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return record.Repeat{Histogram: text, RTTSamples: 1000, P50: h.Quantile(0.5)}
}

// The added latency is, for every repeat, the quantile with load less that without. The record also has the idle
// latency and the goodput of the load.
func TestLatencyUnderLoad(t *testing.T) {
	for _, direction := range []string{traffic.Out, traffic.Both} {
		e := &record.Experiment{Method: "latency", Settings: map[string]string{"load_streams": "2",
			"load_direction": direction}}
		for i, queue := range []time.Duration{25, 26, 30} { // milliseconds
			queue *= time.Millisecond
			r := roundTrips(t, 200*time.Microsecond+queue, time.Millisecond+2*queue)
			r.Load = &record.LoadRepeat{Goodput: 19e6 + float64(i)*1e5, Forward: 19e6 + float64(i)*1e5}
			if direction == traffic.Both {
				r.Load.Backward, r.Load.Goodput = 10e6, r.Load.Forward+10e6
			}
			idle := roundTrips(t, 200*time.Microsecond, time.Millisecond)
			idle.Warnings = []string{"late"}
			if err := setIdle(&r, idle); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(r.Warnings, []string{"without the load: late"}) {
				t.Errorf("warnings %q", r.Warnings)
			}
			e.Repeats = append(e.Repeats, r)
		}
		if err := (&latency{newPair(&experiment.Combination{Record: e}, "latency")}).Summarize(); err != nil {
			t.Fatal(err)
		}
		l := e.Load
		if l == nil || l.Streams != 2 || l.Direction != direction || l.Idle == nil || l.Idle.Count != 3000 ||
			e.Latency == nil {
			t.Fatalf("%+v, %+v", l, e.Latency)
		}
		about := func(what string, got *record.Estimate, low, median, high float64) {
			t.Helper()
			near := func(got, want float64) bool { return got > want*0.99 && got < want*1.01 }
			if got == nil || got.Repeats != 3 || !near(got.Low, low) || !near(got.Median, median) ||
				!near(got.High, high) {
				t.Errorf("%s: %+v, want %v (%v to %v)", what, got, median, low, high)
			}
		}
		about("p50", l.Added.P50, 25e-3, 26e-3, 30e-3)
		about("p99", l.Added.P99, 50e-3, 52e-3, 60e-3)
		if l.Idle.P50 < 199e-6 || l.Idle.P50 > 201e-6 || e.Latency.P50 < 26e-3 || e.Latency.P50 > 26.4e-3 {
			t.Errorf("p50 %v without the load, %v with it", l.Idle.P50, e.Latency.P50)
		}
		if direction == traffic.Out {
			about("goodput", l.Goodput, 19e6, 19.1e6, 19.2e6)
			if l.Forward != nil || l.Backward != nil {
				t.Errorf("one direction: %+v, %+v", l.Forward, l.Backward)
			}
			continue
		}
		about("goodput", l.Goodput, 29e6, 29.1e6, 29.2e6)
		about("out", l.Forward, 19e6, 19.1e6, 19.2e6)
		about("in", l.Backward, 10e6, 10e6, 10e6)
	}
}
