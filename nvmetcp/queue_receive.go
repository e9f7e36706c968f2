package nvmetcp

import (
	"encoding/binary"
	"fmt"
	"time"
)

// receive reads once; the rest of large data goes directly into its buffer.
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

// parse handles everything that has arrived. It never writes beyond the command's own buffer and length, whatever a PDU
// claims.
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
				return failure(CodeProtocol, q.subject, "the target ended the connection with %d commands under way: %s", q.under,
					termText(b, b[termSize:before+n]))
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
		return &fault{
			fesRange,
			12,
			fmt.Sprintf("C2HData with bytes %d to %d of a read of %d bytes, of which %d came before it", offset,
				uint64(offset)+uint64(n), len(s.buf), s.moved),
		}
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
			return &fault{fesSequence, 0,
				fmt.Sprintf("success for a write of %d bytes, of which it asked for %d and has not got all", len(s.buf), s.moved)}
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
		d.Err = &Error{Code: CodeStatus, Subject: q.subject, Status: status, At: time.Now(),
			Text: fmt.Sprintf("%s of %d bytes at offset %d: %v", opName(s.op), len(s.buf), int64(s.lba)<<q.shift, status)}
	case s.damaged:
		d.Status = statusTransientTransport
		d.Err = failure(CodeProtocol, q.subject,
			"read of %d bytes at offset %d: the data's digest does not fit it, bytes were changed on the way", len(s.buf),
			int64(s.lba)<<q.shift)
	}
	return d
}

func (q *Queue) end(d Completion) {
	s := &q.slots[d.Slot]
	s.busy, s.built, s.buf = false, false, nil
	q.under--
	q.done = append(q.done, d)
}

// forget drops the data requests of a completed command.
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

func (noStream) receive(a, b []byte, left time.Duration, sending bool) (int, error) {
	return 0, errTimeout
}
