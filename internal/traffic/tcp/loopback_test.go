package tcp

import (
	"net/netip"
	"runtime"
	"testing"
	"time"

	"linerate/internal/testenv"
	"linerate/internal/traffic"
	"linerate/internal/traffic/traffictest"
)

// Every byte that a stream sends is received, in each direction, over both families, by each of its connections.
func TestStreamCountsWhatWasSent(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	var setups []traffic.Setup
	for i, c := range []struct {
		direction string
		streams   int
		address   string
	}{{traffic.Out, 1, "127.0.0.1"}, {traffic.In, 1, "127.0.0.1"}, {traffic.Both, 2, "127.0.0.1"},
		{traffic.Out, 4, "::1"}} {
		at := netip.MustParseAddr(c.address)
		setups = append(setups, traffic.Setup{Method: "throughput", Direction: c.direction, Streams: c.streams,
			Warmup: 50 * time.Millisecond, Interval: 2 * time.Second, Local: at, Remote: at})
		if i > 0 { // the first at full speed; the others leave the cores to other tests
			setups[i].Pace = 500e6
		}
	}
	for i, r := range traffictest.Pairs(t, table(), traffictest.Drained, setups...) {
		s := setups[i]
		if (traffictest.Received(r.From) > 0) != (s.Direction != traffic.Out) ||
			(traffictest.Received(r.To) > 0) != (s.Direction != traffic.In) {
			t.Errorf("direction %s: %d bytes received at from, %d at to", s.Direction, traffictest.Received(r.From),
				traffictest.Received(r.To))
		}
		if len(r.From.Streams) != s.Connections() || len(r.To.Streams) != s.Connections() {
			t.Errorf("%s: %d and %d streams", s.Direction, len(r.From.Streams), len(r.To.Streams))
		}
		for i := range r.From.Streams {
			a, b := r.From.Streams[i], r.To.Streams[i]
			if a.Active {
				a, b = b, a
			}
			if !a.Drained || !b.Drained || b.Sent != a.Received {
				t.Errorf("stream %d: sent %d, received %d, drained %v %v", i, b.Sent, a.Received, b.Drained, a.Drained)
			}
		}
	}
}

// Every round trip is in the histogram of the end that asks, and every message came back, asleep and spinning.
func TestPing(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	s := traffic.Setup{Method: "latency", Direction: traffic.Out, Streams: 2, Interval: 2 * time.Second}
	spinning := s
	spinning.Streams, spinning.Tuning.Spin = 1, runtime.GOOS == "linux"
	for i, r := range traffictest.Pairs(t, table(), traffictest.Drained, s, spinning) {
		h, err := traffic.DecodeHistogram(r.From.Histogram)
		if err != nil {
			t.Fatal(err)
		}
		if r.From.RTTSamples == 0 || h.Count() != r.From.RTTSamples || r.To.RTTSamples != 0 {
			t.Errorf("round trips %d, histogram %d, at the answering end %d", r.From.RTTSamples, h.Count(), r.To.RTTSamples)
		}
		if h.Quantile(0.5) <= 0 || h.Max() < h.Quantile(0.99) {
			t.Errorf("p50 %v p99 %v max %v", h.Quantile(0.5), h.Quantile(0.99), h.Max())
		}
		for k, a := range r.From.Streams {
			if b := r.To.Streams[k]; a.Sent != b.Received || a.Received != a.Sent || a.Sent != b.Sent {
				t.Errorf("pair %d: %d bytes sent, %d received, %d sent back, %d came", k, a.Sent, b.Received, b.Sent, a.Received)
			}
		}
		if wait := r.From.InEffect.Wait; (wait == "spinning") != (i == 1 && spinning.Tuning.Spin) ||
			wait != r.To.InEffect.Wait {
			t.Errorf("waits %q and %q", wait, r.To.InEffect.Wait)
		}
	}
}

func TestOpenLoop(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	var setups []traffic.Setup
	for _, transport := range []string{traffic.TCP, traffic.UDP} {
		for _, direction := range []string{traffic.Out, traffic.Both} {
			s := traffictest.Setup("latency", 2)
			s.Direction, s.Every, s.Warmup, s.Interval = direction, 5*time.Millisecond, 50*time.Millisecond, 500*time.Millisecond
			if transport == traffic.UDP {
				s.Transport = traffic.UDP
			}
			setups = append(setups, s)
		}
	}
	for i, r := range traffictest.Pairs(t, table(), 5*time.Second, setups...) {
		ends := []*traffic.Outcome{r.From}
		if setups[i].Direction == traffic.Both {
			ends = append(ends, r.To)
		} else if r.To.Open != nil || r.To.Clock != nil {
			t.Errorf("the end that answers has an open loop: %+v, %+v", r.To.Open, r.To.Clock)
		}
		for _, o := range ends {
			h, err := traffic.DecodeHistogram(o.Histogram)
			if err != nil {
				t.Fatal(err)
			}
			service, err := traffic.DecodeHistogram(o.Open.Service)
			if err != nil {
				t.Fatal(err)
			}
			late, err := traffic.DecodeHistogram(o.Open.Late)
			if err != nil {
				t.Fatal(err)
			}
			if l := o.Open; l.Due != 200 || l.Sent == 0 || l.Sent > l.Due || l.Answered == 0 || l.Answered > l.Sent ||
				late.Count() != l.Sent || service.Count() != l.Answered {
				t.Errorf("%+v: %d late, %d of service", l, late.Count(), service.Count())
			}
			// Over TCP what was not sent counts, too; over UDP lost datagrams are in no distribution.
			if want := map[bool]int64{true: o.Open.Answered,
				false: o.Open.Due}[setups[i].Transport == traffic.UDP]; h.Count() != want {
				t.Errorf("%d round trips, want %d; %+v", h.Count(), want, o.Open)
			}
			if c := o.Clock; c == nil || c.Resolution <= 0 || c.Cost <= 0 || c.Overhead <= 0 {
				t.Errorf("clock: %+v", c)
			}
			for _, e := range o.Streams {
				if (e.RTTSamples != nil) != e.Active {
					t.Errorf("pair %d: %+v", e.Index, e.RTTSamples)
				}
			}
		}
	}
}
