package block

import (
	"errors"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"linerate/internal/traffic"
)

// maxKept is the number of errors and wrong blocks that are kept individually; the rest are only counted.
const maxKept = 16

// times are the planned stamps of one run.
type times struct {
	begin, open, close, slice int64
}

func (t times) slices() int { return int((t.close - t.open + t.slice - 1) / t.slice) }

// tally is the counters of one thread. One goroutine uses it, or several with the worker's lock. Others read series,
// with lock. All requests have the same size, so only their number is counted; a slice is the difference between two
// counts.
type tally struct {
	times     times
	stop      *atomic.Int64 // end of the interval; it moves forward if the job ends early
	amount    int64         // requests that may still be submitted, negative: no limit
	counts    [2]int64
	latencies [2]*traffic.Histogram
	runs      [2]struct{ d, n int64 } // consecutive equal latencies that are not counted yet
	waited    int64                   // sum of latencies
	making    int64                   // time spent making the data of writes
	first     int64                   // stamp of the first request, 0: there was none
	last      int64                   // completion
	batches   int64
	batched   int64

	slice   int
	before  [2]int64 // counts at the beginning of the slice
	shared  int64    // stamp of the last update of series
	lock    sync.Mutex
	series  [][2]int64
	current int64 // stamp up to which series is complete

	errors     []IOError
	errorCount int64
	verified   Verified
	hanging    int64
}

func newTally(t times, stop *atomic.Int64, amount int64) *tally {
	return &tally{times: t, stop: stop, amount: amount, series: make([][2]int64, t.slices()),
		latencies: [2]*traffic.Histogram{traffic.NewHistogram(), traffic.NewHistogram()}}
}

// inside reports whether a completion at this stamp counts.
func (t *tally) inside(now int64) bool { return now >= t.times.open && now < t.stop.Load() }

// count adds one request that ended inside of the interval after latency d. Call advance first.
func (t *tally) count(op Op, d int64) {
	r := &t.runs[op]
	if d != r.d {
		t.flush()
		r.d = d
	}
	r.n++
}

// ended notes that n requests completed together inside of the interval. With goroutines that share a tally, one may
// take its stamp before another and arrive here after it.
func (t *tally) ended(n int, now int64) {
	t.batches++
	t.batched += int64(n)
	t.last = max(t.last, now)
}

// flush adds the runs of equal latencies to the counts.
func (t *tally) flush() {
	for op := range t.runs {
		if r := &t.runs[op]; r.n > 0 {
			t.counts[op] += r.n
			t.latencies[op].RecordN(time.Duration(r.d), r.n)
			t.waited += r.d * r.n
			r.n = 0
		}
	}
}

// shareEvery is the time between updates of the series for observers.
const shareEvery = int64(20 * time.Millisecond)

// advance moves on to the slice of now, before completions at now are counted. With several goroutines now may go back
// a little.
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
	if len(t.errors) < maxKept {
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
	if len(t.verified.Blocks) < maxKept {
		t.verified.Blocks = append(t.verified.Blocks, WrongBlock{Offset: w.at, Kind: w.kind, Text: w.text, AtNS: now})
	}
}
