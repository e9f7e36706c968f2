package traffic

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"linerate/internal/base/unit"
)

// An open loop asks at times that are fixed beforehand, whatever the answers do. A round trip counts from the time at
// which its question was due, not from when it was sent: when an answer is late, the questions behind it are late too,
// and a loop that waits would ask, and count, none of them (coordinated omission).

const (
	// fewestKept and mostKept bound how many questions of a pair may be without an answer; keptTime is for how long.
	fewestKept = 1 << 10
	mostKept   = 1 << 20
	keptTime   = 2 * time.Second
	// spinAhead is how long before its time a question's thread reads the clock instead of sleeping: a timer that wakes
	// it late would be counted as the network's. With more pairs than spinPairs their threads would be in each other's way.
	spinAhead = 30 * time.Microsecond
	spinPairs = 4
	// nap is the longest sleep that nothing interrupts.
	nap = 20 * time.Millisecond
)

// OpenLoop is what one end counted of its open loops, all pairs together. The histograms are as record.Latency has them.
type OpenLoop struct {
	Due      int64  `json:"due"`     // questions of the window
	Sent     int64  `json:"sent"`    // of these
	Reached  int64  `json:"reached"` // sent within the window, whenever they were due
	Answered int64  `json:"answered"`
	Service  string `json:"service,omitempty"` // from sending to answer
	Late     string `json:"late,omitempty"`    // from due to sending
}

// out is how many questions of a pair are kept in mind, a power of two.
func (s Setup) kept() int64 {
	n := int64(fewestKept)
	for n < mostKept && time.Duration(n)*s.Every < keptTime {
		n *= 2
	}
	return n
}

// openMemory is what the open loop of one pair takes.
func (s Setup) openMemory() unit.Bytes {
	if s.Every <= 0 {
		return 0
	}
	return unit.Bytes(8*s.kept()) + 2*histogramMemory
}

// openLoop is the questions of one pair: one thread sends them, another takes the answers.
type openLoop struct {
	t        *task
	every    int64
	begin    int64          // when question 0 is due
	first    int64          // of the window
	end      int64          // first behind the window
	sentAt   []atomic.Int64 // stamp by number, modulo its length; 0: answered
	next     atomic.Int64   // how many were sent
	taken    atomic.Int64   // how many answers came
	over     atomic.Bool    // nothing more will be sent
	broken   atomic.Bool    // because a question could not be sent
	sent     int64          // of the window
	reached  int64          // sent within the window
	answered int64          // of the window
	service  *Histogram
	late     *Histogram
}

// newOpenLoop spreads the pairs evenly over the time between two questions.
func newOpenLoop(t *task) *openLoop {
	o := &openLoop{t: t, every: int64(t.setup.Every), sentAt: make([]atomic.Int64, t.setup.kept()), service: NewHistogram(), late: NewHistogram()}
	o.begin = t.window.begin + o.every*int64(t.index)/int64(t.setup.connections())
	o.first, o.end = o.after(t.window.open), o.after(t.window.close)
	t.open = o
	return o
}

func (o *openLoop) due(k int64) int64 { return o.begin + k*o.every }

// after is the first question that is due at a stamp or later.
func (o *openLoop) after(stamp int64) int64 {
	return max(0, (stamp-o.begin+o.every-1)/o.every)
}

func (o *openLoop) inWindow(k int64) bool { return k >= o.first && k < o.end }

func (o *openLoop) at(k int64) *atomic.Int64 { return &o.sentAt[k&int64(len(o.sentAt)-1)] }

// drive sends every question at its time until the end of the experiment. A late one is sent at once; one of the window
// even after the end, for a third of the time that answers then have: a thread that had no turn just there would look
// like a rate that could not be kept. With wait it stops while so many answers are missing that a further question
// would push one out of mind.
func (o *openLoop) drive(ctx context.Context, wait bool, put func(k, now int64, window bool) error) error {
	defer o.over.Store(true)
	precise := finer()
	ahead := int64(0)
	if precise && o.t.setup.connections() <= spinPairs && o.t.setup.sleep == nil {
		ahead = int64(spinAhead)
	}
	stop, yielded := o.t.window.stop, Now()
	lateStop := stop + (o.t.window.deadline-stop)/3
	for k := int64(0); ; k++ {
		due := o.due(k)
		if due >= stop || !o.waitUntil(ctx, due, ahead) {
			return nil
		}
		for wait && k-o.taken.Load() >= int64(len(o.sentAt)) {
			if Now() >= lateStop || !sleepUntil(ctx, Now()+int64(time.Millisecond)) {
				return nil
			}
		}
		now := Now()
		window := o.inWindow(k)
		if now >= lateStop || now >= stop && !window {
			return nil
		}
		if now-yielded > yieldEvery {
			yielded = now
			runtime.Gosched()
			now = Now()
		}
		o.at(k).Store(now)
		o.next.Store(k + 1)
		if err := put(k, now, window); err != nil {
			return err
		}
		if now >= o.t.window.open && now < o.t.window.close {
			o.reached++
		}
		if window {
			o.sent++
			o.late.Record(time.Duration(now - due))
		}
	}
}

