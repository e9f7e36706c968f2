// Package traffictest has what tests of engines share: ends that run over the loopback, and over links in simulated
// time.
// Only tests import it.
package traffictest

import (
	"context"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/traffic"
)

// Ends run in simulated time: the clock is that of testing/synctest, the link is a rate and a delay, so that every
// figure is known exactly, on any machine.

// Link is one direction of a simulated connection. It carries one byte after the other at its rate, each arrives delay
// later, and the sender may be ahead of it by as many bytes as its buffer holds.
type Link struct {
	Rate   unit.BitRate
	Delay  time.Duration
	Buffer unit.Bytes
	Dead   int64 // stamp from which on nothing arrives; 0: never
	Down   Gap   // in it nothing leaves the sender
	Held   Gap   // what arrives in it is read at its end: the reader stands still
}

// Gap is from one stamp to another; zero: there is none.
type Gap struct{ From, To int64 }

// After returns a stamp, or the end of the gap where the stamp lies in it.
func (g Gap) After(stamp int64) int64 {
	if stamp >= g.From && stamp < g.To {
		return g.To
	}
	return stamp
}

// lane carries the chunks of one link.
type lane struct {
	Link
	chunks chan chunk
	Queue  *queue
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
	// ChunkSize is the most bytes that arrive together.
	ChunkSize = 16 << 10
	headSize  = 256
)

// Simulated is one end of a connection.
type Simulated struct {
	net.Conn // not there: a method that is missing below panics
	Out, in  *lane
	rest     chunk // what is left of the chunk that is being read
	broken   chan struct{}
	breaks   *sync.Once
	peer     *Simulated
	Datagram bool
	Timeout  time.Duration
	// of datagram k: when it arrives after the others, once for each copy; nil: as it is
	Fate func(k int64) []time.Duration
	sent int64
}

// NewSimulated makes the two ends of a connection.
func NewSimulated(out, in Link) (from, to *Simulated) {
	there, back := &lane{out, make(chan chunk, 1<<18), &queue{}}, &lane{in, make(chan chunk, 1<<18), &queue{}}
	from = &Simulated{Out: there, in: back, broken: make(chan struct{}), breaks: &sync.Once{}}
	to = &Simulated{Out: back, in: there, broken: make(chan struct{}), breaks: &sync.Once{}}
	from.peer, to.peer = to, from
	return from, to
}

func (l *lane) send(c chunk) {
	c.at = l.Held.After(l.leaves(c.n) + int64(l.Delay))
	if l.Dead > 0 && c.at >= l.Dead {
		return
	}
	l.chunks <- c
}

// leaves returns the stamp at which n further bytes have left the sender.
func (l *lane) leaves(n int) int64 {
	q := l.Queue
	q.mu.Lock()
	defer q.mu.Unlock()
	from := l.Down.After(max(q.busy, traffic.Now()))
	q.busy = from
	if l.Rate > 0 {
		q.busy += int64(float64(n) * 8e9 / float64(l.Rate))
	}
	if from < l.Down.From && q.busy > l.Down.From {
		q.busy += l.Down.To - l.Down.From
	}
	return q.busy
}

// wait sleeps until the buffer has room again.
func (l *lane) wait(broken <-chan struct{}) bool {
	ahead := int64(0)
	if l.Rate > 0 {
		ahead = int64(float64(l.Buffer) * 8e9 / float64(l.Rate))
	}
	return pausedUntil(l.leaves(0)-ahead, broken)
}

// pausedUntil sleeps until a stamp; false: broken came first.
func pausedUntil(at int64, broken <-chan struct{}) bool {
	left := time.Duration(at - traffic.Now())
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

func (s *Simulated) Write(p []byte) (int, error) {
	if s.Datagram {
		return s.writeDatagram(p)
	}
	for n := 0; n < len(p); {
		select {
		case <-s.peer.broken:
			return n, failure.Of("simulated", syscall.EPIPE)
		default:
		}
		size := min(ChunkSize, len(p)-n)
		c := chunk{n: size}
		if n == 0 {
			c.head = append(c.head, p[:min(headSize, size)]...)
		}
		s.Out.send(c)
		if n += size; !s.Out.wait(s.broken) {
			return n, failure.Of("simulated", syscall.EPIPE)
		}
	}
	return len(p), nil
}

func (s *Simulated) writeDatagram(p []byte) (int, error) {
	left := s.Out.leaves(len(p))
	fate := []time.Duration{0}
	if s.Fate != nil {
		fate = s.Fate(s.sent)
	}
	s.sent++
	for _, late := range fate {
		at := s.Out.Held.After(left + int64(s.Out.Delay+late))
		c := chunk{at: at, n: len(p), head: append([]byte(nil), p...)}
		time.AfterFunc(time.Duration(at-traffic.Now()), func() { s.Out.chunks <- c })
	}
	if !s.Out.wait(s.broken) {
		return len(p), syscall.EPIPE
	}
	return len(p), nil
}

func (s *Simulated) Read(p []byte) (int, error) {
	if s.Datagram {
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

func (s *Simulated) readDatagram(p []byte) (int, error) {
	var over <-chan time.Time
	if s.Timeout > 0 {
		over = time.After(s.Timeout)
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

// CloseWrite ends the direction from this end.
func (s *Simulated) CloseWrite() error {
	s.Out.send(chunk{last: true})
	return nil
}

// SetLinger does nothing.
func (s *Simulated) SetLinger(int) error { return nil }

// SetReadDeadline does nothing.
func (s *Simulated) SetReadDeadline(time.Time) error { return nil }

// SetDeadline interrupts all calls that are under way: ends call it with a time in the past.
func (s *Simulated) SetDeadline(time.Time) error {
	s.breaks.Do(func() {
		close(s.broken)
		if !s.Datagram {
			s.Out.send(chunk{last: true})
		}
	})
	return nil
}

// Close closes the connection.
func (s *Simulated) Close() error { return s.SetDeadline(time.Time{}) }

// InSimulation runs both ends in a bubble, from a second ahead, and returns their outcomes.
func InSimulation(t *testing.T, from, to *traffic.End, emit func(side string, rows []traffic.Sample)) (a, b Ended,
	begin int64) {
	t.Helper()
	if emit == nil {
		emit = func(string, []traffic.Sample) {}
	}
	begin = traffic.Now() + int64(time.Second)
	var both sync.WaitGroup
	both.Go(func() {
		a.Outcome, a.Err = from.Run(t.Context(), begin, func(r []traffic.Sample) { emit(traffic.From, r) })
	})
	both.Go(func() {
		b.Outcome, b.Err = to.Run(t.Context(), begin, func(r []traffic.Sample) { emit(traffic.To, r) })
	})
	both.Wait()
	from.Close()
	to.Close()
	return a, b, begin
}

// Bubble runs f in simulated time. It begins after this process, whose start is the zero of Now: a stamp is never below
// it.
func Bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Duration(max(0, -traffic.Now())) + time.Hour)
		f(t)
	})
}

// Within reports whether a figure differs from the wanted one by no more than a share.
func Within(got, want, share float64) bool {
	return got >= want*(1-share) && got <= want*(1+share)
}

// Contains reports whether a text has all the parts.
func Contains(text string, parts ...string) bool {
	return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(text, p) })
}

