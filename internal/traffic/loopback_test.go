package traffic

import (
	"context"
	"net/netip"
	"runtime"
	"sync"
	"testing"
	"time"

	"linerate/internal/testenv"
)

// ended is what one end of an experiment came to.
type ended struct {
	*Outcome
	err error
}

// run is an experiment that both ends have carried out, with the samples of each.
type run struct {
	from, to *Outcome
	rows     map[string][]Sample
}

// lead is how long before the first byte the ends of a live test are started: a start that comes after it is an error, and it must not
// come late on a machine that is ten times slower.
const lead = 1500 * time.Millisecond

// pairs runs experiments over the loopback, all at once, that must end well. With a drain nothing that is under way at the end of a window is cut off.
func pairs(t *testing.T, drain time.Duration, setups ...Setup) []run {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	prepare := func(s Setup) *End {
		e, err := Prepare(ctx, s)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(e.Close)
		if drain > 0 {
			e.method.drain = drain
		}
		return e
	}
	ends := make([][2]*End, len(setups))
	for i, s := range setups {
		if !s.Local.IsValid() {
			s.Local, s.Remote = netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.1")
		}
		s.Side, s.Listen = To, true
		b := prepare(s)
		s.Side, s.Listen, s.Port, s.Ports, s.Token = From, false, b.Ready().Port, b.Ready().Ports, b.Ready().Token
		ends[i] = [2]*End{prepare(s), b}
	}
	runs, errs, emitted := make([]run, len(setups)), make([][2]error, len(setups)), make([][2][]Sample, len(setups))
	begin := Now() + int64(lead)
	var all sync.WaitGroup
	for i, pair := range ends {
		for j, o := range []**Outcome{&runs[i].from, &runs[i].to} {
			all.Go(func() {
				*o, errs[i][j] = pair[j].Run(ctx, begin, func(rows []Sample) { emitted[i][j] = append(emitted[i][j], rows...) })
			})
		}
	}
	all.Wait()
	for i := range runs {
		if errs[i][0] != nil || errs[i][1] != nil {
			t.Fatalf("experiment %d: from: %v; to: %v", i, errs[i][0], errs[i][1])
		}
		runs[i].rows = map[string][]Sample{From: emitted[i][0], To: emitted[i][1]}
		ends[i][0].Close()
		ends[i][1].Close()
	}
	return runs
}

// drained is long enough for everything that a stream has under way.
const drained = time.Minute

// received is what came of all streams at an end.
func received(o *Outcome) (sum int64) {
	for _, e := range o.Streams {
		if !e.Active {
			sum += e.Received
		}
	}
	return sum
}

// Every byte that a stream sends is received, in each direction, over both families, by each of its connections.
func TestStreamCountsWhatWasSent(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	var setups []Setup
	for i, c := range []struct {
		direction string
		streams   int
		address   string
	}{{Out, 1, "127.0.0.1"}, {In, 1, "127.0.0.1"}, {Both, 2, "127.0.0.1"}, {Out, 4, "::1"}} {
		at := netip.MustParseAddr(c.address)
		setups = append(setups, Setup{Method: "stream", Direction: c.direction, Streams: c.streams,
			Warmup: 50 * time.Millisecond, Window: 2 * time.Second, Local: at, Remote: at})
		if i > 0 { // the first as fast as it can; the others leave the cores to other tests
			setups[i].Pace = 500e6
		}
	}
	for i, r := range pairs(t, drained, setups...) {
		s := setups[i]
		if (received(r.from) > 0) != (s.Direction != Out) || (received(r.to) > 0) != (s.Direction != In) {
			t.Errorf("direction %s: %d bytes received at from, %d at to", s.Direction, received(r.from), received(r.to))
		}
		if len(r.from.Streams) != s.connections() || len(r.to.Streams) != s.connections() {
			t.Errorf("%s: %d and %d streams", s.Direction, len(r.from.Streams), len(r.to.Streams))
		}
		for i := range r.from.Streams {
			a, b := r.from.Streams[i], r.to.Streams[i]
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
	s := Setup{Method: "ping", Direction: Out, Streams: 2, Window: 2 * time.Second}
	spinning := s
	spinning.Streams, spinning.Tuning.Spin = 1, runtime.GOOS == "linux"
	for i, r := range pairs(t, drained, s, spinning) {
		h, err := DecodeHistogram(r.from.Histogram)
		if err != nil {
			t.Fatal(err)
		}
		if r.from.Trips == 0 || h.Count() != r.from.Trips || r.to.Trips != 0 {
			t.Errorf("trips %d, histogram %d, at the answering end %d", r.from.Trips, h.Count(), r.to.Trips)
		}
		if h.Quantile(0.5) <= 0 || h.Max() < h.Quantile(0.99) {
			t.Errorf("p50 %v p99 %v max %v", h.Quantile(0.5), h.Quantile(0.99), h.Max())
		}
		for k, a := range r.from.Streams {
			if b := r.to.Streams[k]; a.Sent != b.Received || a.Received != a.Sent || a.Sent != b.Sent {
				t.Errorf("pair %d: %d bytes sent, %d received, %d sent back, %d came", k, a.Sent, b.Received, b.Sent, a.Received)
			}
		}
		if wait := r.from.InEffect.Wait; (wait == "spinning") != (i == 1 && spinning.Tuning.Spin) || wait != r.to.InEffect.Wait {
			t.Errorf("waits %q and %q", wait, r.to.InEffect.Wait)
		}
	}
}
