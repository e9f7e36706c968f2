package traffic

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"time"

	"linerate/internal/base/unit"
)

// task is what one end does with one connection.
type task struct {
	index   int
	setup   Setup
	size    unit.Bytes
	share   int64   // bytes that this connection carries; 0: as many as it can
	source  *source // of what stream's active end sends; nil: memory
	window  window
	wire    *wire
	sent    atomic.Int64
	counter *counter
	trips   *Histogram // of ping's active end
	open    *openLoop  // of ping's active end, if it asks at fixed times
	ctx     context.Context
	slow    []atomic.Int64 // its slowest trip of each slice, nanoseconds
	buffer  []byte         // what stream's active end sends
	trial   *trial         // of stream's passive end, shared by all of its direction; nil: none
	seat    *seat
	yielded int64 // stamp
	called  int64 // stamp of the call before
	effect  InEffect
	thread  atomic.Int64 // number of the thread that does it; 0: not known, or not begun
	short   bool         // of the socket only counters are known
	before  *reading     // the socket at the window's two ends; nil: unknown
	after   *reading
}

func newTask(s Setup, size unit.Bytes, w window, index int, c *wire) *task {
	t := &task{index: index, setup: s, size: size, window: w, wire: c, counter: newCounter(w), share: s.share(index)}
	if s.Method == "ping" && t.active() {
		t.trips = NewHistogram()
		t.slow = make([]atomic.Int64, w.slices())
	}
	return t
}

func (t *task) active() bool { return t.setup.active(t.index) }

// run does the connection's part on a thread of its own.
func (t *task) run(ctx context.Context, m Method) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	t.ctx, t.seat = ctx, newSeat(t.setup, t.index)
	t.thread.Store(int64(t.seat.thread))
	defer t.seat.leave()
	if t.seat.err != nil {
		return &Error{Code: CodeInput, Subject: "placement", Text: t.seat.err.Error()}
	}
	defer func() { t.effect.Placement = t.seat.text(t.setup) }()
	work := m.passive
	t.atBegin()
	if t.active() {
		work = m.active
		if t.setup.Method == "stream" {
			b, free, err := pages(int(max(t.size, t.largestSend())))
			if err != nil {
				return &Error{Code: CodeLimit, Subject: t.wire.peer, Text: err.Error()}
			}
			defer free()
			t.fill(b)
			t.buffer = b
		}
		if !t.awaitStart(ctx) {
			return context.Cause(ctx)
		}
	}
	return work(t)
}

// yieldEvery is how often, in nanoseconds, a busy thread gives its turn up: before the runtime takes it away after 10 ms.
// A runtime that has to take turns away looks every 20 us whether it must, on a processor that the measurement needs
// (measured: 0.1 to 0.2 cores).
const yieldEvery = 4_000_000

// sleptAfter is the time since the call before, in nanoseconds, from which on this one has slept in the kernel, and
// others had their turn.
const sleptAfter = 1_000_000

// yield is called between two calls, never between a call and its stamp.
func (t *task) yield(now int64) {
	slept := now-t.called > sleptAfter
	t.called = now
	if slept {
		t.yielded = now
	}
	if now-t.yielded > yieldEvery {
		t.yielded = now
		runtime.Gosched()
	}
}

// payload is n bytes that no link, tunnel or disk compresses.
func (t *task) payload(n unit.Bytes) []byte {
	b := make([]byte, n)
	t.fill(b)
	return b
}

// fillPeriod is how much of a payload is drawn; the rest is made of it.
const fillPeriod = 256 << 10

// fill writes the payload: numbers that are drawn, and from fillPeriod on the same ones under another key in each period, so that nothing
// that looks for what was there before finds it. It must not take long: it stands between the order to start and the first byte, and drawing
// all of it took 0.3 s for eight streams on an emulated processor.
func (t *task) fill(b []byte) {
	random := rand.NewPCG(t.setup.Seed, uint64(t.index))
	first := b[:min(len(b), fillPeriod)]
	words(first, func(int) uint64 { return random.Uint64() })
	for at := fillPeriod; at < len(b); at += fillPeriod {
		key := random.Uint64()
		words(b[at:min(len(b), at+fillPeriod)], func(i int) uint64 { return binary.LittleEndian.Uint64(first[i:]) ^ key })
	}
}

// words writes b eight bytes at a time, the last ones as far as there is room.
func words(b []byte, next func(at int) uint64) {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		binary.LittleEndian.PutUint64(b[i:], next(i))
	}
	if i < len(b) {
		var last [8]byte
		binary.LittleEndian.PutUint64(last[:], next(i))
		copy(b[i:], last[:])
	}
}

// largestSend is the largest buffer that a trial may ask of the sender.
func (t *task) largestSend() unit.Bytes {
	if !t.setup.Tuning.Trial {
		return 0
	}
	return t.setup.largestBuffer()
}

// mostOrders is how many bytes of orders of a trial may come after its sender has stopped to listen for them.
const mostOrders = 256

// finish waits until the other end has closed its direction too.
func (t *task) finish() error {
	var b [64]byte
	came := 0
	for came <= mostOrders {
		n, err := t.wire.Read(b[:])
		came += n
		switch {
		case err == io.EOF:
			t.wire.drained = true
			return nil
		case err != nil:
			return t.cutOff(err)
		}
	}
	return &Error{Code: CodeInternal, Subject: t.wire.peer, Text: fmt.Sprintf("%d bytes came back from an end that only receives", came)}
}

// cutOff forgives an error after the window: what is under way then may be cut off.
func (t *task) cutOff(err error) error {
	if Now() >= t.window.close {
		return nil
	}
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return t.early()
	}
	return err
}

// early is the error of a connection that ended inside the window.
func (t *task) early() error {
	left := time.Duration(t.window.close - Now()).Round(time.Millisecond)
	return &Error{Code: CodeReset, Subject: t.wire.peer,
		Text: fmt.Sprintf("the other end closed the connection %v before the end of the window; look whether its agent still runs", left)}
}
