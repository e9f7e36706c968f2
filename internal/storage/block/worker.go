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

// slot is one request that may be outstanding.
type slot struct {
	buffer     []byte
	block      int64
	began      int64
	generation uint32
	op         Op
	busy       bool
}

// worker is one thread of a job: its part of the span, its next requests, and its counters.
type worker struct {
	e      *Engine
	index  int
	part   share
	order  order
	blocks []int64    // of a batch, as they are drawn
	next   [1]Request // to submit
	random *rand.PCG
	limit  uint64 // of random numbers: below it, a read
	data   data
	slots  []slot
	held   bool // the next block is drawn already, and waits until its current request ends
	block  int64
	op     Op
	due    int64 // stamp of the next request, with a rate limit
	every  int64 // time between two of them, 0: no limit
	mixed  bool  // reads and writes may meet at one block
	first  uint32
	tally  *tally
	lock   sync.Mutex // protects everything above, where several goroutines work
	err    error
}

func newWorker(e *Engine, index int) *worker {
	j := e.job
	w := &worker{e: e, index: index, part: shareOf(j.Pattern, e.ready.Blocks, index, j.Threads),
		random: rand.NewPCG(j.Seed, uint64(index)^0x6f70), data: newData(j), slots: make([]slot, j.Depth),
		blocks: make([]int64, j.Depth), mixed: j.Verify && j.writes()}
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
	// Generations of this job must differ from those of an earlier job with the same seed, which are not known.
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

// draw finds the next request for slot i. It is false if the block has a request under way, or nothing is left.
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

// done takes the completion of slot i's request. It reports whether the slot may go on at once.
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
		case *of&ledgerMask == ledgerUnknown: // the unknown content may still be there
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

// look compares a block that was read with its expected content.
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
	// several generations: blocks of a different size were there
	case known == ledgerUnknown && bad.kind != WrongOffset && bad.kind != WrongSpoiled:
		v.Unknown++ // not written for this job
	default:
		w.tally.wrong(bad, now)
		if *of&ledgerDirty != 0 {
			v.ReadBack++
			*of &^= ledgerDirty
		}
	}
}

// one works with one slot and blocking calls; a worker has one for each of its slots. made is called before the first
// call.
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
				time.Sleep(min(wait, maxWait))
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
			time.Sleep(10 * time.Microsecond) // its block has a request under way
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
			step := min(wait, maxWait)
			time.Sleep(step)
			wait -= step
		}
	}
}

// stride is the distance between buffers: each begins at a page of its own.
func stride(size unit.Bytes) int { return (int(size) + 4095) / 4096 * 4096 }
