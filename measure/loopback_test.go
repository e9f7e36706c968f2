package measure

import (
	"context"
	"net/netip"
	"slices"
	"testing"
	"time"
)

// ended is what one end of an experiment came to.
type ended struct {
	*Outcome
	err error
}

// bothEnds runs one experiment between two ends in this process; take gets the samples of a side, and may be nil.
func bothEnds(t *testing.T, s Setup, take func(side string, batch []Sample)) (from, to ended) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if !s.Local.IsValid() {
		s.Local, s.Remote = netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.1")
	}
	if take == nil {
		take = func(string, []Sample) {}
	}
	s.Side, s.Listen = To, true
	b, err := Prepare(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	s.Side, s.Listen, s.Port, s.Token = From, false, b.Ready().Port, b.Ready().Token
	a, err := Prepare(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	begin := Now() + int64(200*time.Millisecond)
	done := make(chan struct{})
	go func() {
		to.Outcome, to.err = b.Run(ctx, begin, func(batch []Sample) { take(To, batch) })
		close(done)
	}()
	from.Outcome, from.err = a.Run(ctx, begin, func(batch []Sample) { take(From, batch) })
	<-done
	return from, to
}

// pair runs an experiment that must end well.
func pair(t *testing.T, s Setup) (from, to *Outcome) {
	t.Helper()
	a, b := bothEnds(t, s, nil)
	if a.err != nil || b.err != nil {
		t.Fatalf("from: %v; to: %v", a.err, b.err)
	}
	return a.Outcome, b.Outcome
}

func TestStreamCountsWhatWasSent(t *testing.T) {
	for _, c := range []struct {
		direction string
		streams   int
		address   string
	}{{Out, 1, "127.0.0.1"}, {In, 1, "127.0.0.1"}, {Both, 2, "127.0.0.1"}, {Out, 4, "::1"}} {
		t.Run(c.direction, func(t *testing.T) {
			at := netip.MustParseAddr(c.address)
			window := 300 * time.Millisecond
		again:
			from, to := pair(t, Setup{Method: "stream", Direction: c.direction, Streams: c.streams, Warmup: 50 * time.Millisecond,
				Window: window, Local: at, Remote: at})
			// What is under way 300 ms after the window is cut off: then nothing can be said of what was sent. On a machine
			// whose other work leaves the threads no turn for so long, a longer window gives them more.
			cut := slices.ContainsFunc(slices.Concat(from.Streams, to.Streams), func(s StreamEnd) bool { return !s.Drained })
			if (cut || from.Goodput+to.Goodput == 0) && window < 10*time.Second {
				t.Logf("cut off after a window of %v: once more", window)
				window *= 4
				goto again
			}
			if got := from.Goodput + to.Goodput; got <= 0 {
				t.Fatalf("goodput %v", got)
			}
			if (from.Goodput > 0) != (c.direction != Out) || (to.Goodput > 0) != (c.direction != In) {
				t.Errorf("direction %s: %v bit/s received at from, %v at to", c.direction, from.Goodput, to.Goodput)
			}
			sum := 0.0
			for i := range from.Streams {
				a, b := from.Streams[i], to.Streams[i]
				sum += a.Goodput + b.Goodput
				if a.Active {
					a, b = b, a
				}
				if !a.Drained || !b.Drained || b.Sent != a.Received || a.Received == 0 {
					t.Errorf("stream %d: sent %d, received %d, drained %v %v", i, b.Sent, a.Received, b.Drained, a.Drained)
				}
			}
			if total := from.Goodput + to.Goodput; sum < total*0.999 {
				t.Errorf("the streams sum to %v, less than the total %v", sum, total)
			}
			t.Logf("from %.3g to %.3g Gb/s, %+v", from.Goodput/1e9, to.Goodput/1e9, to.CPU)
		})
	}
}

func TestPing(t *testing.T) {
	from, to := pair(t, Setup{Method: "ping", Direction: Out, Streams: 2, Window: 300 * time.Millisecond})
	h, err := DecodeHistogram(from.Histogram)
	if err != nil {
		t.Fatal(err)
	}
	if from.Trips == 0 || h.Count() != from.Trips || to.Trips != 0 {
		t.Errorf("trips %d, histogram %d, at the answering end %d", from.Trips, h.Count(), to.Trips)
	}
	if h.Quantile(0.5) <= 0 || h.Max() < h.Quantile(0.99) || h.Max() > 1 {
		t.Errorf("p50 %v p99 %v max %v", h.Quantile(0.5), h.Quantile(0.99), h.Max())
	}
	t.Logf("p50 %v p99 %v max %v", h.Quantile(0.5), h.Quantile(0.99), h.Max())
}
