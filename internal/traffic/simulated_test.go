package traffic

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"linerate/internal/base/unit"
)

// Ends that run in simulated time: the clock is that of testing/synctest, the link is a rate and a delay, and so every
// figure is known exactly, on any machine.

// link is one direction of a simulated connection. It carries one byte after the other at its rate, each arrives delay
// later, and the sender may be ahead of it by as many bytes as its buffer holds.
type link struct {
	rate   unit.BitRate
	delay  time.Duration
	buffer unit.Bytes
	dead   int64 // stamp from which on nothing arrives; 0: never
	down   gap   // in it nothing leaves the sender
	held   gap   // what arrives in it is read at its end: the reader stands still
}

// gap is from one stamp to another; zero: there is none.
type gap struct{ from, to int64 }

// after is a stamp, or the end of the gap where the stamp lies in it.
func (g gap) after(stamp int64) int64 {
	if stamp >= g.from && stamp < g.to {
		return g.to
	}
	return stamp
}

// lane carries the chunks of one link.
type lane struct {
	link
	chunks chan chunk
	queue  *queue
}

// queue is what waits in front of a link; several connections may share one.
type queue struct {
	mu   sync.Mutex
	busy int64 // stamp at which the last byte has left
}

// chunk is bytes that arrive together. Only the first of them are kept: more are the payload of a stream, whose
// contents no task looks at.
type chunk struct {
	at   int64
	n    int
	head []byte
	last bool // nothing follows
}

const (
	chunkSize = 16 << 10
	headSize  = 256
)

// simulated is one end of a connection.
type simulated struct {
	net.Conn // not there: a method that is missing below panics
	out, in  *lane
	rest     chunk // what is left of the chunk that is being read
	broken   chan struct{}
	breaks   *sync.Once
	peer     *simulated
	datagram bool
	timeout  time.Duration
	fate     func(k int64) []time.Duration // of datagram k: when it arrives after the others, once for each copy; nil: as it is
	sent     int64
}

func newSimulated(out, in link) (from, to *simulated) {
	there, back := &lane{out, make(chan chunk, 1<<18), &queue{}}, &lane{in, make(chan chunk, 1<<18), &queue{}}
	from = &simulated{out: there, in: back, broken: make(chan struct{}), breaks: &sync.Once{}}
	to = &simulated{out: back, in: there, broken: make(chan struct{}), breaks: &sync.Once{}}
	from.peer, to.peer = to, from
	return from, to
}

func (l *lane) send(c chunk) {
	c.at = l.held.after(l.leaves(c.n) + int64(l.delay))
	if l.dead > 0 && c.at >= l.dead {
		return
	}
	l.chunks <- c
}

// leaves is the stamp at which n further bytes have left the sender.
func (l *lane) leaves(n int) int64 {
	q := l.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	from := l.down.after(max(q.busy, Now()))
	q.busy = from
	if l.rate > 0 {
		q.busy += int64(float64(n) * 8e9 / float64(l.rate))
	}
	if from < l.down.from && q.busy > l.down.from {
		q.busy += l.down.to - l.down.from
	}
	return q.busy
}

// wait is until the buffer has room again.
func (l *lane) wait(broken <-chan struct{}) bool {
	ahead := int64(0)
	if l.rate > 0 {
		ahead = int64(float64(l.buffer) * 8e9 / float64(l.rate))
	}
	return pausedUntil(l.leaves(0)-ahead, broken)
}

// pausedUntil sleeps until a stamp; false: broken came first.
func pausedUntil(at int64, broken <-chan struct{}) bool {
	left := time.Duration(at - Now())
	if left <= 0 {
		// Go 1.26 crashed now and then with the race detector, in a select on a timer of a bubble that was due at once.
		select {
		case <-broken:
			return false
		default:
			return true
		}
	}
	select {
	case <-time.After(left):
		return true
	case <-broken:
		return false
	}
}

