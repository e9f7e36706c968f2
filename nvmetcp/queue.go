package nvmetcp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// Completion is one command that ended. Err is nil where its data is whole and its status success.
type Completion struct {
	Slot   int
	Status Status
	Err    error
}

const (
	depthMost = 4096
	batchMost = 256 // PDUs that are handed over at once
)

// Queue is one I/O queue, a connection of its own. It belongs to one thread: its methods are not safe for use by several.
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
	under int // commands under way, also those that are not flushed

	queued  []uint16 // slots whose command is to be built
	asks    []ask    // ring of R2Ts that are to be answered
	askAt   int
	askN    int
	heads   []byte
	vec     [][]byte // what is built
	sending [][]byte // what of it is not handed over yet
	batch   uint32   // number of the vector

	in    reader
	phase uint8
	cur   current
	large bool // the last data was

	done    []Completion
	late    []Completion // ended while their data is still being handed over
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
	asking  uint8  // R2Ts that are not answered in full
	moved   int    // of a read: bytes that came; of a write: bytes that were asked for
	batch   uint32 // the vector that has its data last
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

// Queue opens an I/O queue for at most depth commands under way. Errors are *Error; too great a depth, and more queues than the target grants, are its limits.
func (c *Controller) Queue(depth int) (*Queue, error) {
	return c.QueueContext(context.Background(), depth)
}

// QueueContext is Queue, ended by ctx.
func (c *Controller) QueueContext(ctx context.Context, depth int) (*Queue, error) {
	if depth < 1 || depth > c.info.MaxDepth {
		return nil, failure(CodeLimit, c.subject, "a queue with %d commands under way, where the target allows 1 to %d", depth, c.info.MaxDepth)
	}
	c.mu.Lock()
	if c.err != nil {
		defer c.mu.Unlock()
		return nil, c.err
	}
	// A number that was not used yet before one that was: a target may still be at closing that queue.
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
		return nil, failure(CodeLimit, c.subject, "one queue more, where the target grants %d and all are open", c.info.Queues)
	}
	c.opened = id
	c.queues[id] = &Queue{stream: noStream{}} // keeps the number
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
	l, _, err := c.associate(ctx, subject, connectData{controller: c.info.Controller, subsystem: c.address.NQN, queue: id, entries: uint16(min(uint32(depth), c.entries))})
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
	q := &Queue{c: c, id: id, subject: subject, stream: s, f: l.f, most: int(min(l.most, biggestTransfer)), ns: c.info.Namespace, cap: c.info.InCapsule, limit: c.info.MaxTransfer,
		write: c.o.Write && !c.info.Namespace.ReadOnly, r2ts: c.o.r2ts(), timeout: c.o.timeout(),
		slots: make([]slot, depth), queued: make([]uint16, 0, depth), asks: make([]ask, depth*c.o.r2ts()), heads: make([]byte, batchMost*(beforeMost+digestSize)),
		vec: make([][]byte, 0, 2*batchMost+1), in: reader{buf: make([]byte, stagingSize)}, done: make([]Completion, 0, depth), late: make([]Completion, 0, depth), checked: time.Now()}
	for n := q.ns.BlockSize; n > 1; n >>= 1 {
		q.shift++
	}
	return q
}

// Depth is how many slots there are: 0 to Depth-1.
func (q *Queue) Depth() int { return len(q.slots) }

// Submit queues one read or write of len(buf) bytes at offset, in bytes, under a slot that is free. Nothing goes out before Flush or Wait; buf belongs to
// the queue until the slot's completion.
func (q *Queue) Submit(at int, write bool, offset int64, buf []byte) error {
	op := uint8(opRead)
	if write {
		op = opWrite
	}
	return q.submit(at, op, offset, buf)
}

// Sync queues NVMe's Flush: what was completed before is on the medium when it completes (NVM, section 3.2.3).
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
		return failure(CodeInput, q.subject, "%d bytes at offset %d, where both must be multiples of the block of %d bytes", len(buf), offset, q.ns.BlockSize)
	case len(buf) > q.limit || len(buf)>>q.shift > 1<<16:
		return failure(CodeLimit, q.subject, "%d bytes in one command, where the target allows %d; split it", len(buf), min(q.limit, 1<<16<<q.shift))
	case offset < 0 || int64(len(buf)) > q.ns.Size()-offset:
		return failure(CodeLimit, q.subject, "%d bytes at offset %d, where the namespace ends at %d", len(buf), offset, q.ns.Size())
	}
	s := &q.slots[at]
	*s = slot{buf: buf, lba: uint64(offset) >> q.shift, op: op, busy: true, capsule: op == opWrite && len(buf) <= q.cap}
	q.queued = append(q.queued, uint16(at))
	q.under++
	return nil
}

