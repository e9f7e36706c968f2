package block

import (
	"context"
	"errors"
	"fmt"
	"linerate/internal/base/gomaxprocs"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/traffic"
	"linerate/internal/traffic/placement"
)

// Engine is one job that is ready to run.
type Engine struct {
	job     Job
	ready   Ready
	target  *target
	ledger  *ledger
	workers []*worker
	orders  []chan times // one a worker; a worker ends when its channel is closed
	ended   chan *worker
	alive   sync.WaitGroup
	stopAt  atomic.Int64
	lostAt  atomic.Int64
	ran     bool
	home    func() // of OnHome
	closed  sync.Once

	standing time.Duration // standBefore; tests set another
}

// Prepare checks a job, opens its target, creates and lays out a file, and makes every thread ready. Errors are
// *failure.Error: CodeInput and CodeLimit for faults of the job (all of them, a line each), CodeUnsafe for a job that
// would overwrite data that it must not.
func Prepare(ctx context.Context, j Job) (*Engine, error) {
	if err := together(j.Check()); err != nil {
		return nil, err
	}
	j = j.withDefaults()
	e := &Engine{job: j, standing: standBefore}
	var err error
	if e.target, err = openTarget(ctx, j); err != nil {
		return nil, err
	}
	e.ready = e.target.ready
	if err := e.prepare(ctx); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

func (e *Engine) prepare(ctx context.Context) error {
	j := e.job
	e.ready.Span = e.ready.Size
	if j.Span > 0 {
		e.ready.Span = j.Span
	}
	e.ready.Blocks = int64(e.ready.Span / j.Size)
	e.ready.Span = unit.Bytes(e.ready.Blocks) * j.Size
	need := int64(j.Threads)
	if j.Verify && j.writes() {
		need *= int64(j.Depth) // no block has two requests under way
	}
	if e.ready.Blocks < need {
		return input("span",
			"%d blocks of %v are in it, and %d threads with %d requests under way need %d; make it larger, or lower one of them",
			e.ready.Blocks, j.Size, j.Threads, j.Depth, need)
	}
	if j.Verify {
		if e.ready.Blocks > maxLedger {
			return &failure.Error{
				Code:    failure.CodeLimit,
				Subject: "verify",
				Text: fmt.Sprintf(
					"it keeps 4 bytes of memory for each block, for %d blocks at most, and the span has %d; lower span or take "+
						"larger blocks",
					maxLedger,
					e.ready.Blocks,
				),
			}
		}
		e.ledger = &ledger{of: make([]uint32, e.ready.Blocks)}
	}
	if err := e.target.layOut(ctx, j, e.ready.Blocks); err != nil {
		return err
	}
	if e.ledger != nil && e.target.laid {
		for i := range e.ledger.of {
			e.ledger.of[i] = laidOut
		}
	}
	e.ready.Cache = e.target.cache(j)
	return e.muster(ctx)
}

// muster starts the threads and waits until each has opened its queue.
func (e *Engine) muster(ctx context.Context) error {
	way, why, err := chooseWay(e.job, e.target)
	if err != nil {
		return err
	}
	e.ready.Way, e.ready.Why = way.name, why
	e.ended = make(chan *worker, e.job.Threads)
	type report struct {
		why string
		err error
	}
	came := make(chan report, e.job.Threads)
	for i := range e.job.Threads {
		w := newWorker(e, i)
		orders := make(chan times, 1)
		e.workers, e.orders = append(e.workers, w), append(e.orders, orders)
		e.alive.Add(1)
		go func() {
			defer e.alive.Done()
			memory, free, err := buffers(len(w.slots) * stride(e.job.Size))
			if err != nil {
				came <- report{"", &failure.Error{Code: failure.CodeLimit, Subject: "memory", Text: err.Error()}}
				return
			}
			w.provide(memory, stride(e.job.Size))
			if way.queue == nil {
				came <- report{}
				if t, ok := <-orders; ok {
					w.apart(t, e.target.call)
					e.ended <- w
				}
				free()
				return
			}
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			q, why, err := way.queue(ctx, w, memory)
			came <- report{why, err}
			if err != nil {
				free()
				return
			}
			t, ok := <-orders
			if !ok {
				_ = q.Close()
				free()
				return
			}
			if w.err = w.loop(q, w.begin(t)); w.err != nil && !errors.Is(w.err, errHanging) {
				e.gone(traffic.Now())
			}
			_ = q.Close()
			if w.tally.hanging == 0 {
				free() // else a late completion would write into memory that is used again
			}
			e.ended <- w
		}()
	}
	var failed error
	for range e.job.Threads {
		r := <-came
		failed = errors.Join(failed, r.err)
		if r.why != "" && e.ready.Why == "" {
			e.ready.Why = r.why
		}
	}
	if failed != nil {
		var one *failure.Error
		if errors.As(failed, &one) {
			return one
		}
		return &failure.Error{Code: failure.CodeInternal, Subject: e.ready.Way, Text: failed.Error()}
	}
	return nil
}

// standBefore is the time before the first request at which its threads wait in the kernel, so that threads that
// already work do not delay them.
const standBefore = 200 * time.Millisecond

// begin waits for the time of the first request, on the locked thread that submits it. Where several workers share
// CPUs, workers that have begun already wake other threads, and a thread that wakes at the same moment would wait
// behind those. So each worker has priority over all ordinary threads until it calls made, after its first request.
func (w *worker) begin(t times) (made func()) {
	made = placement.Precede()
	for wait := t.begin - traffic.Now(); wait > 0 && w.e.stopAt.Load() > t.begin; wait = t.begin - traffic.Now() {
		if ahead := time.Duration(wait) - w.e.standing; ahead > 0 {
			time.Sleep(min(ahead, maxWait))
		} else {
			traffic.SleepThread(t.begin)
		}
	}
	return made
}

// apart works with blocking calls: a goroutine a slot.
func (w *worker) apart(t times, call func(op Op, b []byte, offset int64) (int, error)) {
	ended := make(chan struct{}, len(w.slots))
	for i := range w.slots {
		go func() {
			runtime.LockOSThread()
			made := w.begin(t)
			w.one(i, call, func() { made(); runtime.UnlockOSThread() })
			ended <- struct{}{}
		}()
	}
	var give <-chan time.Time
	look := time.NewTicker(maxWait)
	defer look.Stop()
	for left := len(w.slots); left > 0; {
		select {
		case <-ended:
			left--
		case <-look.C:
			if give == nil && traffic.Now() >= w.e.stopAt.Load() {
				give = time.After(drainFor)
			}
		case <-give:
			w.lock.Lock()
			w.tally.hanging = int64(left)
			w.lock.Unlock()
			w.err = errHanging
			return
		}
	}
}

// Ready describes what is in effect.
func (e *Engine) Ready() Ready { return e.ready }

// lost ends a job that stops at the first error.
func (e *Engine) lost(now int64) {
	if e.job.OnError == OnErrorStop && e.lostAt.CompareAndSwap(0, now) {
		e.end(now)
	}
}

// gone ends a job whose target is disconnected: no later request is answered, whatever on_error says.
func (e *Engine) gone(now int64) {
	if e.lostAt.CompareAndSwap(0, now) {
		e.end(now)
	}
}

// end moves the end of the interval to now, if that is earlier.
func (e *Engine) end(now int64) {
	for {
		at := e.stopAt.Load()
		if at <= now || e.stopAt.CompareAndSwap(at, now) {
			return
		}
	}
}

// OnHome has Run call f when its last request has completed or is given up, before it syncs and reads back. Whoever
// observes the host or the drives over the measured time stops there. Call OnHome before Run.
func (e *Engine) OnHome(f func()) { e.home = f }

// Run runs the job, once, from begin on, a stamp of traffic.Now. emit gets the rates while it runs; it may be nil. The
// outcome comes with an error where something was measured before: requests failed (with on_error stop), the target
// hung, or ctx ended.
func (e *Engine) Run(ctx context.Context, begin int64, emit func([]traffic.Sample)) (*Outcome, error) {
	if e.ran {
		return nil, &failure.Error{Code: failure.CodeInternal, Subject: "storage",
			Text: "this job has run already; prepare another one"}
	}
	e.ran = true
	if e.ready.Way != WayThreads { // waits of a ring hold their slot of GOMAXPROCS; others need slots too
		gomaxprocs.AtLeast(len(e.workers) + 2)
	}
	j := e.job
	t := times{begin: max(begin, traffic.Now())}
	t.open = t.begin + int64(j.Warmup)
	t.close = t.open + int64(j.Interval)
	t.slice = int64(sliceFor(j.Interval))
	if j.Amount > 0 {
		t.slice = max(int64(100*time.Millisecond), int64(j.Interval)/3600)
	}
	e.stopAt.Store(t.close)
	requests := int64(-1)
	if j.Amount > 0 {
		requests = int64((j.Amount + j.Size - 1) / j.Size)
	}
	for i, w := range e.workers {
		mine := requests
		if requests > 0 {
			mine = shareOf(PatternSequential, requests, i, len(e.workers)).count
		}
		w.tally, w.due = newTally(t, &e.stopAt, mine), t.begin
	}
	for i := range e.orders {
		e.orders[i] <- t
	}
	stopped := e.watch(ctx, t, emit)
	if e.home != nil {
		e.home()
	}
	return e.outcome(ctx, t, stopped)
}

// watch waits for the workers. It returns why ctx ended the job, if it did.
func (e *Engine) watch(ctx context.Context, t times, emit func([]traffic.Sample)) (stopped error) {
	every := max(time.Duration(t.slice), 100*time.Millisecond)
	look := time.NewTicker(every)
	defer look.Stop()
	cancelled := ctx.Done()
	seen := 0 // slices
	for left := len(e.workers); left > 0; {
		select {
		case <-e.ended:
			left--
		case <-cancelled:
			stopped, cancelled = context.Cause(ctx), nil
			e.end(traffic.Now())
		case <-look.C:
			series := e.series(t)
			if e.job.Steady {
				ops := make([]int64, len(series))
				for i, s := range series {
					ops[i] = s.Reads + s.Writes
				}
				if s := steadyOf(ops, float64(t.slice)/1e9); s != nil && s.Is {
					e.end(traffic.Now()) // counts so far cover this time
				}
			}
			if emit != nil && len(series) > seen {
				emit(samples(series[seen:], t, seen))
				seen = len(series)
			}
		}
	}
	return stopped
}

// Close removes what Prepare created. It may be called more than once.
func (e *Engine) Close() (err error) {
	e.closed.Do(func() {
		for _, o := range e.orders {
			close(o)
		}
		gone := make(chan struct{})
		go func() {
			e.alive.Wait()
			close(gone)
		}()
		select {
		case <-gone:
		case <-time.After(time.Second): // threads that hang in the kernel stay
		}
		if e.target != nil {
			err = e.target.close()
		}
	})
	return err
}