func (s *simulated) Write(p []byte) (int, error) {
	if s.datagram {
		return s.writeDatagram(p)
	}
	for n := 0; n < len(p); {
		select {
		case <-s.peer.broken:
			return n, connectError("simulated", syscall.EPIPE)
		default:
		}
		size := min(chunkSize, len(p)-n)
		c := chunk{n: size}
		if n == 0 {
			c.head = append(c.head, p[:min(headSize, size)]...)
		}
		s.out.send(c)
		if n += size; !s.out.wait(s.broken) {
			return n, connectError("simulated", syscall.EPIPE)
		}
	}
	return len(p), nil
}

func (s *simulated) writeDatagram(p []byte) (int, error) {
	left := s.out.leaves(len(p))
	fate := []time.Duration{0}
	if s.fate != nil {
		fate = s.fate(s.sent)
	}
	s.sent++
	for _, late := range fate {
		at := s.out.held.after(left + int64(s.out.delay+late))
		c := chunk{at: at, n: len(p), head: append([]byte(nil), p...)}
		time.AfterFunc(time.Duration(at-Now()), func() { s.out.chunks <- c })
	}
	if !s.out.wait(s.broken) {
		return len(p), syscall.EPIPE
	}
	return len(p), nil
}

func (s *simulated) Read(p []byte) (int, error) {
	if s.datagram {
		return s.readDatagram(p)
	}
	if s.rest.n == 0 && !s.rest.last {
		select {
		case s.rest = <-s.in.chunks:
		case <-s.broken:
			return 0, io.EOF
		}
		if !pausedUntil(s.rest.at, s.broken) {
			return 0, io.EOF
		}
	}
	if s.rest.last {
		return 0, io.EOF
	}
	n := min(len(p), s.rest.n)
	s.rest.head = s.rest.head[copy(p[:n], s.rest.head):]
	s.rest.n -= n
	return n, nil
}

func (s *simulated) readDatagram(p []byte) (int, error) {
	var over <-chan time.Time
	if s.timeout > 0 {
		over = time.After(s.timeout)
	}
	select {
	case c := <-s.in.chunks:
		return copy(p, c.head), nil
	case <-over:
		return 0, syscall.EAGAIN
	case <-s.broken:
		return 0, nil
	}
}

func (s *simulated) CloseWrite() error {
	s.out.send(chunk{last: true})
	return nil
}

func (s *simulated) SetLinger(int) error { return nil }

func (s *simulated) SetReadDeadline(time.Time) error { return nil }

// SetDeadline of a time that has passed is what an end does to all that it still has under way.
func (s *simulated) SetDeadline(time.Time) error {
	s.breaks.Do(func() {
		close(s.broken)
		if !s.datagram {
			s.out.send(chunk{last: true})
		}
	})
	return nil
}

func (s *simulated) Close() error { return s.SetDeadline(time.Time{}) }

// simulatedEnds are two prepared ends with a link in each direction for every connection.
func simulatedEnds(t *testing.T, s Setup, out, in link) (from, to *End) {
	t.Helper()
	at := netip.MustParseAddr("127.0.0.1")
	s.Local, s.Remote = at, at
	s.sleep, s.SocketsOnly = sleepUntil, true
	m, err := method(s.Method)
	if err != nil {
		t.Fatal(err)
	}
	s.Side = From
	from = &End{setup: s, method: m, size: s.message(m)}
	s.Side = To
	to = &End{setup: s, method: m, size: s.message(m)}
	if s.Transport == UDP {
		from.udp, to.udp = &udpEnd{}, &udpEnd{}
	}
	for i := range s.connections() {
		a, b := newSimulated(out, in)
		if s.Transport == UDP {
			a.datagram, b.datagram = true, true
			if s.Method == "ping" {
				a.timeout, b.timeout = pingTimeout, pingTimeout
			}
			from.udp.wires = append(from.udp.wires, simulatedUDP(a, s, i))
			to.udp.wires = append(to.udp.wires, simulatedUDP(b, s, i))
			continue
		}
		from.wires = append(from.wires, simulatedWire(a))
		to.wires = append(to.wires, simulatedWire(b))
	}
	return from, to
}

