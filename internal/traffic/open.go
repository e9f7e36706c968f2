package traffic

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/traffic/placement"
)

// An open loop asks at fixed times, whether answers arrive or not. A round trip counts from the time at which its
// question was due, not from when it was sent. When an answer is late, the questions after it are late too, and a loop
// that waits would omit them (coordinated omission).

const (
	// fewestKept and mostKept are the limits of the questions of a pair that may be without an answer, keptTime is for
	// how long.
	fewestKept = 1 << 10
	mostKept   = 1 << 20
	keptTime   = 2 * time.Second
	// spinAhead is how long before its time a question's thread polls the clock instead of sleeping: a late timer would
	// count as the network's delay. With more pairs than spinPairs their threads would disturb each other.
	spinAhead = 30 * time.Microsecond
	spinPairs = 4
	// nap is the longest sleep that nothing interrupts.
	nap = 20 * time.Millisecond
)

// OpenLoop is what one end counted of its open loops, all pairs together. The histograms are encoded as in
// record.Latency.
type OpenLoop struct {
	Due      int64  `json:"due"`     // questions of the interval
	Sent     int64  `json:"sent"`    // of these
	Reached  int64  `json:"reached"` // sent within the interval, whenever they were due
	Answered int64  `json:"answered"`
	Service  string `json:"service,omitempty"` // from sending to answer
	Late     string `json:"late,omitempty"`    // from due to sending
}

// kept returns the number of questions of a pair that are remembered, a power of two.
func (s Setup) kept() int64 {
	n := int64(fewestKept)
	for n < mostKept && time.Duration(n)*s.Every < keptTime {
		n *= 2
	}
	return n
}

// OpenMemory returns the memory of the open loop of one pair.
func (s Setup) OpenMemory() unit.Bytes {
	if s.Every <= 0 {
		return 0
	}
	return unit.Bytes(8*s.kept()) + 2*HistogramMemory
}

// OpenQuestions is the questions of one pair: one thread sends them, another takes the answers.
type OpenQuestions struct {
	t        *Flow
	every    int64
	begin    int64          // when question 0 is due
	first    int64          // of the interval
	end      int64          // the first after the interval
	sentAt   []atomic.Int64 // stamp by number, modulo its length; 0: answered
	Next     atomic.Int64   // how many were sent
	taken    atomic.Int64   // how many answers came
	Over     atomic.Bool    // nothing more will be sent
	broken   atomic.Bool    // because a question could not be sent
	Sent     int64          // of the interval
	reached  int64          // sent within the interval
	Answered int64          // of the interval
	service  *Histogram
	late     *Histogram
}

// NewOpenQuestions spreads the pairs evenly over the time between two questions.
func NewOpenQuestions(t *Flow) *OpenQuestions {
	o := &OpenQuestions{t: t, every: int64(t.Setup.Every), sentAt: make([]atomic.Int64, t.Setup.kept()),
		service: NewHistogram(), late: NewHistogram()}
	o.begin = t.Interval.Begin + o.every*int64(t.Index)/int64(t.Setup.Connections())
	o.first, o.end = o.after(t.Interval.Open), o.after(t.Interval.Close)
	t.open = o
	return o
}

func (o *OpenQuestions) due(k int64) int64 { return o.begin + k*o.every }

// after is the first question that is due at a stamp or later.
func (o *OpenQuestions) after(stamp int64) int64 {
	return max(0, (stamp-o.begin+o.every-1)/o.every)
}

func (o *OpenQuestions) inInterval(k int64) bool { return k >= o.first && k < o.end }

func (o *OpenQuestions) at(k int64) *atomic.Int64 { return &o.sentAt[k&int64(len(o.sentAt)-1)] }

