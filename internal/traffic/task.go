package traffic

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/traffic/placement"
)

// Kernel is the kernel's view of a connection.
type Kernel interface {
	// Arrival returns what has arrived, read or not.
	Arrival() Arrival
	// Reading returns all that the kernel reports of the socket.
	Reading() (*Reading, error)
	// Ask is Reading without the name of the congestion control, into buf; without queues it reads the counters alone.
	Ask(buf []byte, queues bool) (*Reading, error)
}

// Flow is what one end does with one connection, and what it counts.
type Flow struct {
	Index      int
	Setup      Endpoint
	Asks       bool // it times round trips; else it counts bytes
	Size       unit.Bytes
	Interval   Interval
	Kernel     Kernel // nil: the kernel keeps no counters of this connection
	Sent       atomic.Int64
	Counter    *Counter
	RTTSamples *Histogram     // of the end that asks
	open       *OpenQuestions // of the end that asks, if it does so at fixed times
	Ctx        context.Context
	Slow       []atomic.Int64 // its slowest trip of each slice, nanoseconds
	Affinity   *placement.Affinity
	yielded    int64 // stamp
	called     int64 // stamp of the call before
	Effect     InEffect
	Thread     atomic.Int64 // number of the thread that does it; 0: unknown, or not begun
	Short      bool         // of the socket only counters are known
	Before     *Reading     // the socket at the interval's two ends; nil: unknown
	After      *Reading
}

// NewFlow makes the flow of connection index.
func NewFlow(s Endpoint, asks bool, size unit.Bytes, w Interval, index int) *Flow {
	t := &Flow{Index: index, Setup: s, Asks: asks, Size: size, Interval: w, Counter: NewCounter(w)}
	if asks && t.Active() {
		t.RTTSamples = NewHistogram()
		t.Slow = make([]atomic.Int64, w.Slices())
	}
	return t
}

// Active reports whether this end sends, or asks.
func (t *Flow) Active() bool { return t.Setup.Active(t.Index) }

// name returns the name of the thread meanwhile: the kernel keeps 15 characters.
func (t *Flow) name() string {
	word := "recv"
	switch active := t.Active(); {
	case t.Asks && active:
		word = "ask"
	case t.Asks:
		word = "answer"
	case active:
		word = "send"
	}
	return fmt.Sprintf("%s %d", word, t.Index)
}

// OnThread makes a worker that runs work on a thread of its own, with the name and the cores of the flow.
func (t *Flow) OnThread(work func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		t.Ctx, t.Affinity = ctx, placement.NewAffinity(t.Setup.Seating(), t.Index, t.name())
		defer t.Affinity.Leave()
		t.Thread.Store(int64(t.Affinity.Thread))
		if err := t.Affinity.Err; err != nil {
			return &failure.Error{Code: failure.CodeInput, Subject: "placement", Text: err.Error()}
		}
		defer func() { t.Effect.Placement = t.Affinity.Text(len(t.Setup.Tuning.Nodes) > 0) }()
		return work(ctx)
	}
}

// YieldEvery is the time, in nanoseconds, after which a busy thread yields: before the runtime preempts it after 10 ms.
// A runtime that has to preempt checks every 20 us whether it must, on a CPU that the measurement needs (measured: 0.1
// to 0.2 cores).
const YieldEvery = 4_000_000

// SleptAfter is the time since the last call, in nanoseconds, from which on the call has slept in the kernel, so that
// others could run.
const SleptAfter = 1_000_000

// Yield is called between two calls, never between a call and its stamp.
func (t *Flow) Yield(now int64) {
	slept := now-t.called > SleptAfter
	t.called = now
	if slept {
		t.yielded = now
	}
	if now-t.yielded > YieldEvery {
		t.yielded = now
		runtime.Gosched()
	}
}

// Payload is n bytes that no link, tunnel or disk compresses.
func (t *Flow) Payload(n unit.Bytes) []byte {
	b := make([]byte, n)
	t.Fill(b)
	return b
}

// fillPeriod is the length of the payload that is drawn; the rest is derived from it.
const fillPeriod = 256 << 10

// Fill writes the payload: random numbers, and from fillPeriod on the same ones under another key in each period, so
// that no compression finds a repetition. It must be quick, because it comes between the order to start and the first
// byte: drawing all of it took 0.3 s for eight streams on an emulated CPU.
func (t *Flow) Fill(b []byte) {
	random := rand.NewPCG(t.Setup.Seed, uint64(t.Index))
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

// PaceStep is the longest time that one message of a paced stream lasts: the rate is even down to this.
const PaceStep = time.Millisecond

// The kernel or the program keeps the rate of a stream. The kernel spaces packets; the program sends no more than a
// millisecond's worth at once, as one that reads from a slow source.
const (
	PaceByKernel  = "kernel"
	PaceByProgram = "program"
)

// Pacer keeps a sending program at a rate.
type Pacer struct {
	Rate  float64 // bits per second, 0: none
	Begin int64
}

// NewPacer makes a pacer whose first byte is due at begin.
func NewPacer(rate unit.BitRate, begin int64) Pacer { return Pacer{float64(rate), begin} }

// checkPace reports what is wrong with the pace of s.
func (s Setup) checkPace(Entry) error {
	switch {
	case s.PaceBy == "":
		return nil
	case s.PaceBy != PaceByKernel && s.PaceBy != PaceByProgram:
		return &failure.Error{Code: failure.CodeInput, Subject: "pace_by",
			Text: fmt.Sprintf("%.40q is not kernel or program", s.PaceBy)}
	case s.Pace == 0:
		return &failure.Error{Code: failure.CodeInput, Subject: "pace_by",
			Text: "it says who keeps a rate, and no pace was asked for; add one"}
	}
	return nil
}

// Message returns the largest message that lasts no longer than PaceStep.
func (p Pacer) Message(size int) int {
	if p.Rate <= 0 {
		return size
	}
	return max(1, min(size, int(p.Rate/8*PaceStep.Seconds())))
}

// due returns the stamp at which the next byte may be sent after sent bytes.
func (p Pacer) due(sent int64) int64 {
	return p.Begin + int64(float64(sent)*8/p.Rate*1e9)
}

// Wait sleeps until the next message is due, or until stop.
func (p Pacer) Wait(sent, stop int64) {
	if p.Rate <= 0 {
		return
	}
	if d := min(p.due(sent), stop) - Now(); d > 0 {
		time.Sleep(time.Duration(d))
	}
}

// PaceInKernel makes the kernel keep the pace of t by a call of set, unless the program must, and reports whether the
// kernel does. It is called before the interval begins: the first byte is paced too, however busy the host is.
func (t *Flow) PaceInKernel(set func() error) (bool, error) {
	if t.Setup.Pace == 0 {
		return false, nil
	}
	t.Effect.PaceBy = PaceByProgram
	if t.Setup.PaceBy == PaceByProgram {
		return false, nil
	}
	err := set()
	switch {
	case err == nil:
		return true, nil
	case t.Setup.PaceBy == PaceByKernel:
		return false, &failure.Error{Code: failure.CodeUnsupported, Subject: "pace_by kernel",
			Text: err.Error() + "; let the program do it (pace_by program)"}
	}
	t.Effect.PaceWhy = err.Error()
	return false, nil
}
