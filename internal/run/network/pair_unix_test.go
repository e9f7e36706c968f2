//go:build unix

package network

import (
	"errors"
	"sync"
	"syscall"
	"testing"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/failure"
	"linerate/internal/record"
	"linerate/internal/run/runtest"
	"linerate/internal/traffic"
)

// stallAt stops an agent for a time at the n-th reading of an interval, counted from 1.
func stallAt(n int, stall time.Duration, c *agent.Client) (during func()) {
	pid, looks := c.Hello().PID, 0
	return func() {
		if looks++; looks == n {
			syscall.Kill(pid, syscall.SIGSTOP)
			time.AfterFunc(stall, func() { syscall.Kill(pid, syscall.SIGCONT) })
		}
	}
}

// A latency measurement with one end stopped for a while, also at the end of the interval, continues afterwards and
// counts every round trip.
func TestStallInPing(t *testing.T) {
	t.Parallel()
	from, to := runtest.TwoAgents(t)
	for _, look := range []int{1, 3} { // the last stall lasts beyond the end
		s := loopback("latency", traffic.Out, 1)
		s.Warmup, s.Interval = 0, time.Second
		r, _, err := repeat(t, from, to, s, stallAt(look, 300*time.Millisecond, to))
		if err != nil {
			t.Fatal(err)
		}
		h, err := traffic.DecodeHistogram(r.Histogram)
		if err != nil || h.Count() == 0 || h.Count() != r.RTTSamples {
			t.Errorf("look %d: %d round trips, %d in the histogram, %v", look, r.RTTSamples, h.Count(), err)
		}
	}
}

// onFirst calls f at the first sample: the interval is open, and both ends work.
func onFirst(f func()) func([]record.Sample) {
	once := sync.OnceFunc(f)
	return func([]record.Sample) { once() }
}

// A killed agent is reported as the cause, not the data connections that end with it, whichever shows first.
func TestAgentKilledWhileMeasuring(t *testing.T) {
	t.Parallel()
	for range 2 {
		for _, direction := range []string{traffic.Out, traffic.In} {
			from, to := runtest.TwoAgents(t)
			s := loopback("throughput", direction, 2)
			s.Interval = time.Minute
			pid := to.Hello().PID
			s.OnSample = onFirst(func() { syscall.Kill(pid, syscall.SIGKILL) })
			_, _, err := repeat(t, from, to, s, nil)
			var failed *agent.Error
			var seen *failure.Error
			if !errors.As(err, &failed) || errors.As(err, &seen) || to.Err() == nil || from.Err() != nil {
				t.Errorf("direction %s: %v", direction, err)
			}
			from.Close()
			to.Close()
		}
	}
}
