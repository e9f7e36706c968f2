package wire

import (
	"math/rand/v2"
	"time"
)

// Pipe is one direction of a link. Times are of any clock that does not go backwards, from any start. Not for two
// goroutines at once.
type Pipe struct {
	Counts
	set   Settings
	store *store

	last     float64 // when the latest frame arrived, ns
	lineFree float64 // when the host's own port can send again
	free     float64 // when the transmitter can
	tokens   float64 // of the policer, bytes
	filled   float64 // when it was filled up to them
	bad      bool    // Gilbert's and Elliott's state

	queueBytes, queuePackets int64      // limits
	waits                    fifo[wait] // what the queue holds
	waiting                  int64      // bytes of it
	under                    int64      // bytes of memory in the two below
	wire, held               fifo[leaving]
	index, latest            uint64 // of the latest that came, and of the latest that has left

	loss, ce, reorder, corrupt, duplicate *rand.Rand
}

// wait is a frame in the queue: until when, and its length.
type wait struct {
	until float64
	size  int64
}

// leaving is a frame under way.
type leaving struct {
	due   float64
	index uint64
	data  bool
	frame []byte
}

// NewPipe makes a direction. The settings are to have no Problems.
func NewPipe(set Settings, seed uint64) *Pipe { return newPipe(set, seed, new(store)) }

func newPipe(set Settings, seed uint64, s *store) *Pipe {
	p := &Pipe{set: set, store: s, tokens: set.policeBurst()}
	if p.set.ReorderBy == 0 {
		p.set.ReorderBy = DefaultReorderBy
	}
	p.queueBytes, p.queuePackets = set.queue()
	for i, r := range []**rand.Rand{&p.loss, &p.ce, &p.reorder, &p.corrupt, &p.duplicate} {
		*r = rand.New(rand.NewPCG(seed, uint64(i)))
	}
	return p
}

// taken is what a frame takes of a link at a rate, in ns.
func taken(frame []byte, rate float64) float64 {
	return float64(max(len(frame)+Overhead, MinFrame)) * 8e9 / rate
}

// Put takes a frame that arrives now, no earlier than the one before. The frame is the Pipe's from then on.
func (p *Pipe) Put(now time.Duration, frame []byte) {
	at := max(float64(now), p.last)
	if p.set.Line > 0 {
		p.lineFree = max(p.lineFree, at) + taken(frame, float64(p.set.Line))
		at = p.lineFree
	}
	p.last = at
	p.Arrived++
	h, ip := parse(frame)
	data := p.set.All || ip && h.data()

	if !p.police(at, frame) {
		p.Policed++
		p.store.put(frame)
		return
	}
	due, above, ok := p.queue(at, frame)
	if !ok {
		p.Overflow++
		p.store.put(frame)
		return
	}
	if data && p.loses() {
		p.Lost++
		p.store.put(frame)
		return
	}
	// Drawn whether there is ECT or not: the sequence is one of packets.
	if (data && chance(p.ce, p.set.CE) || above) && ip && h.mark(frame) {
		p.Marked++
	}
	if data && chance(p.corrupt, p.set.Corrupt) && ip && h.flip(frame, p.corrupt.IntN) {
		p.Corrupted++
	}
	twice := data && chance(p.duplicate, p.set.Duplicate)
	to := &p.wire
	if data && chance(p.reorder, p.set.Reorder) {
		to, due = &p.held, due+float64(p.set.ReorderBy)
	}
	p.index++
	to.push(leaving{due: due, index: p.index, data: data, frame: frame})
	p.under += int64(cap(frame))
	if twice {
		p.Duplicated++
		again := p.store.get(len(frame))
		copy(again, frame)
		to.push(leaving{due: due, index: p.index, data: data, frame: again})
		p.under += int64(cap(again))
	}
}

func chance(r *rand.Rand, p float64) bool { return p > 0 && r.Float64() < p }