// inSimulation runs both ends, a second ahead, and hands over what they came to; called in a bubble. The beginning is between two
// slices of anything.
func inSimulation(t *testing.T, from, to *End, emit func(side string, rows []Sample)) (a, b ended, begin int64) {
	t.Helper()
	if emit == nil {
		emit = func(string, []Sample) {}
	}
	begin = Now() + int64(time.Second)
	var both sync.WaitGroup
	both.Go(func() { a.Outcome, a.err = from.Run(t.Context(), begin, func(r []Sample) { emit(From, r) }) })
	both.Go(func() { b.Outcome, b.err = to.Run(t.Context(), begin, func(r []Sample) { emit(To, r) }) })
	both.Wait()
	from.Close()
	to.Close()
	return a, b, begin
}

// bubble runs f in simulated time. It begins after this process, whose start is the zero of Now: a stamp is never below it.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Duration(max(0, -Now())) + time.Hour)
		f(t)
	})
}

// simulate runs an experiment over links in simulated time that must end well.
func simulate(t *testing.T, s Setup, out, in link, check func(t *testing.T, from, to *Outcome, begin int64)) {
	t.Helper()
	bubble(t, func(t *testing.T) {
		from, to := simulatedEnds(t, s, out, in)
		a, b, begin := inSimulation(t, from, to, nil)
		if err := errors.Join(a.err, b.err); err != nil {
			t.Fatal(err)
		}
		check(t, a.Outcome, b.Outcome, begin)
	})
}

// within says whether a figure is what it must be, but for a share.
func within(got, want, share float64) bool {
	return got >= want*(1-share) && got <= want*(1+share)
}

// mbit is a link of 100 Mb/s and half a millisecond, with a buffer of 64 KiB.
var mbit = link{rate: 100e6, delay: 500 * time.Microsecond, buffer: 64 * unit.KiB}

// A stream carries what its link carries, exactly, in each direction, whatever the number of streams.
func TestSimulatedStream(t *testing.T) {
	for _, direction := range []string{Out, In, Both} {
		for _, streams := range []int{1, 3} {
			s := Setup{Method: "stream", Direction: direction, Streams: streams, Warmup: 100 * time.Millisecond, Window: time.Second}
			simulate(t, s, mbit, mbit, func(t *testing.T, from, to *Outcome, begin int64) {
				for _, o := range []*Outcome{from, to} {
					want := 0.0
					if receives := o == to && direction != In || o == from && direction != Out; receives {
						want = float64(streams) * 100e6
					}
					if !within(o.Goodput, want, 1e-3) {
						t.Errorf("%s, %d streams: %v bit/s, want %v", direction, streams, o.Goodput, want)
					}
					if o.OpenNS != begin+100*ms || o.CloseNS != begin+1100*ms || want > 0 && len(o.Series) != 10 {
						t.Errorf("%s: open %d, close %d ms after the beginning, %d slices", direction, (o.OpenNS-begin)/ms, (o.CloseNS-begin)/ms, len(o.Series))
					}
					for i, rate := range o.Series {
						if !within(rate, want, 0.03) { // a slice ends in the middle of a chunk
							t.Errorf("%s, %d streams: %v bit/s in slice %d, want %v", direction, streams, rate, i, want)
						}
					}
				}
				for i := range from.Streams {
					a, b := from.Streams[i], to.Streams[i]
					if a.Active {
						a, b = b, a
					}
					if !a.Drained || !b.Drained || a.Received != b.Sent || !within(a.Goodput, 100e6, 1e-3) {
						t.Errorf("%s: stream %d: %d sent, %d received, drained %v %v, %v bit/s", direction, i, b.Sent, a.Received, b.Drained, a.Drained, a.Goodput)
					}
				}
			})
		}
	}
}

