package nvmetcp

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Completion is one command that ended. Err is nil if its data is complete and its status success.
type Completion struct {
	Slot   int
	Status Status
	Err    error
}

const (
	maxDepth = 4096
	maxBatch = 256 // PDUs in one send
)

// Queue is one I/O queue with its own connection. It belongs to one thread: its methods are not safe for concurrent
// use.
type Queue struct {
	c       *Controller
	id      uint16
	subject string
	stream  stream
	f       framing
	most    int // MAXH2CDATA
	ns      Namespace
	shift   uint // of a block
	cap     int  // in-capsule data
	limit   int  // bytes of one command
	write   bool
	r2ts    int
	timeout time.Duration

	slots []slot
	under int // outstanding commands, including those that are not flushed

	queued  []uint16 // slots whose command must be built
	asks    []ask    // ring of unanswered R2Ts
	askAt   int
	askN    int
	headers []byte
	vec     [][]byte // what was built
	sending [][]byte // the unsent part of it
	batch   uint32   // number of the vector

	in    reader
	phase uint8
	cur   current
	large bool // the last data was large

	done    []Completion
	late    []Completion // completions whose data is still being sent
	err     error
	checked time.Time
}

type slot struct {
	buf     []byte
	lba     uint64
	op      uint8
	busy    bool
	built   bool
	capsule bool
	damaged bool
	asking  uint8  // R2Ts without a complete answer
	moved   int    // of a read: received bytes; of a write: requested bytes
	batch   uint32 // the last vector with its data
	at      time.Time
}

// ask is one R2T.
type ask struct {
	slot, tag    uint16
	offset, left uint32
}

// current is the C2HData whose data is being received.
type current struct {
	slot  uint16
	flags uint8
	whole []byte
	rest  []byte
}

const (
	phaseHead = iota
	phaseData
	phaseDigest
)

// Queue opens an I/O queue for at most depth outstanding commands. Errors are *Error; its limits are the depth and the
// number of queues that the target grants.
func (c *Controller) Queue(depth int) (*Queue, error) {
	return c.QueueContext(context.Background(), depth)
}

// QueueContext is Queue with a context.
func (c *Controller) QueueContext(ctx context.Context, depth int) (*Queue, error) {
	if depth < 1 || depth > c.info.MaxDepth {
		return nil, failure(CodeLimit, c.subject, "a queue with %d commands under way, where the target allows 1 to %d",
			depth, c.info.MaxDepth)
	}
	c.mu.Lock()
	if c.err != nil {
		defer c.mu.Unlock()
		return nil, c.err
	}
	// An unused number is preferred: the target may still be closing a queue with a used one.
	id := uint16(0)
	for n := range c.info.Queues {
		k := uint16((int(c.opened)+n)%c.info.Queues) + 1
		if _, used := c.queues[k]; !used {
			id = k
			break
		}
	}
	if id == 0 {
		defer c.mu.Unlock()
		return nil, failure(CodeLimit, c.subject, "one queue more, where the target grants %d and all are open",
			c.info.Queues)
	}
	c.opened = id
	c.queues[id] = &Queue{stream: noStream{}} // reserves the number
	c.mu.Unlock()
	q, err := c.queue(ctx, id, depth)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && c.err != nil {
		q.stream.close()
		err = c.err
	}
	if err != nil {
		delete(c.queues, id)
		return nil, err
	}
	c.queues[id] = q
	return q, nil
}

func (c *Controller) queue(ctx context.Context, id uint16, depth int) (*Queue, error) {
	subject := fmt.Sprintf("%s: queue %d", c.subject, id)
	l, _, err := c.associate(
		ctx,
		subject,
		connectData{controller: c.info.Controller, subsystem: c.address.NQN, queue: id,
			entries: uint16(min(uint32(depth), c.entries))},
	)
	if err != nil {
		return nil, err
	}
	l.conn.SetDeadline(time.Time{})
	s, err := newStream(l.conn)
	if err != nil {
		l.conn.Close()
		return nil, connectionError(subject, "taking the connection over", err)
	}
	return newQueue(c, id, subject, s, l, depth), nil
}

