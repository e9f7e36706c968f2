package block

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/traffic"
)

// Jobs in simulated time: the clock is that of testing/synctest and the volume takes a known time for each request, so
// every count is exact on any machine.

// bubble runs f in simulated time. It begins after the start of this process, which is the zero of measure.Now: a stamp
// is never negative.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Duration(max(0, -traffic.Now())) + time.Hour)
		f(t)
	})
}

// disk is a Remote whose requests each take a fixed time, however many are under way.
type disk struct {
	*memory
	takes func(r Request) time.Duration
}

func (d *disk) Open(context.Context, string, bool) (Volume, error) { return d, nil }

func (d *disk) Queue(_ context.Context, slots [][]byte) (Queue, error) {
	return &diskQueue{memoryQueue: memoryQueue{m: d.memory, slots: slots}, d: d}, nil
}

type diskQueue struct {
	memoryQueue
	d       *disk
	pending []arriving // in the order of their time
}

type arriving struct {
	Completion
	at int64
}

func (q *diskQueue) Submit(requests []Request) {
	q.memoryQueue.Submit(requests)
	for i, c := range q.ended {
		q.pending = append(q.pending, arriving{c, traffic.Now() + int64(q.d.takes(requests[i]))})
	}
	q.ended = q.ended[:0]
	slices.SortStableFunc(q.pending, func(a, b arriving) int { return int(a.at - b.at) })
}

func (q *diskQueue) Wait(least int, timeout time.Duration, done []Completion) (int, error) {
	least = min(max(1, least), len(q.pending))
	until := traffic.Now() + int64(timeout)
	if least > 0 {
		until = min(until, q.pending[least-1].at)
	}
	time.Sleep(time.Duration(until - traffic.Now()))
	n := 0
	for ; n < len(q.pending) && n < len(done) && q.pending[n].at <= traffic.Now(); n++ {
		done[n] = q.pending[n].Completion
	}
	q.pending = q.pending[:copy(q.pending, q.pending[n:])]
	return n, nil
}

// diskJob reads a simulated volume of 4 MiB whose requests take the given time.
func diskJob(takes time.Duration) Job {
	return Job{Target: "memory://x", Size: 4096, Read: 1, Depth: 4, Threads: 2, Interval: time.Second, Seed: 11, Batch: 1,
		Remote: &disk{&memory{b: make([]byte, 4<<20)}, func(Request) time.Duration { return takes }}}
}