// The program keeps a pace to the byte: over the window, and in every slice of it.
func TestSimulatedPace(t *testing.T) {
	fast := link{rate: 10e9, delay: 100 * time.Microsecond, buffer: unit.MiB}
	for _, rate := range []unit.BitRate{1.6e6, 8e6, 80e6} {
		s := Setup{Method: "stream", Direction: Out, Streams: 2, Warmup: 300 * time.Millisecond, Window: time.Second, Pace: rate, PaceBy: PaceByProgram}
		simulate(t, s, fast, fast, func(t *testing.T, from, to *Outcome, begin int64) {
			if from.InEffect.PaceBy != PaceByProgram || from.InEffect.PaceWhy != "" || to.InEffect.PaceBy != "" {
				t.Errorf("%+v, %+v", from.InEffect, to.InEffect)
			}
			if !within(to.Goodput, 2*float64(rate), 1e-6) {
				t.Errorf("%v in the window, want %v", to.Goodput, 2*rate)
			}
			for i, r := range to.Series {
				if !within(r, 2*float64(rate), 1e-6) {
					t.Errorf("%v in slice %d, want %v", r, i, 2*rate)
				}
			}
			// A message that is due is handed over, so the total is a message at most ahead of the rate.
			until := 1350 * time.Millisecond
			for i, e := range to.Streams {
				exact := int64(float64(rate) / 8 * until.Seconds())
				if ahead := e.Received - exact; ahead < 0 || ahead > int64(float64(rate)/8*paceStep.Seconds())+1 {
					t.Errorf("stream %d: %d bytes in %v, want %d", i, e.Received, until, exact)
				}
			}
		})
	}
}

// A sender that stands still for a while makes up for it, and keeps the mean.
func TestPaceAfterAStop(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPacer(8e6, Now())
		sent, stopped := int64(0), false
		for at := p.begin; at < p.begin+int64(time.Second); at = Now() {
			if !stopped && at >= p.begin+300*ms {
				stopped = true
				time.Sleep(200 * time.Millisecond)
			}
			p.wait(sent, p.begin+int64(time.Second))
			sent += int64(p.message(1 << 20))
		}
		if sent < 1_000_000 || sent > 1_002_000 {
			t.Errorf("%d bytes in a second at 8 Mb/s", sent)
		}
	})
}

// An amount takes the time that its bytes take, and that is its goodput.
func TestSimulatedAmount(t *testing.T) {
	s := Setup{Method: "stream", Direction: Out, Streams: 2, Window: 20 * time.Second, Amount: 10_000_001}
	simulate(t, s, mbit, mbit, func(t *testing.T, from, to *Outcome, begin int64) {
		// Each of the two links carries 5 000 000 bytes, one of them one more, and the last arrives half a millisecond later.
		took := time.Duration(to.EndNS - begin)
		if want := 400_500 * time.Microsecond; took < want || took > want+time.Microsecond {
			t.Errorf("it took %v, want %v", took, want)
		}
		if to.StartNS != begin || !within(to.Goodput, 10_000_001*8/took.Seconds(), 1e-9) || to.Streams[0].Received+to.Streams[1].Received != 10_000_001 {
			t.Errorf("%v bit/s, %+v", to.Goodput, to.Streams)
		}
	})
}

// The amount that is not through at the limit is an error that names what came and what to do.
func TestAmountLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := Setup{Method: "stream", Direction: Out, Streams: 2, Window: 300 * time.Millisecond, Amount: 100 * unit.MiB, Pace: 80e6, PaceBy: PaceByProgram}
		from, to := simulatedEnds(t, s, mbit, mbit)
		a, b, begin := inSimulation(t, from, to, nil)
		for _, err := range []error{a.err, b.err} {
			var e *Error
			if !errors.As(err, &e) || e.Code != CodeTimeout || !contains(e.Text, "of 100 MiB were", "--time") {
				t.Errorf("%v", err)
			}
		}
		if took := time.Duration(Now() - begin); took < 300*time.Millisecond || took > 700*time.Millisecond {
			t.Errorf("it ended after %v", took)
		}
	})
}

