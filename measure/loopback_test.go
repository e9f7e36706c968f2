package measure

import (
	"context"
	"net/netip"
	"slices"
	"sync"
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
	return bothEndsDrain(t, s, 0, take)
}

// bothEndsDrain is bothEnds with a time of its own for what is under way at the end of the window; 0: the method's.
func bothEndsDrain(t *testing.T, s Setup, drain time.Duration, take func(side string, batch []Sample)) (from, to ended) {
	t.Helper()
	if !s.Local.IsValid() {
		s.Local, s.Remote = netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.1")
	}
	var fromRows, toRows [][]Sample
	punctual(t, func(lead time.Duration) bool {
		from, to, fromRows, toRows = ended{}, ended{}, nil, nil
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		s := s
		s.Side, s.Listen = To, true
		b, err := Prepare(ctx, s)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		s.Side, s.Listen, s.Port, s.Ports, s.Token = From, false, b.Ready().Port, b.Ready().Ports, b.Ready().Token
		a, err := Prepare(ctx, s)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		if drain > 0 {
			a.method.drain, b.method.drain = drain, drain
		}
		begin := Now() + int64(lead)
		run := func(e *End, end *ended, rows *[][]Sample) {
			end.Outcome, end.err = e.Run(ctx, begin, func(batch []Sample) { *rows = append(*rows, batch) })
			if late(end.err) {
				cancel() // the other end would wait for this one
			}
		}
		var both sync.WaitGroup
		both.Go(func() { run(b, &to, &toRows) })
		run(a, &from, &fromRows)
		both.Wait()
		return late(from.err, to.err)
	})
	for _, batch := range fromRows {
		if take != nil {
			take(From, batch)
		}
	}
	for _, batch := range toRows {
		if take != nil {
			take(To, batch)
		}
	}
	return from, to
}

// pair runs an experiment that must end well.
func pair(t *testing.T, s Setup) (from, to *Outcome) {
	t.Helper()
	return pairDrain(t, s, 0)
}

func pairDrain(t *testing.T, s Setup, drain time.Duration) (from, to *Outcome) {
	t.Helper()
	a, b := bothEndsDrain(t, s, drain, nil)
	if a.err != nil || b.err != nil {
		t.Fatalf("from: %v; to: %v", a.err, b.err)
	}
	return a.Outcome, b.Outcome
}

// carried is pair for a stream of which every direction and stream that carries something has a turn in the window: on a machine whose other
// work leaves the threads none for so long, a longer window gives them more. Nothing under way is cut off, unless it stands still for seconds.
func carried(t *testing.T, s Setup) (from, to *Outcome) {
	t.Helper()
	for {
		from, to = pairDrain(t, s, 5*time.Second)
		nothing := s.Direction != Out && from.Goodput == 0 || s.Direction != In && to.Goodput == 0
		for _, e := range slices.Concat(from.Streams, to.Streams) {
			nothing = nothing || e.Active && e.Sent == 0 || !e.Active && e.Received == 0
		}
		if !nothing || s.Window > 10*time.Second {
			return from, to
		}
		t.Logf("nothing in a window of %v: once more", s.Window)
		s.Window *= 4
	}
}

func TestStreamCountsWhatWasSent(t *testing.T) {
	for _, c := range []struct {
		direction string
		streams   int
		address   string
	}{{Out, 1, "127.0.0.1"}, {In, 1, "127.0.0.1"}, {Both, 2, "127.0.0.1"}, {Out, 4, "::1"}} {
		t.Run(c.direction, func(t *testing.T) {
			at := netip.MustParseAddr(c.address)
			from, to := carried(t, Setup{Method: "stream", Direction: c.direction, Streams: c.streams, Warmup: 50 * time.Millisecond,
				Window: 300 * time.Millisecond, Local: at, Remote: at})
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
