package block

import (
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/traffic"
)

// slot is one request that may be under way.
type slot struct {
	buffer     []byte
	block      int64
	began      int64
	generation uint32
	op         Op
	busy       bool
}

// worker is one thread of a job: its part of the span, what it does next, and what it counted.
type worker struct {
	e      *Engine
	index  int
	part   share
	order  order
	blocks []int64    // of a batch, as they are drawn
	next   [1]Request // that is handed over
	random *rand.PCG
	limit  uint64 // of random numbers: below it, a read
	data   data
	slots  []slot
	held   bool // the next block is drawn already, and waits until it is not under way
	block  int64
	op     Op
	due    int64 // stamp of the next request where a rate is kept
	every  int64 // between two of them, 0: none
	mixed  bool  // reads and writes may meet at one block
	first  uint32
	tally  *tally
	lock   sync.Mutex // of everything above, where several goroutines work
	err    error
}

func newWorker(e *Engine, index int) *worker {
	j := e.job
	w := &worker{e: e, index: index, part: shareOf(j.Pattern, e.ready.Blocks, index, j.Threads), random: rand.NewPCG(j.Seed, uint64(index)^0x6f70),
		data: newData(j), slots: make([]slot, j.Depth), blocks: make([]int64, j.Depth), mixed: j.Verify && j.writes()}
	w.order = newOrder(j, w.part, index)
	if j.Rate > 0 {
		w.every = int64(float64(j.Threads) / j.Rate * 1e9)
	}
	switch {
	case j.Read >= 1 || !j.writes():
		w.limit = 1 << 63
	case j.Read > 0:
		w.limit = uint64(j.Read * (1 << 63))
	}
	// Generations of one job are not those of an earlier one with the same seed, of which nobody knows here.
	w.first = 1<<20 + uint32(mix(uint64(time.Now().UnixNano())))%(1<<28)
	return w
}

// provide gives the slots their buffers.
func (w *worker) provide(memory []byte, stride int) {
	for i := range w.slots {
		w.slots[i].buffer = memory[i*stride : i*stride+int(w.e.job.Size)]
		if w.e.job.writes() {
			w.data.prepare(w.slots[i].buffer, uint64(w.index)<<32|uint64(i))
		}
	}
}

// draw finds the next request for slot i; not ok: its block is under way, or nothing is left.
func (w *worker) draw(i int) bool {
	if w.tally.amount == 0 {
		return false
	}
	if !w.held {
		w.order.fill(w.blocks[:1])
		w.block = w.part.block(w.blocks[0])
		w.op = OpRead
		if w.limit>>63 == 0 && w.random.Uint64()>>1 >= w.limit {
			w.op = OpWrite
		}
	}
	if w.mixed {
		for k := range w.slots {
			if w.slots[k].busy && w.slots[k].block == w.block {
				w.held = true
				return false
			}
		}
	}
	w.held = false
	if w.tally.amount > 0 {
		w.tally.amount--
	}
	s := &w.slots[i]
	s.block, s.op, s.busy = w.block, w.op, true
	if s.op == OpWrite {
		if l := w.e.ledger; l != nil {
			g := l.of[s.block] & ledgerMask
			if g == ledgerUnknown {
				g = w.first
			}
			s.generation = g + 1
		} else {
			s.generation++
		}
		w.data.fill(s.buffer, s.block*int64(len(s.buffer)), s.generation)
	}
	return true
}

// done takes the end of slot i's request. It says whether the slot may go on at once.
func (w *worker) done(i int, bytes int, err error, now int64, inside bool) bool {
	s := &w.slots[i]
	s.busy = false
	if err == nil && bytes != len(s.buffer) {
		err = fmt.Errorf("%w: %d of %d bytes", io.ErrUnexpectedEOF, bytes, len(s.buffer))
	}
	if s.op == OpWrite && w.e.ledger != nil {
		of := &w.e.ledger.of[s.block]
		switch {
		case err == nil:
			*of = s.generation | ledgerDirty
		case *of&ledgerMask == ledgerUnknown: // what nobody knew may be there still
			*of = ledgerUnknown | ledgerDirty | ledgerFailed
		default:
			*of = s.generation | ledgerDirty | ledgerFailed
		}
	}
	if err != nil {
		w.tally.failed(s.op, s.block*int64(len(s.buffer)), err, now)
		w.e.lost(now)
		return false
	}
	if inside {
		w.tally.count(s.op, now-s.began)
	}
	if s.op == OpRead && w.data.check {
		w.look(s, now)
	}
	return true
}

