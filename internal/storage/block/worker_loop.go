package block

import (
	"fmt"
	"time"

	"linerate/internal/traffic"
)

const (
	// maxWait is the longest wait in the kernel, so that the loop notices the end of the job.
	maxWait = 50 * time.Millisecond
	// gatherFor is how long a completion may wait for others, so that they share a system call: a wait that sleeps takes
	// as much CPU time as several requests. It is never longer than the time in which a quarter of the outstanding
	// requests completes, a quarter of a latency on average. So the first of a batch may look up to a quarter slower than
	// it was, and the mean an eighth.
	gatherFor = 400 * time.Microsecond
	// maxGather is the limit where the other completions are later than before. A shorter one makes the kernel set its
	// timer again for each wait, which is expensive in virtual machines. After such a wait completions are waited for one
	// by one, until they come as fast as before.
	maxGather = 10 * time.Millisecond
	// pause is the time between a failed request and the next of its slot: errors may come very fast.
	pause = time.Millisecond
	// drainFor is how long outstanding requests may take at the end.
	drainFor = 30 * time.Second
)

// asleep is a slot that continues later.
type asleep struct {
	slot int32
	at   int64
}

// turns is the state of a worker with many outstanding requests in a queue. Each turn submits, waits and reaps.
type turns struct {
	w *worker
	q Queue
	// made is called when the first requests are submitted; nil afterwards.
	made func()

	free     []int32      // slots without a request, a stack: the last used has warm caches
	waiting  []asleep     // slots that continue later, in the order of time
	done     []Completion // completions of one wait
	underWay int

	// careful is set where filling and checking take time, so that the clock is read around them.
	careful bool
	// resubmit is the queue where a slot continues as soon as it is free; else nil.
	resubmit again
	batch    int     // completions that one wait collects at most
	gap      float64 // mean time between completions, in nanoseconds

	now, reaped int64 // the current time, and that of the last completions
	ending      bool
	deadline    int64 // for the end of the job: requests outstanding after it hang
}

// loop works with a queue that has many outstanding requests, on the worker's own thread. made is called when the first
// of them are submitted.
func (w *worker) loop(q Queue, made func()) error {
	s := newTurns(w, q, made)
	defer s.handedOver()
	for {
		s.submit()
		if s.underWay == 0 {
			if s.ending {
				return nil
			}
			s.idle()
			continue
		}
		n, err := s.wait()
		if err != nil {
			return err
		}
		if n > 0 {
			s.reap(n)
		}
	}
}

func newTurns(w *worker, q Queue, made func()) *turns {
	j := w.e.job
	s := &turns{w: w, q: q, made: made, free: make([]int32, 0, len(w.slots)), waiting: make([]asleep, 0, len(w.slots)),
		done: make([]Completion, len(w.slots)), careful: w.data.check || j.writes(),
		batch: min(j.Batch, max(1, len(w.slots)/4)), gap: float64(gatherFor), now: traffic.Now()}
	s.reaped = s.now
	for i := len(w.slots) - 1; i >= 0; i-- {
		s.free = append(s.free, int32(i))
	}
	if !s.careful && w.every == 0 && j.Think == 0 {
		s.resubmit, _ = q.(again)
	}
	if w.every > 0 || j.Think > 0 {
		s.batch = 1
	}
	return s
}

// handedOver calls made, once.
func (s *turns) handedOver() {
	if s.made != nil {
		s.made()
		s.made = nil
	}
}

