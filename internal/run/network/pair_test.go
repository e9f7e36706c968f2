package network

import (
	"context"
	"errors"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"linerate/internal/agent"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/runtest"
	"linerate/internal/traffic"
)

func TestMain(m *testing.M) { runtest.AgentMain(m) }

// loopback is an experiment between two agents on this machine. A stream has a pace: without one it takes both cores
// from everything else for its interval.
func loopback(method, direction string, streams int) Spec {
	at := netip.MustParseAddr("127.0.0.1")
	s := Spec{Method: method, Direction: direction, Streams: streams, Warmup: 50 * time.Millisecond, Interval: time.Second,
		FromAddr: at, ToAddr: at, FromHost: "a", ToHost: "b", Samples: experiment.DefaultSamples}
	if method == "throughput" {
		s.Pace = 500e6
	}
	return s
}

func TestRepeatStream(t *testing.T) {
	t.Parallel()
	from, to := runtest.TwoAgents(t)
	for _, direction := range []string{traffic.Out, traffic.In, traffic.Both} {
		t.Run(direction, func(t *testing.T) {
			repeatStream(t, from, to, direction)
		})
	}
}

func repeatStream(t *testing.T, from, to *agent.Client, direction string) {
	t.Helper()
	var mu sync.Mutex
	seen := 0
	s := loopback("throughput", direction, 2)
	s.OnSample = func(rows []record.Sample) {
		mu.Lock()
		defer mu.Unlock()
		seen += len(rows)
	}
	before := time.Now()
	r, all, err := repeat(t, from, to, s, func() {
		// The control channel answers while the link is busy.
		if text, err := from.Facts(t.Context(), "counters"); err != nil || len(text) == 0 {
			t.Errorf("facts during the measurement: %q, %v", text, err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if (r.Forward > 0) != (direction != traffic.In) || (r.Backward > 0) != (direction != traffic.Out) ||
		r.Goodput != r.Forward+r.Backward {
		t.Errorf("direction %s: out %v, in %v, sum %v", direction, r.Forward, r.Backward, r.Goodput)
	}
	if seen > len(all) || len(all) == 0 || !hasMetric(all, "cpu.0.softirq") || !hasMetric(all, "goodput") {
		t.Errorf("samples seen %d, returned %d", seen, len(all))
	}
	if r.Start.Before(before) || r.Start.After(time.Now()) || r.Seconds <= 0 || r.Seconds > s.Interval.Seconds() {
		t.Errorf("start %v, %v s", r.Start, r.Seconds)
	}
	for _, row := range all {
		if at := time.Unix(0, row.TimeNS); at.Before(before) || at.After(time.Now()) ||
			!strings.Contains("a+b", row.End) {
			t.Fatalf("sample %+v at %v", row, at)
		}
	}
	checkRecord(t, r, direction)
}

func hasMetric(rows []record.Sample, metric string) bool {
	for _, r := range rows {
		if r.Metric == metric {
			return true
		}
	}
	return runtime.GOOS != "linux" && strings.HasPrefix(metric, "cpu.")
}

// checkRecord checks what kernel and CPU report of a repeat over loopback on this machine.
func checkRecord(t *testing.T, r record.Repeat, direction string) {
	t.Helper()
	want := 2
	if direction == traffic.Both {
		want = 4
	}
	sum := 0.0
	for _, s := range r.Streams {
		sum += s.Goodput
		if s.Socket == nil || s.Receiver == nil {
			continue
		}
		if s.Socket.BytesAcked == nil || *s.Socket.BytesAcked <= 0 || s.Socket.RTT == nil {
			t.Errorf("stream %d: acked %v, round trip %v", s.Index, s.Socket.BytesAcked, s.Socket.RTT)
		}
	}
	if len(r.Streams) != want || sum < r.Goodput*0.99 || len(r.SeriesOut)+len(r.SeriesIn) == 0 {
		t.Errorf("%d streams, sum %v of %v; series %v %v", len(r.Streams), sum, r.Goodput, r.SeriesOut, r.SeriesIn)
	}
	process := 0
	for _, c := range r.CPU {
		if c.Core == -1 {
			process++
			if c.Host != "a+b" || c.User+c.System <= 0 {
				t.Errorf("processes on one machine: %+v", c)
			}
		}
	}
	if process != 1 && !strings.Contains(strings.Join(r.Warnings, "\n"), "processor") {
		t.Errorf("%d rows of processes on one machine", process)
	}
	t.Logf("%s: %.1f Gb/s, foreign %.2f, %v", direction, r.Goodput/1e9, r.OtherProcesses, r.Warnings)
}

func TestRepeatPing(t *testing.T) {
	t.Parallel()
	from, to := runtest.TwoAgents(t)
	for _, direction := range []string{traffic.Out, traffic.Both} {
		r, _, err := repeat(t, from, to, loopback("latency", direction, 1), nil)
		if err != nil {
			t.Fatal(err)
		}
		h, err := traffic.DecodeHistogram(r.Histogram)
		if err != nil || h.Count() != r.RTTSamples || r.RTTSamples == 0 || r.P50 <= 0 || r.Goodput != 0 {
			t.Errorf("%s: %d round trips, p50 %v, goodput %v, %v", direction, r.RTTSamples, r.P50, r.Goodput, err)
		}
		t.Logf("%s: %d round trips, p50 %v", direction, r.RTTSamples, r.P50)
	}
}

// A failure names the end and the cause, and leaves both agents usable.
func TestRepeatFails(t *testing.T) {
	t.Parallel()
	from, to := runtest.TwoAgents(t)
	s := loopback("throughput", traffic.Out, 1)
	s.FromAddr = netip.MustParseAddr("192.0.2.1") // an unused address
	if _, _, err := repeat(t, from, to, s, nil); err == nil ||
		!strings.Contains(err.Error(), "does not have the planned address") {
		t.Errorf("address of nobody: %v", err)
	}
	s = loopback("throughput", traffic.Out, 2000)
	if _, _, err := repeat(t, from, to, s, nil); err == nil || !strings.Contains(err.Error(), "1024") {
		t.Errorf("2000 streams: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s = loopback("throughput", traffic.Out, 1)
	s.Interval = time.Minute
	s.OnSample = func([]record.Sample) { cancel() }
	if _, _, err := repeatWith(t, ctx, from, to, s, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if _, _, err := repeat(t, from, to, loopback("throughput", traffic.Out, 1), nil); err != nil {
		t.Errorf("after the failures: %v", err)
	}
}
