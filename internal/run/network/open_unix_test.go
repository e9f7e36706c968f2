//go:build unix

package network

import (
	"testing"
	"time"

	"linerate/internal/run/runtest"
	"linerate/internal/traffic"
)

// One end is stopped in the interval. In an open loop the requests that were due meanwhile are still sent and counted,
// and those without an answer are lost; nothing is counted twice.
func TestStallInOpenLoop(t *testing.T) {
	t.Parallel()
	from, to := runtest.TwoAgents(t)
	for _, transport := range []string{traffic.TCP, traffic.UDP} {
		s := loopback("latency", traffic.Out, 1)
		s.Interval, s.Warmup = time.Second, 100*time.Millisecond
		s.Transport, s.Every = transport, 4*time.Millisecond
		r, _, err := repeat(t, from, to, s, stallAt(2, 300*time.Millisecond, to))
		if err != nil {
			t.Fatal(err)
		}
		h, err := traffic.DecodeHistogram(r.Histogram)
		if err != nil {
			t.Fatal(err)
		}
		o := r.Open
		if o == nil || o.Due != 250 || o.Sent > o.Due || o.Answered > o.Sent || h.Count() < o.Answered ||
			h.Count() > o.Due {
			t.Fatalf("%s: %+v with %d round trips of 250 questions", transport, o, h.Count())
		}
		t.Logf("%s: %+v, p50 %v p99 %v max %v", transport, o, h.Quantile(0.5), h.Quantile(0.99), h.Max())
	}
}