// simulate runs a job in simulated time and requires success.
func simulate(t *testing.T, j Job, emit func([]traffic.Sample)) *Outcome {
	t.Helper()
	e, err := Prepare(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	o, err := e.Run(t.Context(), traffic.Now(), emit)
	if err := errors.Join(err, e.Close()); err != nil {
		t.Fatal(err)
	}
	return o
}

// The rate of a volume is the depth divided by the time of a request, in every slice of the interval; the latency is
// that time.
func TestSimulatedRate(t *testing.T) {
	for _, batch := range []int{0, 1} {
		bubble(t, func(t *testing.T) {
			j := diskJob(10 * time.Millisecond)
			j.Batch, j.Warmup = batch, 100*time.Millisecond
			var got []traffic.Sample
			o := simulate(t, j, func(s []traffic.Sample) { got = append(got, s...) })
			// Eight are under way, and each ends every 10 ms: 800 a second. Those that end exactly at the opening or the end may
			// be inside or outside.
			n := o.Read.Operations
			if n < 792 || n > 808 || o.CloseNS-o.OpenNS != int64(time.Second) || o.Write.Operations != 0 ||
				o.Hanging != 0 {
				t.Errorf("batch %d: %d operations in %v, %d hang", batch, n, time.Duration(o.CloseNS-o.OpenNS), o.Hanging)
			}
			if o.MeanDepth < 7.9 || o.MeanDepth > 8.1 {
				t.Errorf("batch %d: %v requests under way", batch, o.MeanDepth)
			}
			h, err := o.Read.Latency()
			if err != nil || h.Count() != n || h.Quantile(0.01) < 9.99e-3 || h.Max() > 10.01e-3 {
				t.Errorf("batch %d: %d of %d in the histogram, %v to %v s: %v", batch, h.Count(), n, h.Quantile(0.01), h.Max(), err)
			}
			sum := int64(0)
			for i, s := range o.Series {
				sum += s.Reads
				if want := 800 * o.Slice; float64(s.Reads) < want-8 || float64(s.Reads) > want+8 {
					t.Errorf("batch %d: slice %d has %d, want %v", batch, i, s.Reads, want)
				}
			}
			if sum != n || len(o.Series) < 10 {
				t.Errorf("batch %d: %d in %d slices, %d in all", batch, sum, len(o.Series), n)
			}
			rows := 0
			for _, s := range got {
				if s.Metric != "reads" {
					continue
				}
				rows++
				if i := int((s.TimeNS-o.OpenNS)/int64(o.Slice*1e9)) - 1; s.Value != float64(o.Series[i].Reads)/o.Slice {
					t.Errorf("batch %d: slice %d: %v, the series has %v", batch, i, s.Value, float64(o.Series[i].Reads)/o.Slice)
				}
			}
			if rows < 9 {
				t.Errorf("batch %d: %d samples", batch, rows)
			}
		})
	}
}

// A limit of requests is exact, with each engine: a loop with a queue, and threads with calls.
func TestRate(t *testing.T) {
	for _, queue := range []bool{true, false} {
		bubble(t, func(t *testing.T) {
			j := diskJob(time.Millisecond)
			if !queue {
				j.Remote, j.Target, j.Span, j.Way, j.Cached = nil, filepath.Join(folder(t), "f"), 4*unit.MiB, WayThreads, true
			}
			j.Rate, j.Interval = 400, 500*time.Millisecond
			if n := simulate(t, j, nil).Read.Operations; n < 198 || n > 202 {
				t.Errorf("queue %v: %d operations in half a second at 400 a second", queue, n)
			}
			j.Rate, j.Warmup, j.Interval = 200, 400*time.Millisecond, 200*time.Millisecond
			o := simulate(t, j, nil)
			if n := o.Read.Operations; n < 38 || n > 42 || o.CloseNS-o.OpenNS != int64(j.Interval) {
				t.Errorf("queue %v: %d operations in 0.2 s at 200 a second", queue, n)
			}
		})
	}
}

// The think time lies between a completion and the next request of its slot.
func TestThink(t *testing.T) {
	for _, queue := range []bool{true, false} {
		bubble(t, func(t *testing.T) {
			j := diskJob(2 * time.Millisecond)
			j.Think = 8 * time.Millisecond
			if !queue {
				j.Remote, j.Target, j.Span, j.Way, j.Cached, j.Think = nil, filepath.Join(folder(t),
					"f"), 4*unit.MiB, WayThreads, true, 10*time.Millisecond
			}
			if n := simulate(t, j, nil).Read.Operations; n < 784 || n > 816 {
				t.Errorf("queue %v: %d operations in a second of eight slots with 10 ms each", queue, n)
			}
		})
	}
}

// A job that may end when it is steady ends once five slices are level, and not while its rate falls. Every request
// that it counts is in one of its slices, also where requests end in the same nanosecond as the job, which is the end
// of a slice.
func TestSteadyEndsEarly(t *testing.T) {
	for _, takes := range []time.Duration{10 * time.Millisecond, 10300 * time.Microsecond, 0} {
		level := takes > 0
		bubble(t, func(t *testing.T) {
			j := diskJob(0)
			j.Interval, j.Steady = 20*time.Second, true
			begin := traffic.Now()
			j.Remote.(*disk).takes = func(Request) time.Duration {
				if level {
					return takes
				}
				return 10*time.Millisecond + time.Duration(traffic.Now()-begin)/100 // ever slower
			}
			o := simulate(t, j, nil)
			if o.Steady == nil || o.Steady.Is != level {
				t.Fatalf("%v: %+v", takes, o.Steady)
			}
			took := time.Duration(o.CloseNS - o.OpenNS)
			if level && (took < 5*time.Second || took > 6100*time.Millisecond) || !level && took != j.Interval {
				t.Errorf("%v: it ended after %v", takes, took)
			}
			shown := int64(0)
			for _, s := range o.Series {
				shown += s.Reads
			}
			if shown != o.Read.Operations { // else the time would not match the requests
				t.Errorf("%v: %d requests in the slices, %d in all", takes, shown, o.Read.Operations)
			}
		})
	}
}

// The last requests of an amount end the job at the end of a slice: they are in the slice before it.
func TestAmountEndsWithASlice(t *testing.T) {
	bubble(t, func(t *testing.T) {
		j := diskJob(10 * time.Millisecond)
		j.Amount = 160 * j.Size // of eight slots, 20 rounds: two slices of a tenth of a second
		o := simulate(t, j, nil)
		if took := time.Duration(
			o.CloseNS - o.OpenNS,
		); took != 200*time.Millisecond || len(o.Series) != 2 || o.Series[0].Reads+o.Series[1].Reads != 160 ||
			o.Read.Operations != 160 {
			t.Errorf("%d requests in %v, slices %+v", o.Read.Operations, took, o.Series)
		}
	})
}

// A job that is stopped ends at once and keeps what it has counted.
func TestCancelAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		e, err := Prepare(t.Context(), diskJob(time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(200*time.Millisecond, stop)
		begin := traffic.Now()
		o, err := e.Run(ctx, begin, nil)
		var m *failure.Error
		if took := time.Duration(
			traffic.Now() - begin,
		); !errors.As(err, &m) || m.Code != failure.CodeStopped || took < 200*time.Millisecond ||
			took > 202*time.Millisecond || o.Read.Operations < 1590 ||
			o.Read.Operations > 1608 {
			t.Errorf("%v after %v, %+v", err, took, o.Read)
		}
	})
}

// A target that hangs is given up half a minute after the end, and the outstanding requests are reported.
func TestHangingTarget(t *testing.T) {
	bubble(t, func(t *testing.T) {
		j := diskJob(0)
		begin := traffic.Now()
		j.Remote.(*disk).takes = func(Request) time.Duration {
			if traffic.Now()-begin > int64(500*time.Millisecond) {
				return time.Hour
			}
			return 10 * time.Millisecond
		}
		e, err := Prepare(t.Context(), j)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		o, err := e.Run(t.Context(), begin, nil)
		took := time.Duration(traffic.Now() - begin)
		if err == nil || o == nil || o.Hanging != 8 || took < j.Interval+drainFor ||
			took > j.Interval+drainFor+2*maxWait+time.Second ||
			o.Read.Operations < 390 ||
			o.Read.Operations > 408 {
			t.Errorf("%v after %v: %+v", err, took, o)
		}
	})
}

// A target that fails every request makes the engine pause after each.
func TestErrorsArePaced(t *testing.T) {
	bubble(t, func(t *testing.T) {
		j := diskJob(time.Millisecond)
		j.Remote.(*disk).fail, j.OnError = errors.New("medium error"), OnErrorGoOn
		o := simulate(t, j, nil)
		// Eight slots with a millisecond of work and one of rest.
		if o.ErrorCount < 3980 || o.ErrorCount > 4016 || o.Read.Operations != 0 || len(o.Errors) != maxKept ||
			o.LostNS != 0 {
			t.Errorf("%d errors, %d kept, %+v", o.ErrorCount, len(o.Errors), o.Read)
		}
	})
}
