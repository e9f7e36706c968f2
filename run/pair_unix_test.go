//go:build unix

package run

import (
	"syscall"
	"testing"
	"time"

	"linerate/measure"
)

// A stall of one end shows in the longest round trip, wherever in the window it is.
func TestStallShowsInPing(t *testing.T) {
	from, to := twoAgents(t)
	const stall = 300 * time.Millisecond
	s := loopback("ping", measure.Out, 1)
	s.Window = time.Second
	for _, after := range []time.Duration{300 * time.Millisecond, 800 * time.Millisecond} { // the second one is still on at the end
		pid := to.Hello().PID
		s.Warmup = 0
		stopped := time.AfterFunc(after, func() {
			syscall.Kill(pid, syscall.SIGSTOP)
			time.Sleep(stall)
			syscall.Kill(pid, syscall.SIGCONT)
		})
		r, _, err := Repeat(t.Context(), from, to, s, nil)
		stopped.Stop()
		if err != nil {
			t.Fatal(err)
		}
		h, err := measure.DecodeHistogram(r.Histogram)
		if err != nil {
			t.Fatal(err)
		}
		if h.Max() < stall.Seconds()*0.9 {
			t.Errorf("the longest of %d trips took %v s; one end stood still for %v", h.Count(), h.Max(), stall)
		}
	}
}
