package wire

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"
)

// Pipe is one direction of a link. Times are of any monotonic clock, from any start. It is not safe for concurrent use.
type Pipe struct {
	Counts
	set   Settings
	store *store

	last     float64 // when the latest frame arrived, ns
	lineFree float64 // when the host's own port can send again
	free     float64 // when the transmitter can
	tokens   float64 // of the policer, bytes
	filled   float64 // time of that level
	bad      bool    // Gilbert's and Elliott's state

	queueBytes, queuePackets int64      // limits
	waits                    fifo[wait] // content of the queue
	waiting                  int64      // bytes of it
	under                    int64      // bytes of memory in the two below
	wire, held               fifo[leaving]
	index, latest            uint64 // of the latest arrival, and of the latest departure

	loss, ce, reorder, corrupt, duplicate *rand.Rand
}

// wait is a frame in the queue: until when, and its length.
type wait struct {
	until float64
	size  int64
}

// leaving is a frame in transit.
type leaving struct {
	due   float64
	index uint64
	data  bool
	frame []byte
}

// NewPipe returns a direction. The settings must have no Problems.
func NewPipe(set Settings, seed uint64) *Pipe { return newPipe(set, seed, new(store)) }

func newPipe(set Settings, seed uint64, s *store) *Pipe {
	p := &Pipe{set: set, store: s, tokens: set.policeBurst()}
	p.set.ReorderBy = cmp.Or(set.ReorderBy, DefaultReorderBy)
	p.queueBytes, p.queuePackets = set.queue()
	for i, r := range []**rand.Rand{&p.loss, &p.ce, &p.reorder, &p.corrupt, &p.duplicate} {
		*r = rand.New(rand.NewPCG(seed, uint64(i)))
	}
	return p
}

// taken returns the time of a frame on a link at a rate, in ns.
func taken(frame []byte, rate float64) float64 {
	return float64(max(len(frame)+Overhead, MinFrame)) * 8e9 / rate
}

// Put accepts a frame that arrives now, not earlier than the one before. From then on the Pipe owns the frame.
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
	// It draws for every packet, with or without ECT, so that the sequence depends only on the packets.
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

// police reports whether the policer lets a frame pass.
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

// queue appends a frame to the queue, and returns when it will have crossed the wire, and whether more than CEAbove was
// waiting. A frame in the transmitter is no longer waiting.
func (p *Pipe) queue(at float64, frame []byte) (due float64, above, ok bool) {
	for p.waits.len() > 0 && p.waits.first().until <= at {
		p.waiting -= p.waits.pop().size
	}
	size := int64(len(frame))
	begins := max(at, p.free)
	// A free transmitter takes the frame immediately.
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

// nextOf returns the line whose first frame leaves first; nil: nothing is in transit.
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

// Next returns the time at which the next frame leaves; ok is false if none is in transit.
func (p *Pipe) Next() (at time.Duration, ok bool) {
	q := p.nextOf()
	if q == nil {
		return 0, false
	}
	// It is rounded up to a nanosecond, at which the frame is due.
	at = time.Duration(q.first().due)
	if float64(at) < q.first().due {
		at++
	}
	return at, true
}

// Take returns the next frame that has left by now, and counts it as carried; nil: there is none. The caller owns the
// frame.
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

// refuse returns a taken frame that the interface refused.
func (p *Pipe) refuse(frame []byte) {
	p.Carried--
	p.Bytes -= uint64(len(frame))
	p.Refused++
}

// Totals returns the counts so far, with frames in transit.
func (p *Pipe) Totals() Counts {
	c := p.Counts
	c.Waiting = uint64(p.wire.len() + p.held.len())
	return c
}

// Counts are those of one direction, in wire packets:
//
//	Arrived = Policed + Overflow + Lost + (Carried + Refused + Waiting - Duplicated)
//
// Missed and Uncut never became wire packets, and Dropped are among the carried: these three and Refused are what the
// machine did, and no part of the settings.
type Counts struct {
	Arrived    uint64 `json:"arrived"`
	Carried    uint64 `json:"carried"`       // given to the interface
	Bytes      uint64 `json:"carried_bytes"` // of the frames carried, without FCS
	Policed    uint64 `json:"policed"`       // dropped above the policer's rate
	Overflow   uint64 `json:"overflow"`      // dropped at the queue's end
	Lost       uint64 `json:"lost"`
	Marked     uint64 `json:"marked"`
	Corrupted  uint64 `json:"corrupted"`
	Duplicated uint64 `json:"duplicated"`
	Reordered  uint64 `json:"reordered"` // packets that left after one that had arrived later
	Dropped    uint64 `json:"dropped"`   // that the interface took and then dropped: a veth whose peer's CPU is behind
	Refused    uint64 `json:"refused"`   // that the interface or its queueing discipline refused
	Waiting    uint64 `json:"waiting"`   // still in transit when the link ended
	Missed     uint64 `json:"missed"`    // frames or super-packets that arrived faster than they were read
	Uncut      uint64 `json:"uncut"`     // super-packets that could not be cut
	MostQueued uint64 `json:"most_queued_bytes"`
}

// fifo is a queue.
type fifo[T any] struct {
	items []T
	head  int
}

func (f *fifo[T]) len() int { return len(f.items) - f.head }

// first returns the oldest; there must be one.
func (f *fifo[T]) first() *T { return &f.items[f.head] }

func (f *fifo[T]) push(v T) {
	if f.head > 0 && len(f.items) == cap(f.items) && f.head >= len(f.items)/2 {
		n := copy(f.items, f.items[f.head:])
		clear(f.items[n:])
		f.items, f.head = f.items[:n], 0
	}
	f.items = append(f.items, v)
}

func (f *fifo[T]) pop() T {
	v := f.items[f.head]
	var none T
	f.items[f.head] = none
	f.head++
	if f.head == len(f.items) {
		f.items, f.head = f.items[:0], 0
	}
	return v
}

// store keeps buffers for frames, so that forwarding makes no garbage. It is not safe for concurrent use.
type store struct {
	free [len(classes)][][]byte
}

// classes are the sizes of buffers, in bytes: acknowledgements, frames of MTU 1500, of jumbo MTUs, and of 64 KiB on a
// loopback.
var classes = [...]int{256, 2 << 10, 10 << 10, 68 << 10}

func class(size int) int {
	return slices.IndexFunc(classes[:], func(most int) bool { return size <= most })
}

// get returns a buffer of a length, with arbitrary content.
func (s *store) get(size int) []byte {
	i := class(size)
	if i < 0 {
		return make([]byte, size)
	}
	if n := len(s.free[i]); n > 0 {
		b := s.free[i][n-1]
		s.free[i] = s.free[i][:n-1]
		return b[:size]
	}
	return make([]byte, size, classes[i])
}

// put returns a buffer to the store.
func (s *store) put(b []byte) {
	if i := class(cap(b)); i >= 0 && cap(b) == classes[i] {
		s.free[i] = append(s.free[i], b)
	}
}
