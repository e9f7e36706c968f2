//go:build unix

package run

import (
	"errors"
	"fmt"
	"syscall"
	"testing"
	"time"

	"linerate/agent"
	"linerate/measure"
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

// A stall of one end shows in the longest round trip, wherever in the window it is.
func TestStallShowsInPing(t *testing.T) {
	from, to := twoAgents(t)
	const stall = 300 * time.Millisecond
	for _, look := range []int{1, len(moments)} { // the last one is still on at the end
		// A look that would begin late is left out, and a busy machine's other end may ask only when a part of the stall is over.
		undisturbed(t, func() error {
			s := loopback("ping", measure.Out, 1)
			s.Warmup, s.Window = 0, time.Second
			r, _, err := repeat(t, from, to, s, stallAt(look, stall, to))
			if err != nil {
				t.Fatal(err)
			}
			h, err := measure.DecodeHistogram(r.Histogram)
			if err != nil {
				t.Fatal(err)
			}
			if h.Max() < stall.Seconds()*0.9 {
				return fmt.Errorf("look %d: the longest of %d trips took %v s; one end stood still for %v", look, h.Count(), h.Max(), stall)
			}
			return nil
		})
	}
}

// An agent that is killed is the cause, not the data connections that end with it, whichever is seen first.
func TestAgentKilledInTheWindow(t *testing.T) {
	for range 4 {
		for _, direction := range []string{measure.Out, measure.In} {
			from, to := twoAgents(t)
			s := loopback("stream", direction, 2)
			s.Window = 5 * time.Second
			pid := to.Hello().PID
			_, _, err := repeat(t, from, to, s, func() { syscall.Kill(pid, syscall.SIGKILL) })
			var said *agent.Error
			var seen *measure.Error
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
	ends, s := haloAgents(t, 3), haloOf(6)
	s.Window = 5 * time.Second
	_, _, err := RepeatHalo(t.Context(), ends, s, func() { syscall.Kill(ends[1].Client.Hello().PID, syscall.SIGKILL) })
	var said *agent.Error
	var seen *measure.Error
	if !errors.As(err, &said) || errors.As(err, &seen) || ends[1].Client.Err() == nil || ends[0].Client.Err() != nil {
		t.Errorf("%v", err)
	}
	// The others measure again.
	if r, _, err := RepeatHalo(t.Context(), []HaloEnd{ends[0], ends[2]}, haloOf(4), nil); err != nil || r.Halo.Seconds <= 0 {
		t.Errorf("%v %+v", err, r.Halo)
	}
}