// Ended is the result of one end of an experiment.
type Ended struct {
	*traffic.Outcome
	Err error
}

// Outcomes is an experiment that both ends have carried out, with the samples of each.
type Outcomes struct {
	From, To *traffic.Outcome
	Rows     map[string][]traffic.Sample
}

// Lead is how long before the first byte the ends of a live test are started: a start that comes after it is an error,
// and it must not come late on a machine that is ten times slower.
const Lead = 1500 * time.Millisecond

// Pairs runs experiments over the loopback, all at once, that must end well. With a drain nothing that is under way at
// the end of an interval is cut off.
func Pairs(t *testing.T, table traffic.Table, drain time.Duration, setups ...traffic.Setup) []Outcomes {
	t.Helper()
	if drain > 0 {
		table = slices.Clone(table)
		for i := range table {
			table[i].Drain = drain
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	prepare := func(s traffic.Setup) *traffic.End {
		e, err := table.Prepare(ctx, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(e.Close)
		return e
	}
	ends := make([][2]*traffic.End, len(setups))
	for i, s := range setups {
		if !s.Local.IsValid() {
			s.Local, s.Remote = netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.1")
		}
		s.Side, s.Listen = traffic.To, true
		b := prepare(s)
		s.Side, s.Listen, s.Port, s.Ports, s.Token = traffic.From, false, b.Ready().Port, b.Ready().Ports, b.Ready().Token
		ends[i] = [2]*traffic.End{prepare(s), b}
	}
	runs, errs, emitted := make([]Outcomes, len(setups)), make([][2]error, len(setups)),
		make([][2][]traffic.Sample, len(setups))
	begin := traffic.Now() + int64(Lead)
	var all sync.WaitGroup
	for i, pair := range ends {
		for j, o := range []**traffic.Outcome{&runs[i].From, &runs[i].To} {
			all.Go(func() {
				*o, errs[i][j] = pair[j].Run(ctx, begin,
					func(rows []traffic.Sample) { emitted[i][j] = append(emitted[i][j], rows...) })
			})
		}
	}
	all.Wait()
	for i := range runs {
		if errs[i][0] != nil || errs[i][1] != nil {
			t.Fatalf("experiment %d: from: %v; to: %v", i, errs[i][0], errs[i][1])
		}
		runs[i].Rows = map[string][]traffic.Sample{traffic.From: emitted[i][0], traffic.To: emitted[i][1]}
		ends[i][0].Close()
		ends[i][1].Close()
	}
	return runs
}

// Drained is long enough for everything that a stream has under way.
const Drained = time.Minute

// Received returns the bytes that all streams of an end received.
func Received(o *traffic.Outcome) (sum int64) {
	for _, e := range o.Streams {
		if !e.Active {
			sum += e.Received
		}
	}
	return sum
}

// Descriptors returns the number of open descriptors of this process.
func Descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("open descriptors are counted in /proc/self/fd, which is missing here")
	}
	return len(entries)
}

// Settled waits until a count is back at what it was, or reports an error.
func Settled(t *testing.T, what string, want int, count func() int) {
	t.Helper()
	got := 0
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(5 * time.Millisecond) {
		if got = count(); got <= want {
			return
		}
	}
	t.Errorf("%s: %d, was %d", what, got, want)
}

// Setup makes a setup over the loopback, with an interval in which each thread runs on a busy machine.
func Setup(method string, streams int) traffic.Setup {
	at := netip.MustParseAddr("127.0.0.1")
	return traffic.Setup{Method: method, Direction: traffic.Out, Streams: streams, Interval: time.Second, Local: at,
		Remote: at}
}
