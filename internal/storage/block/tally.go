package block

import (
	"errors"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"linerate/internal/traffic"
)

// mostKept is how many errors and wrong blocks are kept one by one; the rest are counted.
const mostKept = 16

// times are the planned stamps of one run.
type times struct {
	begin, open, close, slice int64
}

func (t times) slices() int { return int((t.close - t.open + t.slice - 1) / t.slice) }

// tally is what one thread counts. It is used by one goroutine, or under the worker's lock; series is read by others, under lock. All requests are
// of one size, so only their number is counted, and slices are what was added to it in between.
type tally struct {
	times   times
	stop    *atomic.Int64 // the window's end, which comes earlier where the job is ended early
	amount  int64         // requests that are left to hand over, less than 0: no limit
	counts  [2]int64
	trips   [2]*traffic.Histogram
	runs    [2]struct{ d, n int64 } // equal latencies that follow one another, and are not counted yet
	waited  int64                   // sum of latencies
	making  int64                   // time in which the data of writes was made
	first   int64                   // stamp of the first request, 0: there was none
	last    int64                   // completion
	batches int64
	batched int64

	slice   int
	before  [2]int64 // counts at the beginning of the slice
	shared  int64    // stamp at which series was brought up to date
	lock    sync.Mutex
	series  [][2]int64
	current int64 // stamp up to which series is

	errors     []IOError
	errorCount int64
	verified   Verified
	hanging    int64
}

func newTally(t times, stop *atomic.Int64, amount int64) *tally {
	return &tally{times: t, stop: stop, amount: amount, series: make([][2]int64, t.slices()), trips: [2]*traffic.Histogram{traffic.NewHistogram(), traffic.NewHistogram()}}
}

// inside says whether a completion at this stamp counts.
func (t *tally) inside(now int64) bool { return now >= t.times.open && now < t.stop.Load() }

// count adds one request that ended inside of the window and took d, after advance.
func (t *tally) count(op Op, d int64) {
	r := &t.runs[op]
	if d != r.d {
		t.flush()
		r.d = d
	}
	r.n++
}

// ended notes that n requests came back together inside of the window. Of goroutines that share a tally, one may have
// taken its stamp before another and come here behind it.
func (t *tally) ended(n int, now int64) {
	t.batches++
	t.batched += int64(n)
	t.last = max(t.last, now)
}

// flush adds the runs of equal latencies to what is counted.
func (t *tally) flush() {
	for op := range t.runs {
		if r := &t.runs[op]; r.n > 0 {
			t.counts[op] += r.n
			t.trips[op].RecordN(time.Duration(r.d), r.n)
			t.waited += r.d * r.n
			r.n = 0
		}
	}
}

// shareEvery is how often the series is brought up to date for those who watch.
const shareEvery = int64(20 * time.Millisecond)

// advance moves on to the slice of now, before what ended at now is counted. Between goroutines now may go back a little.
func (t *tally) advance(now int64) {
	if now < t.times.open {
		return
	}
	at := min(int((now-t.times.open)/t.times.slice), len(t.series)-1)
	if at <= t.slice && now-t.shared < shareEvery {
		return
	}
	t.share()
	t.lock.Lock()
	t.current, t.shared = max(t.current, now), now
	t.lock.Unlock()
	if at > t.slice {
		t.slice, t.before = at, t.counts
	}
}

// share writes the slice into the series.
func (t *tally) share() {
	t.flush()
	t.lock.Lock()
	t.series[t.slice] = [2]int64{t.counts[OpRead] - t.before[OpRead], t.counts[OpWrite] - t.before[OpWrite]}
	t.lock.Unlock()
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