// A round trip over a link is twice its delay and the time that the message takes.
func TestSimulatedPing(t *testing.T) {
	wire := link{delay: 250 * time.Microsecond}
	for _, transport := range []string{TCP, UDP} {
		s := Setup{Method: "ping", Transport: transport, Direction: Out, Streams: 2, Warmup: 10 * time.Millisecond, Window: 100 * time.Millisecond}
		simulate(t, s, wire, wire, func(t *testing.T, from, to *Outcome, begin int64) {
			h, err := DecodeHistogram(from.Histogram)
			if err != nil {
				t.Fatal(err)
			}
			// Each pair asks every half millisecond: 200 times in the window.
			if from.Trips != 400 || h.Count() != 400 || to.Trips != 0 || !within(h.Quantile(0.01), 500e-6, 1e-3) || !within(h.Max(), 500e-6, 1e-3) {
				t.Errorf("%s: %d trips, %d in the histogram, %v to %v, %d at the answering end", transport, from.Trips, h.Count(), h.Quantile(0.01), h.Max(), to.Trips)
			}
			for i, e := range from.Streams {
				if transport == UDP && (e.UDP.Sent != 200 || e.UDP.Received != 200) || e.Received != e.Sent || to.Streams[i].Sent != e.Received {
					t.Errorf("%s: pair %d: %+v, %+v", transport, i, e, e.UDP)
				}
			}
		})
	}
}

// A round trip that is out when the link goes dead counts with the time it took so far: the stall is seen.
func TestPingStall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := Setup{Method: "ping", Direction: Out, Streams: 1, Window: 100 * time.Millisecond}
		dead := Now() + int64(time.Second) + 60*ms + 100_000
		from, to := simulatedEnds(t, s, link{delay: time.Millisecond}, link{delay: time.Millisecond, dead: dead})
		a, _, _ := inSimulation(t, from, to, nil)
		if a.err != nil {
			t.Fatal(a.err)
		}
		h, err := DecodeHistogram(a.Histogram)
		if err != nil {
			t.Fatal(err)
		}
		// Trips of 2 ms until 60 ms; the next waits until the deadline, 50 ms and a second behind the window.
		if a.Trips != 31 || !within(h.Max(), 1.090, 1e-3) || !within(h.Quantile(0.9), 2e-3, 1e-3) {
			t.Errorf("%d trips, p90 %v, longest %v", a.Trips, h.Quantile(0.9), h.Max())
		}
	})
}

// A question over UDP whose datagram is lost is given up after its time, and the loss is counted.
func TestSimulatedPingLoss(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := Setup{Method: "ping", Transport: UDP, Direction: Out, Streams: 1, Window: time.Second}
		from, to := simulatedEnds(t, s, link{delay: time.Millisecond}, link{delay: time.Millisecond})
		simulatedOf(from, 0).fate = func(k int64) []time.Duration {
			if k == 10 {
				return nil
			}
			return []time.Duration{0}
		}
		a, b, _ := inSimulation(t, from, to, nil)
		if err := errors.Join(a.err, b.err); err != nil {
			t.Fatal(err)
		}
		// 2 ms each, and 250 ms for the one that is lost.
		if u := a.Streams[0].UDP; u.Sent != 376 || u.Received != 375 || a.Trips != 375 {
			t.Errorf("%+v, %d trips", u, a.Trips)
		}
	})
}

// Questions of an open loop are sent at their times: none late, each answered after the round trip.
func TestSimulatedOpenLoop(t *testing.T) {
	wire := link{delay: 3 * time.Millisecond}
	for _, transport := range []string{TCP, UDP} {
		for _, direction := range []string{Out, Both} {
			s := Setup{Method: "ping", Transport: transport, Direction: direction, Streams: 2, Every: time.Millisecond, Warmup: 50 * time.Millisecond, Window: 300 * time.Millisecond}
			simulate(t, s, wire, wire, func(t *testing.T, from, to *Outcome, begin int64) {
				ends := []*Outcome{from, to}
				if direction == Out {
					if ends = ends[:1]; to.Open != nil {
						t.Errorf("the end that answers has an open loop: %+v", to.Open)
					}
				}
				for _, o := range ends {
					h, err := DecodeHistogram(o.Histogram)
					service, err2 := DecodeHistogram(o.Open.Service)
					late, err3 := DecodeHistogram(o.Open.Late)
					if err := errors.Join(err, err2, err3); err != nil {
						t.Fatal(err)
					}
					if *o.Open != (OpenLoop{Due: 600, Sent: 600, Reached: 600, Answered: 600, Service: o.Open.Service, Late: o.Open.Late}) || h.Count() != 600 || service.Count() != 600 || late.Count() != 600 {
						t.Errorf("%s %s: %+v with %d round trips, want 600 of everything", transport, direction, o.Open, h.Count())
					}
					if late.Max() > 1e-9 || !within(h.Quantile(0.01), 6e-3, 1e-3) || !within(h.Max(), 6e-3, 1e-3) || !within(service.Max(), 6e-3, 1e-3) {
						t.Errorf("%s %s: response %v to %v, service to %v, late %v", transport, direction, h.Quantile(0.01), h.Max(), service.Max(), late.Max())
					}
					for _, e := range o.Streams {
						if (e.Trips != nil) != e.Active || e.Active && e.Trips.Count != 300 {
							t.Errorf("pair %d: %+v", e.Index, e.Trips)
						}
					}
				}
			})
		}
	}
}