// submit submits requests of all slots that are free and due. At the end of the job it submits none.
func (s *turns) submit() {
	w, t := s.w, s.w.tally
	if !s.ending && (s.now >= w.e.stopAt.Load() || t.amount == 0) {
		s.ending, s.deadline = true, s.now+int64(drainFor)
	}
	for len(s.waiting) > 0 && s.waiting[0].at <= s.now {
		s.free = append(s.free, s.waiting[0].slot)
		s.waiting = s.waiting[:copy(s.waiting, s.waiting[1:])]
	}
	if s.ending {
		return
	}
	size := int64(w.e.job.Size)
	for len(s.free) > 0 {
		if w.every > 0 {
			if w.due > s.now {
				return
			}
			w.due = max(w.due+w.every, s.now-int64(100*time.Millisecond))
		}
		i := s.free[len(s.free)-1]
		from := s.now
		if s.careful {
			from = traffic.Now()
		}
		if !w.draw(int(i)) {
			return
		}
		s.free = s.free[:len(s.free)-1]
		slot := &w.slots[i]
		if s.careful {
			if s.now = traffic.Now(); slot.op == OpWrite && t.inside(s.now) {
				t.making += s.now - from
			}
		}
		if t.first == 0 {
			t.first = s.now
		}
		slot.began = s.now
		w.next[0] = Request{Offset: slot.block * size, Slot: i, Op: slot.op}
		s.q.Submit(w.next[:])
		s.underWay++
	}
}

// timeout is the time until something other than a completion needs work.
func (s *turns) timeout() time.Duration {
	out := maxWait
	if len(s.waiting) > 0 {
		out = min(out, time.Duration(s.waiting[0].at-s.now))
	}
	if s.w.every > 0 && len(s.free) > 0 && !s.ending {
		out = min(out, time.Duration(s.w.due-s.now))
	}
	return out
}

// idle waits while no request is outstanding.
func (s *turns) idle() {
	if timeout := min(s.timeout(), time.Duration(s.w.e.stopAt.Load()-s.now)); timeout > 0 {
		time.Sleep(timeout)
	}
	s.now = traffic.Now()
	s.w.tally.advance(s.now)
	s.reaped = s.now
}

// wait waits for completions and returns how many there are; 0 where something else must be done first.
func (s *turns) wait() (n int, err error) {
	timeout, least := s.timeout(), 1
	if s.batch > 1 && !s.ending {
		if least = min(int(float64(gatherFor)/s.gap), s.batch, s.underWay); least > 1 {
			timeout = min(timeout, maxGather)
		} else {
			least = 1
		}
	}
	if s.resubmit != nil {
		n, err = s.resubmit.await(least, max(timeout, 0))
	} else {
		n, err = s.q.Wait(least, max(timeout, 0), s.done)
	}
	s.handedOver()
	t := s.w.tally
	if err != nil {
		t.hanging += int64(s.underWay)
		return 0, err
	}
	s.now = traffic.Now()
	t.advance(s.now)
	if n == 0 && s.ending && s.now > s.deadline {
		t.hanging += int64(s.underWay)
		return 0, errHanging
	}
	return n, nil
}

// reap takes n completions, and decides when their slots continue.
func (s *turns) reap(n int) {
	w, now := s.w, s.now
	s.gap += (float64(now-s.reaped)/float64(n) - s.gap) / 8
	s.reaped = now
	inside := w.tally.inside(now)
	if inside {
		w.tally.ended(n, now)
	}
	s.underWay -= n
	resubmitted := 0
	if s.resubmit != nil {
		if !s.ending && now < w.e.stopAt.Load() {
			resubmitted = s.resubmit.turn(w, n, now, inside)
			s.underWay += resubmitted
		}
		s.resubmit.take(s.done[resubmitted:n])
	}
	think := w.e.job.Think
	for k := range s.done[resubmitted:n] {
		c := &s.done[resubmitted+k]
		switch ok := w.done(int(c.Slot), int(c.Bytes), c.Err, now, inside); {
		case ok && think == 0:
			s.free = append(s.free, c.Slot)
		case ok:
			s.waiting = later(s.waiting, asleep{c.Slot, now + int64(think)})
		default:
			s.waiting = later(s.waiting, asleep{c.Slot, now + int64(max(think, pause))})
			c.Err = nil
		}
	}
}

// later keeps waiting in the order of time.
func later(waiting []asleep, a asleep) []asleep {
	waiting = append(waiting, a)
	for i := len(waiting) - 1; i > 0 && waiting[i-1].at > a.at; i-- {
		waiting[i-1], waiting[i] = waiting[i], waiting[i-1]
	}
	return waiting
}

// errHanging is a target that no longer answers.
var errHanging = fmt.Errorf("requests did not come back within %v after the end", drainFor)
