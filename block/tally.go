package block

import (
	"errors"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"linerate/measure"
)

// mostKept is how many errors and wrong blocks are kept one by one; the rest are counted.
const mostKept = 16

// times are the planned stamps of one run.
type times struct {
	begin, open, close, slice int64
}

func (t times) slices() int { return int((t.close - t.open + t.slice - 1) / t.slice) }

// tally is what one thread counts. It is used by one goroutine, or under the worker's lock; series is read by others, under lock.
type tally struct {
	times  times
	stop   *atomic.Int64 // the window's end, which comes earlier where the job is ended early
	amount int64         // requests that are left to hand over, less than 0: no limit
	counts [2]Counts
	trips  [2]*measure.Histogram
	run    struct { // equal latencies that follow one another
		op   Op
		d, n int64
	}
	waited  int64 // sum of latencies
	last    int64 // completion
	batches int64
	batched int64

	slice   int
	now     Slice // of the slice
	shared  int64 // stamp at which series was brought up to date
	lock    sync.Mutex
	series  []Slice
	current int64 // stamp up to which series is

	errors     []IOError
	errorCount int64
	verified   Verified
	hanging    int64
}

func newTally(t times, stop *atomic.Int64, amount int64) *tally {
	return &tally{times: t, stop: stop, amount: amount, series: make([]Slice, t.slices()), trips: [2]*measure.Histogram{measure.NewHistogram(), measure.NewHistogram()}}
}

// inside says whether a completion at this stamp counts.
func (t *tally) inside(now int64) bool { return now >= t.times.open && now < t.stop.Load() }

// count adds one request that ended inside of the window, after advance(now).
func (t *tally) count(op Op, bytes, began, now int64) {
	d := now - began
	t.counts[op].Operations++
	t.counts[op].Bytes += bytes
	t.waited += d
	if op == OpRead {
		t.now.Reads++
		t.now.ReadBytes += bytes
	} else {
		t.now.Writes++
		t.now.WrittenBytes += bytes
	}
	if d == t.run.d && op == t.run.op {
		t.run.n++
		return
	}
	t.flush()
	t.run.op, t.run.d, t.run.n = op, d, 1
}

func (t *tally) flush() {
	if t.run.n > 0 {
		t.trips[t.run.op].RecordN(time.Duration(t.run.d), t.run.n)
		t.run.n = 0
	}
}

// shareEvery is how often the series is brought up to date for those who watch.
const shareEvery = int64(20 * time.Millisecond)

// advance moves on to the slice of now, which never goes back by more than the jitter between two goroutines.
func (t *tally) advance(now int64) {
	if now < t.times.open {
		return
	}
	at := min(int((now-t.times.open)/t.times.slice), len(t.series)-1)
	if at <= t.slice && now-t.shared < shareEvery {
		return
	}
	t.lock.Lock()
	t.series[t.slice] = t.now
	t.current, t.shared = now, now
	t.lock.Unlock()
	if at > t.slice {
		t.slice, t.now = at, t.series[at]
	}
}

// failed keeps an error.
func (t *tally) failed(op Op, offset int64, err error, now int64) {
	t.errorCount++
	if len(t.errors) < mostKept {
		e := IOError{Offset: offset, Op: op.String(), Text: err.Error(), AtNS: now}
		var number syscall.Errno
		if errors.As(err, &number) {
			e.Errno = int(number)
		}
		t.errors = append(t.errors, e)
	}
}

func (t *tally) wrong(w *wrong, now int64) {
	t.verified.Wrong++
	if len(t.verified.Blocks) < mostKept {
		t.verified.Blocks = append(t.verified.Blocks, WrongBlock{Offset: w.at, Kind: w.kind, Text: w.text, AtNS: now})
	}
}