// look holds a block that was read against what is to be there.
func (w *worker) look(s *slot, now int64) {
	of := &w.e.ledger.of[s.block]
	known := *of & ledgerMask
	offset := s.block * int64(len(s.buffer))
	got, bad := w.data.verify(s.buffer, offset, known, known == ledgerUnknown || *of&ledgerFailed != 0)
	v := &w.tally.verified
	switch {
	case bad == nil:
		v.Right++
		if *of&ledgerDirty != 0 {
			v.ReadBack++
		}
		*of = got & ledgerMask
	case known == ledgerUnknown && bad.kind != WrongOffset && bad.kind != WrongSpoiled: // several generations: blocks of another size were here
		v.Unknown++ // nobody wrote it for this job
	default:
		w.tally.wrong(bad, now)
		if *of&ledgerDirty != 0 {
			v.ReadBack++
			*of &^= ledgerDirty
		}
	}
}

const (
	// waitMost is how long one wait in the kernel lasts at most: by then the loop looks whether it is to stop.
	waitMost = 50 * time.Millisecond
	// gatherFor is how long a completion that is there may wait for others, so that they share a call of the system: a wait that sleeps takes
	// as much processor time as several requests. It is never longer than the time in which a quarter of what is under way comes back, a quarter
	// of a latency on average, so the first of a batch may look up to a quarter slower than it was, and the mean an eighth.
	gatherFor = 400 * time.Microsecond
	// gatherMost is the same where the others do not come as they did before. A shorter one has the kernel set its clock anew for each wait,
	// which is dear in virtual machines. After such a wait completions are waited for one by one, until they come as fast as before.
	gatherMost = 10 * time.Millisecond
	// pause is between a request that failed and the next of its slot: errors come faster than anything else.
	pause = time.Millisecond
	// drainFor is how long requests that are under way at the end may take.
	drainFor = 30 * time.Second
)

// asleep is a slot that goes on later.
type asleep struct {
	slot int32
	at   int64
}

// loop works with a queue that has many requests under way, on the worker's own thread. made is called when the first of them are handed over.
func (w *worker) loop(q Queue, made func()) error {
	first := true
	defer func() {
		if first {
			made()
		}
	}()
	e, t := w.e, w.tally
	free := make([]int32, 0, len(w.slots)) // a stack: what was used last is warm
	for i := len(w.slots) - 1; i >= 0; i-- {
		free = append(free, int32(i))
	}
	waiting := make([]asleep, 0, len(w.slots)) // in the order of their time, as the time is the same for all, but for errors
	done := make([]Completion, len(w.slots))
	size := int64(e.job.Size)
	careful := w.data.check || e.job.writes() // filling and checking take time of their own
	var fast again
	if !careful && w.every == 0 && e.job.Think == 0 { // a slot goes on as soon as it is free
		fast, _ = q.(again)
	}
	most := min(e.job.Batch, max(1, len(w.slots)/4))
	if w.every > 0 || e.job.Think > 0 {
		most = 1
	}
	each := float64(gatherFor) // mean time between completions
	under, ending := 0, false
	var give int64
	now := traffic.Now()
	before := now
	for {
		if !ending && (now >= e.stopAt.Load() || t.amount == 0) {
			ending, give = true, now+int64(drainFor)
		}
		for len(waiting) > 0 && waiting[0].at <= now {
			free = append(free, waiting[0].slot)
			waiting = waiting[:copy(waiting, waiting[1:])]
		}
		for !ending && len(free) > 0 {
			if w.every > 0 {
				if w.due > now {
					break
				}
				w.due = max(w.due+w.every, now-int64(100*time.Millisecond))
			}
			i := free[len(free)-1]
			from := now
			if careful {
				from = traffic.Now()
			}
			if !w.draw(int(i)) {
				break
			}
			free = free[:len(free)-1]
			s := &w.slots[i]
			if careful {
				if now = traffic.Now(); s.op == OpWrite && t.inside(now) {
					t.making += now - from
				}
			}
			if t.first == 0 {
				t.first = now
			}
			s.began = now
			w.next[0] = Request{Offset: s.block * size, Slot: i, Op: s.op}
			q.Submit(w.next[:])
			under++
		}
		timeout := waitMost
		if len(waiting) > 0 {
			timeout = min(timeout, time.Duration(waiting[0].at-now))
		}
		if w.every > 0 && len(free) > 0 && !ending {
			timeout = min(timeout, time.Duration(w.due-now))
		}
		if under == 0 {
			if ending {
				break
			}
			if timeout = min(timeout, time.Duration(e.stopAt.Load()-now)); timeout > 0 {
				time.Sleep(timeout)
			}
			now = traffic.Now()
			t.advance(now)
			before = now
			continue
		}
		least := 1
		if most > 1 && !ending {
			if least = min(int(float64(gatherFor)/each), most, under); least > 1 {
				timeout = min(timeout, gatherMost)
			} else {
				least = 1
			}
		}
		var n int
		var err error
		if fast != nil {
			n, err = fast.await(least, max(timeout, 0))
		} else {
			n, err = q.Wait(least, max(timeout, 0), done)
		}
		if first {
			made()
			first = false
		}
		if err != nil {
			t.hanging += int64(under)
			return err
		}
		now = traffic.Now()
		t.advance(now)
		if n == 0 {
			if ending && now > give {
				t.hanging += int64(under)
				return errHanging
			}
			continue
		}
		each += (float64(now-before)/float64(n) - each) / 8
		before = now
		inside := t.inside(now)
		if inside {
			t.ended(n, now)
		}
		under -= n
		took := 0
		if fast != nil {
			if !ending && now < e.stopAt.Load() {
				took = fast.turn(w, n, now, inside)
				under += took
			}
			fast.take(done[took:n])
		}
		for k := range done[took:n] {
			c := &done[took+k]
			switch ok := w.done(int(c.Slot), int(c.Bytes), c.Err, now, inside); {
			case ok && e.job.Think == 0:
				free = append(free, c.Slot)
			case ok:
				waiting = later(waiting, asleep{c.Slot, now + int64(e.job.Think)})
			default:
				waiting = later(waiting, asleep{c.Slot, now + int64(max(e.job.Think, pause))})
				c.Err = nil
			}
		}
	}
	return nil
}