func newQueue(c *Controller, id uint16, subject string, s stream, l *link, depth int) *Queue {
	q := &Queue{c: c, id: id, subject: subject, stream: s, f: l.f,
		most: int(min(l.most, biggestTransfer)), ns: c.info.Namespace, cap: c.info.InCapsule,
		limit: c.info.MaxTransfer, write: c.o.Write && !c.info.Namespace.ReadOnly, r2ts: c.o.r2ts(),
		timeout: c.o.timeout(), slots: make([]slot, depth), queued: make([]uint16, 0, depth),
		asks: make([]ask, depth*c.o.r2ts()), headers: make([]byte, maxBatch*(beforeMost+digestSize)),
		vec: make([][]byte, 0, 2*maxBatch+1), in: reader{buf: make([]byte, stagingSize)},
		done: make([]Completion, 0, depth), late: make([]Completion, 0, depth), checked: time.Now()}
	for n := q.ns.BlockSize; n > 1; n >>= 1 {
		q.shift++
	}
	return q
}

// Depth is the number of slots: 0 to Depth-1.
func (q *Queue) Depth() int { return len(q.slots) }

// Submit queues one read or write of len(buf) bytes at offset, in bytes, in a free slot. Nothing is sent before Flush
// or Wait; buf belongs to the queue until the slot's completion.
func (q *Queue) Submit(at int, write bool, offset int64, buf []byte) error {
	op := uint8(opRead)
	if write {
		op = opWrite
	}
	return q.submit(at, op, offset, buf)
}

// Sync queues NVMe's Flush: data of completed writes is on the medium when it completes (NVM, section 3.2.3).
func (q *Queue) Sync(at int) error { return q.submit(at, opFlush, 0, nil) }

func (q *Queue) submit(at int, op uint8, offset int64, buf []byte) error {
	if q.err != nil {
		return q.err
	}
	mask := int64(q.ns.BlockSize - 1)
	switch {
	case at < 0 || at >= len(q.slots):
		return failure(CodeInput, q.subject, "slot %d of a queue that has slots 0 to %d", at, len(q.slots)-1)
	case q.slots[at].busy:
		return failure(CodeInput, q.subject, "slot %d has a command under way", at)
	case op == opWrite && !q.write:
		if q.ns.ReadOnly {
			return failure(CodeReadOnly, q.subject, "namespace %d is write protected by its target", q.ns.ID)
		}
		return failure(CodeReadOnly, q.subject, "a write, and it was opened for reading only")
	case op != opFlush && (len(buf) == 0 || (offset|int64(len(buf)))&mask != 0):
		return failure(CodeInput, q.subject, "%d bytes at offset %d, where both must be multiples of the block of %d bytes",
			len(buf), offset, q.ns.BlockSize)
	case len(buf) > q.limit || len(buf)>>q.shift > 1<<16:
		return failure(CodeLimit, q.subject, "%d bytes in one command, where the target allows %d; split it", len(buf),
			min(q.limit, 1<<16<<q.shift))
	case offset < 0 || int64(len(buf)) > q.ns.Size()-offset:
		return failure(CodeLimit, q.subject, "%d bytes at offset %d, where the namespace ends at %d", len(buf), offset,
			q.ns.Size())
	}
	s := &q.slots[at]
	*s = slot{buf: buf, lba: uint64(offset) >> q.shift, op: op, busy: true, capsule: op == opWrite && len(buf) <= q.cap}
	q.queued = append(q.queued, uint16(at))
	q.under++
	return nil
}

// Flush sends what is queued, as far as the connection accepts it at once; Wait sends the rest.
func (q *Queue) Flush() error {
	if q.err == nil {
		if err := q.pump(); err != nil {
			q.fail(err)
		}
	}
	return q.err
}