// drive sends every question at its time until the end of the experiment. A late one is sent at once; one of the
// interval even after its end, for a third of the time that answers then have. Otherwise a thread that did not run at
// the end would look like a rate that could not be kept. With wait it stops while as many answers are missing as are
// remembered.
func (o *OpenQuestions) drive(ctx context.Context, wait bool, put func(k, now int64, interval bool) error) error {
	defer o.Over.Store(true)
	precise := finer()
	ahead := int64(0)
	if precise && o.t.Setup.Connections() <= spinPairs && o.t.Setup.Sleep == nil {
		ahead = int64(spinAhead)
	}
	stop, yielded := o.t.Interval.Stop, Now()
	lateStop := stop + (o.t.Interval.Deadline-stop)/3
	for k := int64(0); ; k++ {
		due := o.due(k)
		if due >= stop || !o.waitUntil(ctx, due, ahead) {
			return nil
		}
		for wait && k-o.taken.Load() >= int64(len(o.sentAt)) {
			if Now() >= lateStop || !SleepUntil(ctx, Now()+int64(time.Millisecond)) {
				return nil
			}
		}
		now := Now()
		interval := o.inInterval(k)
		if now >= lateStop || now >= stop && !interval {
			return nil
		}
		if now-yielded > YieldEvery {
			yielded = now
			runtime.Gosched()
			now = Now()
		}
		o.at(k).Store(now)
		o.Next.Store(k + 1)
		if err := put(k, now, interval); err != nil {
			return err
		}
		if now >= o.t.Interval.Open && now < o.t.Interval.Close {
			o.reached++
		}
		if interval {
			o.Sent++
			o.late.Record(time.Duration(now - due))
		}
	}
}

// waitUntil sleeps until ahead before a stamp and reads the clock from there on.
func (o *OpenQuestions) waitUntil(ctx context.Context, at, ahead int64) bool {
	if at-Now() > int64(nap) && !SleepUntil(ctx, at-int64(nap)) {
		return false
	}
	if at-ahead-Now() > 0 && !o.t.Setup.SleepThread(ctx, at-ahead) {
		return false
	}
	for Now() < at {
	}
	return ctx.Err() == nil
}

// Answer counts the answer to question k that came at a stamp; false: it was not asked, or was answered before.
func (o *OpenQuestions) Answer(k, now int64) bool {
	if k < 0 || k >= o.Next.Load() || k < o.Next.Load()-int64(len(o.sentAt)) {
		return false
	}
	sent := o.at(k).Swap(0)
	if sent == 0 {
		return false
	}
	o.taken.Add(1)
	if o.inInterval(k) {
		o.Answered++
		o.service.Record(time.Duration(now - sent))
		o.t.Trip(o.due(k), now)
	}
	return true
}

// Unanswered counts the questions from k on, sent or not, of a connection that loses nothing, with the time that they
// have taken so far.
func (o *OpenQuestions) Unanswered(k, now int64) {
	k = max(k, o.first)
	// Of very many, which only a rate far above the possible leaves, one stands for several.
	step := 1 + max(0, o.end-k)/mostKept
	for ; k < o.end; k += step {
		o.t.RTTSamples.RecordN(time.Duration(now-o.due(k)), min(step, o.end-k))
		if sent := o.at(k).Load(); k < o.Next.Load() && sent != 0 {
			o.service.Record(time.Duration(now - sent))
		}
	}
}

// Both runs the thread that sends next to take, which takes the answers. A failure of one ends the other: halt stops
// take, which ends when the questions are over and broken is set.
func (o *OpenQuestions) Both(ctx context.Context, wait bool, put func(k, now int64, interval bool) error,
	take func() error, stopped, halt func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked: its timer slack has changed
		var err error
		defer func() { failed <- err }()
		if affinity := placement.NewAffinity(o.t.Setup.Seating(), o.t.Index, o.t.name()); affinity.Err != nil {
			err = &failure.Error{Code: failure.CodeInput, Subject: "placement", Text: affinity.Err.Error()}
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

// openOutcome sums up the open loops of an end; nil: there was none.
func openOutcome(tasks []*Flow) (*OpenLoop, error) {
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
		out.Sent += o.Sent
		out.Reached += o.reached
		out.Answered += o.Answered
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
			return nil, &failure.Error{Code: failure.CodeInternal, Subject: "latency", Text: err.Error()}
		}
		*h.to = text
	}
	return out, nil
}