// later keeps waiting in the order of time.
func later(waiting []asleep, a asleep) []asleep {
	waiting = append(waiting, a)
	for i := len(waiting) - 1; i > 0 && waiting[i-1].at > a.at; i-- {
		waiting[i-1], waiting[i] = waiting[i], waiting[i-1]
	}
	return waiting
}

// errHanging is a target that does not answer any more.
var errHanging = fmt.Errorf("requests did not come back within %v after the end", drainFor)

// one works with one slot and calls that return when they are done; a worker has as many of these as it has slots. made is called when the first of them is.
func (w *worker) one(i int, call func(op Op, b []byte, offset int64) (int, error), made func()) {
	e, t := w.e, w.tally
	first := true
	defer func() {
		if first {
			made()
		}
	}()
	s := &w.slots[i]
	size := int64(e.job.Size)
	for {
		now := traffic.Now()
		if now >= e.stopAt.Load() {
			return
		}
		w.lock.Lock()
		if t.amount == 0 {
			w.lock.Unlock()
			return
		}
		if w.every > 0 {
			if wait := time.Duration(w.due - now); wait > 0 {
				w.lock.Unlock()
				time.Sleep(min(wait, waitMost))
				continue
			}
			w.due = max(w.due+w.every, now-int64(100*time.Millisecond))
		}
		from := traffic.Now()
		ok := w.draw(i)
		if now = traffic.Now(); ok && s.op == OpWrite && t.inside(now) {
			t.making += now - from
		}
		w.lock.Unlock()
		if !ok {
			time.Sleep(10 * time.Microsecond) // its block is under way
			continue
		}
		s.began = traffic.Now()
		n, err := call(s.op, s.buffer, s.block*size)
		now = traffic.Now()
		if first {
			made()
			first = false
		}
		w.lock.Lock()
		if t.first == 0 || s.began < t.first {
			t.first = s.began
		}
		t.advance(now)
		inside := t.inside(now)
		if inside {
			t.ended(1, now)
		}
		ok = w.done(i, n, err, now, inside)
		w.lock.Unlock()
		wait := e.job.Think
		if !ok {
			wait = max(wait, pause)
		}
		for wait > 0 && traffic.Now() < e.stopAt.Load() {
			step := min(wait, waitMost)
			time.Sleep(step)
			wait -= step
		}
	}
}

// stride is from one buffer to the next: each begins at a page of its own.
func stride(size unit.Bytes) int { return (int(size) + 4095) / 4096 * 4096 }