// Wait sends what is queued and waits until at least min commands have completed, the deadline passes (the zero time:
// none), or nothing is outstanding. Each completion is returned once; the slice is valid until the next Wait. After an
// error the queue is unusable; earlier completions are still returned.
func (q *Queue) Wait(min int, deadline time.Time) ([]Completion, error) {
	q.done = q.done[:0]
	if q.err != nil {
		return nil, q.err
	}
	if err := q.wait(min, deadline); err != nil {
		q.fail(err)
	}
	return q.done, q.err
}

const checkEvery = 250 * time.Millisecond

func (q *Queue) wait(least int, deadline time.Time) error {
	for first := true; ; first = false {
		if err := q.pump(); err != nil {
			return err
		}
		if len(q.done) >= least && !(first && least == 0) || q.under == 0 {
			return nil
		}
		now := time.Now()
		left := checkEvery
		if !deadline.IsZero() {
			left = max(min(left, deadline.Sub(now)), 0)
		}
		if least == 0 {
			left = 0
		}
		if err := q.receive(left); err == errTimeout {
			now = time.Now()
			if least == 0 || !deadline.IsZero() && !now.Before(deadline) {
				return q.overdue(now)
			}
		} else if err != nil {
			return err
		} else if err := q.parse(); err != nil {
			return err
		}
		if now.Sub(q.checked) >= checkEvery {
			q.checked = now
			if err := q.overdue(now); err != nil {
				return err
			}
		}
	}
}

// flushLimit is the time limit of a Flush, if Options.Timeout is not longer: a hard disk may take minutes for gigabytes
// in a target's memory.
const flushLimit = 2 * time.Minute

// overdue returns an error if a command had no answer for too long.
func (q *Queue) overdue(now time.Time) error {
	for i := range q.slots {
		s := &q.slots[i]
		limit := q.timeout
		if s.op == opFlush {
			limit = max(limit, flushLimit)
		}
		if s.busy && s.built && now.Sub(s.at) > limit {
			return failure(
				CodeTimeout,
				q.subject,
				"no answer to a %s of %d bytes at offset %d within %v (sent at %s), with %d commands under way: the target is "+
					"busy or gone; look whether it answers ping, and at its log",
				opName(s.op),
				len(s.buf),
				int64(s.lba)<<q.shift,
				limit,
				clock(s.at),
				q.under,
			)
		}
	}
	return nil
}

func opName(op uint8) string {
	switch op {
	case opRead:
		return "read"
	case opWrite:
		return "write"
	}
	return "flush"
}

// fail ends the queue.
func (q *Queue) fail(err error) {
	var f *fault
	if errors.As(err, &f) {
		b := putTerm(pduH2CTermReq, f, q.wrong())
		if len(q.sending) == 0 { // in the middle of another PDU it would be taken for data
			q.stream.send([][]byte{b})
		}
		err = failure(CodeProtocol, q.subject,
			"the target does not keep to the specification: %s; the connection was ended with %d commands under way", f.text,
			q.under)
	}
	if q.c != nil {
		if why := q.c.Err(); why != nil {
			err = why
		}
	}
	q.err = connectionError(q.subject, fmt.Sprintf("%d commands under way", q.under), err)
	q.stream.interrupt()
}

// wrong is the header that caused a fault.
func (q *Queue) wrong() []byte {
	b := q.in.bytes()
	if q.phase != phaseHead || len(b) < headSize {
		return nil
	}
	return b[:min(len(b), max(int(b[2]), headSize))]
}

// Close ends the connection. No other method of the queue may be running.
func (q *Queue) Close() error {
	q.stream.close()
	if q.err == nil {
		q.err = failure(CodeStopped, q.subject, "it was closed")
	}
	q.c.mu.Lock()
	defer q.c.mu.Unlock()
	if q.c.queues[q.id] == q {
		delete(q.c.queues, q.id)
	}
	return nil
}

// noStream is a placeholder while the connection is being made.
type noStream struct{}

func (noStream) send(vec [][]byte) (int, error)                  { return 0, nil }
func (noStream) sendAll(vec [][]byte, limit time.Duration) error { return nil }
func (noStream) interrupt()                                      {}
func (noStream) close()                                          {}