// waitUntil sleeps until ahead before a stamp and reads the clock from there on.
func (o *openLoop) waitUntil(ctx context.Context, at, ahead int64) bool {
	if at-Now() > int64(nap) && !sleepUntil(ctx, at-int64(nap)) {
		return false
	}
	if at-ahead-Now() > 0 && !o.t.setup.sleepThread(ctx, at-ahead) {
		return false
	}
	for Now() < at {
	}
	return ctx.Err() == nil
}

// answer counts the answer to question k that came at a stamp; false: it was not asked, or was answered before.
func (o *openLoop) answer(k, now int64) bool {
	if k < 0 || k >= o.next.Load() || k < o.next.Load()-int64(len(o.sentAt)) {
		return false
	}
	sent := o.at(k).Swap(0)
	if sent == 0 {
		return false
	}
	o.taken.Add(1)
	if o.inWindow(k) {
		o.answered++
		o.service.Record(time.Duration(now - sent))
		o.t.trip(o.due(k), now)
	}
	return true
}

// unanswered counts what is still out over a connection that loses nothing: with the time that it has taken so far,
// from question k on, sent or not.
func (o *openLoop) unanswered(k, now int64) {
	k = max(k, o.first)
	// Of very many, which only a rate far above what can be kept leaves, one stands for several.
	step := 1 + max(0, o.end-k)/mostKept
	for ; k < o.end; k += step {
		o.t.trips.RecordN(time.Duration(now-o.due(k)), min(step, o.end-k))
		if sent := o.at(k).Load(); k < o.next.Load() && sent != 0 {
			o.service.Record(time.Duration(now - sent))
		}
	}
}

// both runs the thread that sends beside take, which takes the answers. What fails ends the other one, too: take is
// told by halt, and ends when the questions are over and broken is set.
func (o *openLoop) both(ctx context.Context, wait bool, put func(k, now int64, window bool) error, take func() error, stopped, halt func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked: its timer is not like others'
		var err error
		defer func() { failed <- err }()
		if seat := newSeat(o.t.setup, o.t.index); seat.err != nil {
			err = &Error{Code: CodeInput, Subject: "placement", Text: seat.err.Error()}
		} else {
			err = o.drive(ctx, wait, put)
		}
		if err != nil {
			o.broken.Store(true)
			halt()
		} else {
			stopped()
		}
	}()
	taken := take()
	if taken != nil {
		cancel()
	}
	return errors.Join(<-failed, taken)
}

// askOpen is ask with questions at fixed times.
func (t *task) askOpen(ctx context.Context) error {
	o := newOpenLoop(t)
	out, in := t.payload(t.size), make([]byte, t.size)
	k, last := int64(0), Now()
	err := o.both(ctx, true, func(int64, int64, bool) error {
		n, err := t.wire.Write(out)
		t.sent.Add(int64(n))
		if err != nil {
			return t.cutOff(connectError(t.wire.peer, err))
		}
		return nil
	}, func() error {
		for ; ; k++ {
			t.yield(last)
			_, err := t.whole(in)
			last = Now()
			switch {
			case err != nil && o.over.Load() && k == o.next.Load():
				return nil
			case err != nil:
				return t.cutOff(err)
			}
			t.counter.total.Add(int64(len(in)))
			o.answer(k, last)
		}
	}, func() { _ = t.wire.closeWrite() }, t.wire.interrupt)
	if err == nil {
		t.wire.drained = k == o.next.Load()
		o.unanswered(k, Now())
	}
	return err
}

// openOutcome puts the open loops of an end together; nil: there was none.
func openOutcome(tasks []*task) (*OpenLoop, error) {
	var out *OpenLoop
	service, late := NewHistogram(), NewHistogram()
	for _, t := range tasks {
		o := t.open
		if o == nil {
			continue
		}
		if out == nil {
			out = &OpenLoop{}
		}
		out.Due += o.end - o.first
		out.Sent += o.sent
		out.Reached += o.reached
		out.Answered += o.answered
		service.Merge(o.service)
		late.Merge(o.late)
	}
	if out == nil {
		return nil, nil
	}
	for _, h := range []struct {
		from *Histogram
		to   *string
	}{{service, &out.Service}, {late, &out.Late}} {
		if h.from.Count() == 0 {
			continue
		}
		text, err := h.from.Encode()
		if err != nil {
			return nil, &Error{Code: CodeInternal, Subject: "ping", Text: err.Error()}
		}
		*h.to = text
	}
	return out, nil
}
