//go:build unix

package run

import (
	"errors"
	"sync"
	"syscall"
	"testing"
	"time"

	"linerate/internal/agent"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

// stallAt makes an agent stand still for a time when a window is looked at for the nth time: from 1 on, at moments.
func stallAt(n int, stall time.Duration, c *agent.Client) (during func()) {
	pid, looks := c.Hello().PID, 0
	return func() {
		if looks++; looks == n {
			syscall.Kill(pid, syscall.SIGSTOP)
			time.AfterFunc(stall, func() { syscall.Kill(pid, syscall.SIGCONT) })
		}
	}
}

// A ping of which one end stands still for a while, also at the end of the window, goes on afterwards and counts
// every round trip.
func TestStallInPing(t *testing.T) {
	t.Parallel()
	from, to := twoAgents(t)
	for _, look := range []int{1, len(moments)} { // the last one is still on at the end
		s := loopback("ping", traffic.Out, 1)
		s.Warmup, s.Window = 0, time.Second
		r, _, err := repeat(t, from, to, s, stallAt(look, 300*time.Millisecond, to))
		if err != nil {
			t.Fatal(err)
		}
		h, err := traffic.DecodeHistogram(r.Histogram)
		if err != nil || h.Count() == 0 || h.Count() != r.Trips {
			t.Errorf("look %d: %d round trips, %d in the histogram, %v", look, r.Trips, h.Count(), err)
		}
	}
}

// onFirst calls f when the first sample comes: the window is open, and both ends work.
func onFirst(f func()) func([]record.Sample) {
	once := sync.OnceFunc(f)
	return func([]record.Sample) { once() }
}

// An agent that is killed is the cause, not the data connections that end with it, whichever is seen first.
func TestAgentKilledInTheWindow(t *testing.T) {
	t.Parallel()
	for range 2 {
		for _, direction := range []string{traffic.Out, traffic.In} {
			from, to := twoAgents(t)
			s := loopback("stream", direction, 2)
			s.Window = time.Minute
			pid := to.Hello().PID
			s.OnSample = onFirst(func() { syscall.Kill(pid, syscall.SIGKILL) })
			_, _, err := repeat(t, from, to, s, nil)
			var said *agent.Error
			var seen *traffic.Error
			if !errors.As(err, &said) || errors.As(err, &seen) || to.Err() == nil || from.Err() != nil {
				t.Errorf("direction %s: %v", direction, err)
			}
			from.Close()
			to.Close()
		}
	}
}

// The agent of one host of an exchange that is killed is the cause, not the connections of the others.
func TestHaloAgentKilled(t *testing.T) {
	t.Parallel()
	ends, s := haloAgents(t, 3), haloOf(6)
	s.Window = time.Minute
	live := &Live{}
	live.begin(nil)
	s.Live = live
	over := make(chan struct{})
	go func() {
		for { // cores are what an exchange's first samples have
			select {
			case <-over:
				return
			case <-time.After(10 * time.Millisecond):
			}
			if len(live.Now().Cores) > 0 {
				syscall.Kill(ends[1].Client.Hello().PID, syscall.SIGKILL)
				return
			}
		}
	}()
	_, _, err := RepeatHalo(t.Context(), ends, s, nil)
	close(over)
	var said *agent.Error
	var seen *traffic.Error
	if !errors.As(err, &said) || errors.As(err, &seen) || ends[1].Client.Err() == nil || ends[0].Client.Err() != nil {
		t.Errorf("%v", err)
	}
	// The others measure again.
	if r, _, err := RepeatHalo(t.Context(), []HaloEnd{ends[0], ends[2]}, haloOf(4), nil); err != nil || r.Halo.Seconds <= 0 {
		t.Errorf("%v %+v", err, r.Halo)
	}
}
