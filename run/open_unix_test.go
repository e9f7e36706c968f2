//go:build unix

package run

import (
	"testing"
	"time"

	"linerate/measure"
)

// A stall of the end that answers hits every question of an open loop that was due in it, in proportion; a closed loop
// has one round trip in it.
func TestStallShowsInProportion(t *testing.T) {
	from, to := twoAgents(t)
	const stall, window, every = 300 * time.Millisecond, 3 * time.Second, time.Millisecond
	for _, transport := range []string{measure.TCP, measure.UDP, "closed"} {
		s := loopback("ping", measure.Out, 1)
		s.Window, s.Warmup = window, 100*time.Millisecond
		if transport != "closed" {
			s.Transport, s.Every = transport, every
		}
		r, _, err := repeat(t, from, to, s, stallAt(2, stall, to))
		if err != nil {
			t.Fatal(err)
		}
		h, err := measure.DecodeHistogram(r.Histogram)
		if err != nil {
			t.Fatal(err)
		}
		if transport == "closed" {
			if h.Quantile(0.99) > 0.1 || h.Max() < 0.27 {
				t.Errorf("closed: p99 %v, longest %v: one round trip was in the stall", h.Quantile(0.99), h.Max())
			}
			continue
		}
		o := r.Open
		if o == nil || o.Due != 3000 || o.Sent != 3000 || o.Answered != 3000 || h.Count() != 3000 {
			t.Fatalf("%s: %+v with %d round trips, want 3000", transport, o, h.Count())
		}
		// 300 of 3000 were due in the stall and waited for what was left of it: a tenth of all, evenly from 0 to 300 ms,
		// so that 1 % waited for more than 270 ms.
		if p := h.Quantile(0.99); p < 0.25 {
			t.Errorf("%s: p99 %v s of an open loop in a stall of %v", transport, p, stall)
		}
		if p := h.Quantile(0.95); p < 0.12 {
			t.Errorf("%s: p95 %v s: half of the tenth waited for more than half of the stall", transport, p)
		}
		if h.Max() < 0.28 {
			t.Errorf("%s: the longest took %v s", transport, h.Max())
		}
		t.Logf("%s: p50 %v p90 %v p95 %v p99 %v max %v", transport, h.Quantile(0.5), h.Quantile(0.9), h.Quantile(0.95), h.Quantile(0.99), h.Max())
	}
}