// police says whether the policer lets a frame pass.
func (p *Pipe) police(at float64, frame []byte) bool {
	if p.set.Police == 0 {
		return true
	}
	p.tokens = min(p.set.policeBurst(), p.tokens+(at-p.filled)*float64(p.set.Police)/8e9)
	p.filled = at
	if p.tokens < float64(len(frame)) {
		return false
	}
	p.tokens -= float64(len(frame))
	return true
}

// queue puts a frame at the end of the queue and says when it has crossed the wire, and whether it found more waiting than
// CEAbove. What a transmitter has begun with waits no more.
func (p *Pipe) queue(at float64, frame []byte) (due float64, above, ok bool) {
	for p.waits.len() > 0 && p.waits.first().until <= at {
		p.waiting -= p.waits.pop().size
	}
	size := int64(len(frame))
	begins := max(at, p.free)
	// A free transmitter takes the frame at once.
	if queued := begins > at || p.set.Rate == 0 && p.set.Delay > 0; queued &&
		(p.waiting+size > p.queueBytes || int64(p.waits.len()) >= p.queuePackets) || p.under+2*int64(cap(frame)) > mostHeld {
		return 0, false, false
	}
	above = p.set.CEAbove > 0 && p.waiting > int64(p.set.CEAbove)
	until := begins
	if p.set.Rate > 0 {
		p.free = begins + taken(frame, float64(p.set.Rate))
		due = p.free + float64(p.set.Delay)
	} else {
		due = at + float64(p.set.Delay)
		until = due
	}
	if until > at {
		p.waits.push(wait{until, size})
		p.waiting += size
		p.MostQueued = max(p.MostQueued, uint64(p.waiting))
	}
	return due, above, true
}

// loses draws whether a packet is lost.
func (p *Pipe) loses() bool {
	if p.set.LossBurst == 0 {
		return chance(p.loss, p.set.Loss)
	}
	enter, leave, in := p.set.burst()
	if p.bad {
		p.bad = !chance(p.loss, leave)
	} else {
		p.bad = chance(p.loss, enter)
	}
	return p.bad && chance(p.loss, in)
}

// nextOf is the line whose first frame leaves first; nil: nothing is under way.
func (p *Pipe) nextOf() *fifo[leaving] {
	switch {
	case p.wire.len() == 0 && p.held.len() == 0:
		return nil
	case p.held.len() == 0:
		return &p.wire
	case p.wire.len() == 0:
		return &p.held
	}
	w, h := p.wire.first(), p.held.first()
	if w.due < h.due || w.due == h.due && w.index < h.index {
		return &p.wire
	}
	return &p.held
}

// Next says when the next frame leaves; not ok: none is under way.
func (p *Pipe) Next() (at time.Duration, ok bool) {
	q := p.nextOf()
	if q == nil {
		return 0, false
	}
	// Up to the whole nanosecond: at that time it is due.
	at = time.Duration(q.first().due)
	if float64(at) < q.first().due {
		at++
	}
	return at, true
}

// Take returns the next frame that has left by now, and counts it as carried; nil: there is none. The frame is the caller's.
func (p *Pipe) Take(now time.Duration) []byte {
	q := p.nextOf()
	if q == nil || q.first().due > float64(now) {
		return nil
	}
	l := q.pop()
	p.under -= int64(cap(l.frame))
	if l.data {
		if l.index < p.latest {
			p.Reordered++
		}
		p.latest = max(p.latest, l.index)
	}
	p.Carried++
	p.Bytes += uint64(len(l.frame))
	return l.frame
}

// refuse takes a frame back that was taken and that the interface did not want.
func (p *Pipe) refuse(frame []byte) {
	p.Carried--
	p.Bytes -= uint64(len(frame))
	p.Refused++
}

// Totals are the counts so far, with what is still under way.
func (p *Pipe) Totals() Counts {
	c := p.Counts
	c.Waiting = uint64(p.wire.len() + p.held.len())
	return c
}
