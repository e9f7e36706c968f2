//go:build unix

package halo

import (
	"errors"
	"syscall"
	"testing"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/failure"
	"linerate/internal/run/remote"
)

// A killed agent of one host is reported as the cause, not the lost connections of the others.
func TestHaloAgentKilled(t *testing.T) {
	t.Parallel()
	ends, s := haloAgents(t, 3), haloOf(6)
	s.Interval = time.Minute
	live := &remote.Live{}
	live.Begin(nil)
	s.Live = live
	over := make(chan struct{})
	go func() {
		for { // the first samples contain the cores
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
	_, _, err := Repeat(t.Context(), ends, s, nil)
	close(over)
	var failed *agent.Error
	var seen *failure.Error
	if !errors.As(err, &failed) || errors.As(err, &seen) || ends[1].Client.Err() == nil || ends[0].Client.Err() != nil {
		t.Errorf("%v", err)
	}
	// The others measure again.
	if r, _, err := Repeat(t.Context(), []End{ends[0], ends[2]}, haloOf(4), nil); err != nil ||
		r.Halo.Seconds <= 0 {
		t.Errorf("%v %+v", err, r.Halo)
	}
}
