package nvmetcp

import (
	"encoding/binary"
	"fmt"
	"time"
)

// pump builds and sends until nothing is left or the connection accepts no more.
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

// build assembles PDUs: first capsules, which give the target work, then the data that it requested.
func (q *Queue) build() {
	q.batch++
	q.vec = q.vec[:0]
	now := time.Now()
	pdus, from, to := 0, 0, 0 // headers[from:to] is before the next data
	data := func(b []byte) {
		q.vec = append(q.vec, q.headers[from:to], b)
		from = to
		if q.f.data {
			binary.LittleEndian.PutUint32(q.headers[to:], digest(b))
			to += digestSize
		}
	}
	n := min(len(q.queued), maxBatch)
	for _, at := range q.queued[:n] {
		s := &q.slots[at]
		s.built, s.at = true, now
		b := q.headers[to:]
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
	for q.askN > 0 && pdus < maxBatch {
		a := &q.asks[q.askAt]
		s := &q.slots[a.slot]
		size := min(int(a.left), q.most)
		b := q.headers[to:]
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
		q.vec = append(q.vec, q.headers[from:to])
	}
	q.sending = q.vec
}

// asked handles an R2T (TCP, section 3.6.2.9).
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
		return &fault{fesLimit, 0,
			fmt.Sprintf("R2T number %d under way for one command, where %d are allowed", s.asking+1, q.r2ts)}
	case length == 0 || int64(offset) != int64(s.moved) || int64(length) > int64(len(s.buf)-s.moved):
		return &fault{
			fesRange,
			12,
			fmt.Sprintf("R2T for bytes %d to %d of a write of %d bytes, of which %d were asked for before it", offset,
				uint64(offset)+uint64(length), len(s.buf), s.moved),
		}
	}
	s.moved += int(length)
	s.asking++
	q.asks[(q.askAt+q.askN)%len(q.asks)] = ask{at, binary.LittleEndian.Uint16(b[10:]), offset, length}
	q.askN++
	return nil
}