// A rate that the link cannot carry is told from one that was kept, and what waits counts with its waiting.
func TestSimulatedOpenLoopTooFast(t *testing.T) {
	// A message of 1000 bytes each millisecond is 8 Mb/s; the link carries half of it, with 4 messages in its buffer.
	slow := link{rate: 4e6, buffer: 4000}
	s := Setup{Method: "ping", Direction: Out, Streams: 1, Every: time.Millisecond, Window: time.Second, Size: 1000}
	simulate(t, s, slow, link{rate: 1e9}, func(t *testing.T, from, to *Outcome, begin int64) {
		h, err := DecodeHistogram(from.Histogram)
		if err != nil {
			t.Fatal(err)
		}
		late, err := DecodeHistogram(from.Open.Late)
		if err != nil {
			t.Fatal(err)
		}
		// In a second 500 are carried and 4 wait in the buffer. Those that follow in the third of the second of grace are late ones.
		if o := from.Open; o.Due != 1000 || o.Reached < 500 || o.Reached > 506 || o.Sent < 680 || o.Sent > 700 || h.Count() != 1000 {
			t.Errorf("%+v, %d round trips", from.Open, h.Count())
		}
		// Question k is answered after 2(k+1) ms: k+2 ms since it was due. The 310 that were not sent count 384 to 694 ms. Half of all lies below 445 ms.
		if !within(h.Quantile(0.5), 0.445, 0.01) || !within(late.Quantile(0.5), 0.34, 0.03) {
			t.Errorf("p50 %v, late by %v", h.Quantile(0.5), late.Quantile(0.5))
		}
	})
}

// An end that vanishes in the window is an error of the other one, at once.
func TestOtherEndVanishesAtOnce(t *testing.T) {
	for _, method := range []string{"stream", "ping"} {
		bubble(t, func(t *testing.T) {
			from, to := simulatedEnds(t, Setup{Method: method, Direction: Out, Streams: 2, Window: 10 * time.Second}, mbit, mbit)
			begin := Now() + int64(time.Second)
			time.AfterFunc(time.Second+300*time.Millisecond, from.Close)
			var over sync.WaitGroup
			over.Go(func() {
				_, err := from.Run(t.Context(), begin, func([]Sample) {})
				if e := (&Error{}); !errors.As(err, &e) || e.Code != CodeStopped {
					t.Errorf("%s: the end that was closed: %v", method, err)
				}
			})
			_, err := to.Run(t.Context(), begin, func([]Sample) {})
			took := time.Duration(Now() - begin)
			if e := (&Error{}); !errors.As(err, &e) || e.Code != CodeReset || took < 300*time.Millisecond || took > 310*time.Millisecond {
				t.Errorf("%s: after %v: %v", method, took, err)
			}
			over.Wait()
		})
	}
}