// Flush hands over what is queued, as far as the connection takes it at once; Wait goes on with the rest.
func (q *Queue) Flush() error {
	if q.err == nil {
		if err := q.pump(); err != nil {
			q.fail(err)
		}
	}
	return q.err
}

// Wait hands over what is queued and waits until at least min commands have ended, deadline has come (the zero time: none), or nothing is under way. What has ended is
// returned once; the slice is valid until the next Wait. After an error the queue is of no use; what has ended before it is still returned.
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

// overdue looks for a command that had no answer for too long.
func (q *Queue) overdue(now time.Time) error {
	for i := range q.slots {
		s := &q.slots[i]
		if s.busy && s.built && now.Sub(s.at) > q.timeout {
			return failure(CodeTimeout, q.subject, "no answer to a %s of %d bytes at offset %d within %v (sent at %s), with %d commands under way: the target is busy or gone; look whether it answers ping, and at its log",
				opName(s.op), len(s.buf), int64(s.lba)<<q.shift, q.timeout, clock(s.at), q.under)
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
		if len(q.sending) == 0 { // in the middle of another PDU it would be data
			q.stream.send([][]byte{b})
		}
		err = failure(CodeProtocol, q.subject, "the target does not keep to the specification: %s; the connection was ended with %d commands under way", f.text, q.under)
	}
	if q.c != nil {
		if why := q.c.Err(); why != nil {
			err = why
		}
	}
	q.err = connectionError(q.subject, fmt.Sprintf("%d commands under way", q.under), err)
	q.stream.interrupt()
}

// wrong is the header that a fault is about.
func (q *Queue) wrong() []byte {
	b := q.in.bytes()
	if q.phase != phaseHead || len(b) < headSize {
		return nil
	}
	return b[:min(len(b), max(int(b[2]), headSize))]
}

// Close ends the connection. Nobody may be in another method of the queue.
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

// pump builds and hands over until nothing is left or the connection takes no more.
func (q *Queue) pump() error {
	for {
		if len(q.sending) == 0 {
			if len(q.late) > 0 {
				for _, d := range q.late {
					q.end(d)
				}
				q.late = q.late[:0]
			}
			if len(q.queued) == 0 && q.askN == 0 {
				return nil
			}
			q.build()
		}
		n, err := q.stream.send(q.sending)
		if err != nil {
			return err
		}
		q.sending = advance(q.sending, n)
		if len(q.sending) > 0 {
			return nil
		}
	}
}

// build puts PDUs together: capsules first, which make the target's work, then the data that it asked for.
func (q *Queue) build() {
	q.batch++
	q.vec = q.vec[:0]
	now := time.Now()
	pdus, from, to := 0, 0, 0 // heads[from:to] stands before the next data
	data := func(b []byte) {
		q.vec = append(q.vec, q.heads[from:to], b)
		from = to
		if q.f.data {
			binary.LittleEndian.PutUint32(q.heads[to:], digest(b))
			to += digestSize
		}
	}
	n := min(len(q.queued), batchMost)
	for _, at := range q.queued[:n] {
		s := &q.slots[at]
		s.built, s.at = true, now
		b := q.heads[to:]
		e := sqe(b[headSize:cmdSize])
		e.begin(s.op, at, q.ns.ID)
		inside := 0
		if s.op != opFlush {
			e.carry(len(s.buf), s.capsule)
			e.setQW(10, s.lba)
			e.setDW(12, uint32(len(s.buf)>>q.shift-1))
			if s.capsule {
				inside = len(s.buf)
			}
		}
		to += q.f.put(b, pduCapsuleCmd, 0, cmdSize, inside)
		if s.capsule {
			s.batch = q.batch
			data(s.buf)
		}
		pdus++
	}
	q.queued = q.queued[:copy(q.queued, q.queued[n:])]
	for q.askN > 0 && pdus < batchMost {
		a := &q.asks[q.askAt]
		s := &q.slots[a.slot]
		size := min(int(a.left), q.most)
		b := q.heads[to:]
		clear(b[headSize:dataSize])
		binary.LittleEndian.PutUint16(b[8:], a.slot)
		binary.LittleEndian.PutUint16(b[10:], a.tag)
		binary.LittleEndian.PutUint32(b[12:], a.offset)
		binary.LittleEndian.PutUint32(b[16:], uint32(size))
		flags := uint8(0)
		if size == int(a.left) {
			flags = flagLast
		}
		to += q.f.put(b, pduH2CData, flags, dataSize, size)
		s.batch = q.batch
		data(s.buf[a.offset : int(a.offset)+size])
		a.offset += uint32(size)
		a.left -= uint32(size)
		if a.left == 0 {
			s.asking--
			q.askAt = (q.askAt + 1) % len(q.asks)
			q.askN--
		}
		pdus++
	}
	if to > from {
		q.vec = append(q.vec, q.heads[from:to])
	}
	q.sending = q.vec
}

// receive reads once: the rest of large data straight into its buffer.
func (q *Queue) receive(left time.Duration) error {
	sending := len(q.sending) > 0
	size := len(q.in.buf)
	if q.large && len(q.in.bytes()) < headSize {
		size = shortRead
	}
	if q.phase == phaseData && len(q.cur.rest) >= directFrom {
		n, err := q.stream.receive(q.cur.rest, q.in.room(shortRead, beforeMost), left, sending)
		k := min(n, len(q.cur.rest))
		q.cur.rest = q.cur.rest[k:]
		q.in.w += n - k
		return err
	}
	n, err := q.stream.receive(q.in.room(size, beforeMost+digestSize), nil, left, sending)
	q.in.w += n
	return err
}

// parse goes through what came. What it holds is kept within the command's own buffer and its length, whatever a PDU claims.
func (q *Queue) parse() error {
	for {
		switch q.phase {
		case phaseData:
			q.cur.rest = q.cur.rest[q.in.take(q.cur.rest):]
			if len(q.cur.rest) > 0 {
				return nil
			}
			q.phase = phaseDigest
			if !q.f.data {
				q.phase = phaseHead
				q.dataEnds()
			}
		case phaseDigest:
			b := q.in.bytes()
			if len(b) < digestSize {
				return nil
			}
			if binary.LittleEndian.Uint32(b) != digest(q.cur.whole) {
				q.slots[q.cur.slot].damaged = true
			}
			q.in.skip(digestSize)
			q.phase = phaseHead
			q.dataEnds()
		default:
			b := q.in.bytes()
			if len(b) < headSize {
				return nil
			}
			h := parseHead(b)
			before, n, f := q.f.check(h, toHost)
			if f != nil {
				return f
			}
			if len(b) < before || h.kind == pduC2HTermReq && len(b) < before+n {
				return nil
			}
			if h.kind == pduC2HTermReq {
				return failure(CodeProtocol, q.subject, "the target ended the connection with %d commands under way: %s", q.under, termText(b, b[termSize:before+n]))
			}
			if f := q.f.checkDigest(b, h.hlen); f != nil {
				return f
			}
			switch h.kind {
			case pduC2HData:
				f = q.dataBegins(h, b, n)
			case pduCapsuleResp:
				f = q.response(cqe(b[headSize:respSize]))
			default:
				f = q.asked(b)
			}
			if f != nil {
				return f
			}
			q.in.skip(before)
		}
	}
}

func (q *Queue) underWay(b []byte, op uint8, kind string) (uint16, *slot, *fault) {
	at := binary.LittleEndian.Uint16(b)
	if int(at) >= len(q.slots) || !q.slots[at].busy || !q.slots[at].built || op != opFlush && q.slots[at].op != op {
		return at, nil, badField(8, "%s for command %d, of which no %s is under way", kind, at, opName(op))
	}
	return at, &q.slots[at], nil
}

func (q *Queue) dataBegins(h head, b []byte, n int) *fault {
	at, s, f := q.underWay(b[8:], opRead, "C2HData")
	if f != nil {
		return f
	}
	offset, length := binary.LittleEndian.Uint32(b[12:]), binary.LittleEndian.Uint32(b[16:])
	switch {
	case int(length) != n:
		return badField(16, "C2HData with %d bytes of data says that it has %d", n, length)
	case int64(offset) != int64(s.moved) || n > len(s.buf)-s.moved:
		return &fault{fesRange, 12, fmt.Sprintf("C2HData with bytes %d to %d of a read of %d bytes, of which %d came before it", offset, uint64(offset)+uint64(n), len(s.buf), s.moved)}
	case h.flags&flagSuccess != 0 && (h.flags&flagLast == 0 || s.moved+n != len(s.buf)):
		return badField(1, "C2HData with SUCCESS when %d of %d bytes have come", s.moved+n, len(s.buf))
	}
	part := s.buf[s.moved : s.moved+n]
	s.moved += n
	q.cur = current{at, h.flags, part, part}
	q.phase, q.large = phaseData, n >= largeData
	return nil
}

func (q *Queue) dataEnds() {
	if q.cur.flags&flagSuccess != 0 {
		q.end(q.outcome(q.cur.slot, 0))
	}
}

func (q *Queue) response(e cqe) *fault {
	at, s, f := q.underWay(e[12:], opFlush, "a response came")
	if f != nil {
		return f
	}
	status := e.status()
	if status&statusCode == 0 {
		status = 0
		if s.op == opRead && s.moved != len(s.buf) {
			return &fault{fesSequence, 0, fmt.Sprintf("success for a read of %d bytes, of which %d came", len(s.buf), s.moved)}
		}
		if s.op == opWrite && !s.capsule && (s.moved != len(s.buf) || s.asking > 0) {
			return &fault{fesSequence, 0, fmt.Sprintf("success for a write of %d bytes, of which it asked for %d and has not got all", len(s.buf), s.moved)}
		}
	}
	d := q.outcome(at, status)
	if s.asking > 0 {
		q.forget(at)
	}
	if len(q.sending) > 0 && s.batch == q.batch {
		s.built = false // one answer is enough
		q.late = append(q.late, d)
		return nil
	}
	q.end(d)
	return nil
}

func (q *Queue) outcome(at uint16, status Status) Completion {
	s := &q.slots[at]
	d := Completion{Slot: int(at), Status: status}
	switch {
	case status != 0:
		d.Err = &Error{Code: CodeStatus, Subject: q.subject, Status: status, At: time.Now(), Text: fmt.Sprintf("%s of %d bytes at offset %d: %v", opName(s.op), len(s.buf), int64(s.lba)<<q.shift, status)}
	case s.damaged:
		d.Status = statusTransientTransport
		d.Err = failure(CodeProtocol, q.subject, "read of %d bytes at offset %d: the data's digest does not fit it, bytes were changed on the way", len(s.buf), int64(s.lba)<<q.shift)
	}
	return d
}

func (q *Queue) end(d Completion) {
	s := &q.slots[d.Slot]
	s.busy, s.built, s.buf = false, false, nil
	q.under--
	q.done = append(q.done, d)
}

// forget drops what a command that has ended was asked for.
func (q *Queue) forget(at uint16) {
	kept := 0
	for i := range q.askN {
		a := q.asks[(q.askAt+i)%len(q.asks)]
		if a.slot != at {
			q.asks[(q.askAt+kept)%len(q.asks)] = a
			kept++
		}
	}
	q.askN = kept
	q.slots[at].asking = 0
}

// asked takes an R2T (TCP, section 3.6.2.9).
func (q *Queue) asked(b []byte) *fault {
	at, s, f := q.underWay(b[8:], opWrite, "R2T")
	if f != nil {
		return f
	}
	offset, length := binary.LittleEndian.Uint32(b[12:]), binary.LittleEndian.Uint32(b[16:])
	switch {
	case s.capsule:
		return &fault{fesSequence, 0, "R2T for a write whose data went with its command"}
	case int(s.asking) >= q.r2ts:
		return &fault{fesLimit, 0, fmt.Sprintf("R2T number %d under way for one command, where %d are allowed", s.asking+1, q.r2ts)}
	case length == 0 || int64(offset) != int64(s.moved) || int64(length) > int64(len(s.buf)-s.moved):
		return &fault{fesRange, 12, fmt.Sprintf("R2T for bytes %d to %d of a write of %d bytes, of which %d were asked for before it", offset, uint64(offset)+uint64(length), len(s.buf), s.moved)}
	}
	s.moved += int(length)
	s.asking++
	q.asks[(q.askAt+q.askN)%len(q.asks)] = ask{at, binary.LittleEndian.Uint16(b[10:]), offset, length}
	q.askN++
	return nil
}

// noStream stands for a connection that is being made.
type noStream struct{}

func (noStream) receive(a, b []byte, left time.Duration, sending bool) (int, error) {
	return 0, errTimeout
}
func (noStream) send(vec [][]byte) (int, error)                  { return 0, nil }
func (noStream) sendAll(vec [][]byte, limit time.Duration) error { return nil }
func (noStream) interrupt()                                      {}
func (noStream) close()                                          {}