// A stream whose link goes dead in the window ends at its deadline, and says for how long nothing came.
func TestSimulatedDeadLink(t *testing.T) {
	bubble(t, func(t *testing.T) {
		dead := Now() + int64(time.Second) + 400*ms
		from, to := simulatedEnds(t, Setup{Method: "stream", Direction: Out, Streams: 1, Window: time.Second},
			link{rate: 100e6, buffer: 64 * unit.KiB, dead: dead}, mbit)
		_, b, begin := inSimulation(t, from, to, nil)
		if b.err != nil {
			t.Fatal(b.err)
		}
		if !contains(b.Warnings[0], "last 6") || b.EndNS != b.CloseNS || !within(b.Goodput, 40e6, 0.01) {
			t.Errorf("%v bit/s, ends %d ms after the beginning, %q", b.Goodput, (b.EndNS-begin)/ms, b.Warnings)
		}
	})
}

// Samples come at their times, once a period for every connection, and the slices of the series are among them.
func TestSimulatedSamples(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := Setup{Method: "stream", Direction: Out, Streams: 2, Warmup: 50 * time.Millisecond, Window: time.Second, Samples: 10}
		from, to := simulatedEnds(t, s, mbit, mbit)
		goodput := map[int][]Sample{}
		emitted := 0
		_, b, begin := inSimulation(t, from, to, func(side string, rows []Sample) {
			if side != To {
				return
			}
			emitted++
			for _, r := range rows {
				if r.Metric == "goodput" {
					goodput[r.Stream] = append(goodput[r.Stream], r)
				}
			}
		})
		if b.err != nil {
			t.Fatal(b.err)
		}
		if emitted < 2 || emitted > 12 {
			t.Errorf("rows were handed over %d times", emitted)
		}
		for stream := range 2 {
			rows := goodput[stream]
			if len(rows) != 10 {
				t.Fatalf("stream %d: %d rows of goodput", stream, len(rows))
			}
			for i, r := range rows {
				if r.TimeNS != begin+50*ms+int64(i)*100*ms || !within(r.Value, 100e6, 0.03) {
					t.Errorf("stream %d, slice %d: %+v", stream, i, r)
				}
			}
		}
	})
}

// A known number of datagrams is left out, sent late, sent twice: the receiver counts each to the datagram, in simulated time between two tasks.
func TestSimulatedUDP(t *testing.T) {
	s := Setup{Method: "stream", Transport: UDP, Direction: Out, Streams: 1, Warmup: 50 * time.Millisecond, Window: 500 * time.Millisecond, Size: 1000, Pace: 8e6, PaceBy: PaceByProgram}
	for name, c := range map[string]struct {
		fate                        func(k int64) []time.Duration
		lost, reordered, duplicated int64
	}{
		"all": {fate: func(int64) []time.Duration { return []time.Duration{0} }},
		"each tenth lost": {fate: func(k int64) []time.Duration {
			if k%10 == 3 {
				return nil
			}
			return []time.Duration{0}
		}, lost: 50},
		"each tenth late": {fate: func(k int64) []time.Duration {
			if k%10 == 3 {
				return []time.Duration{2500 * time.Microsecond}
			}
			return []time.Duration{0}
		}, reordered: 50},
		"each tenth twice": {fate: func(k int64) []time.Duration {
			if k%10 == 3 {
				return []time.Duration{0, 300 * time.Microsecond}
			}
			return []time.Duration{0}
		}, duplicated: 50},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				from, to := simulatedEnds(t, s, link{delay: time.Millisecond}, link{delay: time.Millisecond})
				simulatedOf(from, 0).fate = c.fate
				a, b, _ := inSimulation(t, from, to, nil)
				if err := errors.Join(a.err, b.err); err != nil {
					t.Fatal(err)
				}
				// A datagram each millisecond: 500 in the window.
				out, in := a.Streams[0].UDP, b.Streams[0].UDP
				if out.Sent != 500 || out.Sent-in.Received != c.lost || in.Reordered != c.reordered || in.Duplicated != c.duplicated {
					t.Errorf("%+v sent, %+v received", *out, *in)
				}
				if want := 8e6 * float64(500-c.lost) / 500; !within(b.Goodput, want, 0.01) {
					t.Errorf("%v bit/s, want %v", b.Goodput, want)
				}
			})
		})
	}
}

// contains says whether a text has all the parts.
func contains(text string, parts ...string) bool {
	return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(text, p) })
}
