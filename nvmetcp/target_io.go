package nvmetcp

import (
	"encoding/binary"
	"fmt"
)

// ioCommand answers a command of an I/O queue. data is the in-capsule data, and good whether its digest matches.
func (p *peer) ioCommand(e sqe, data []byte, good bool) error {
	d := p.a.drive
	p.a.active.Store(true)
	fail := func(s Status) error { return p.respond(e.cid(), s|doNotRetry, 0) }
	op := e.opcode()
	switch {
	case !good:
		return p.respond(e.cid(), statusTransientTransport, 0)
	case e[1]&3 != 0: // fused
		return fail(statusInvalidField)
	case op == opFabrics:
		if e.fabrics() == fabricsDisconnect {
			p.closing = true
			return p.respond(e.cid(), 0, 0)
		}
		return fail(statusInvalidOpcode)
	case e.nsid() != 1 && !(op == opFlush && e.nsid() == 1<<32-1):
		return fail(statusNamespace)
	}
	switch op {
	case opFlush:
		if d.sync != nil && !d.ReadOnly {
			if err := d.sync.Sync(); err != nil {
				p.s.say("flush of " + d.NQN + ": " + err.Error())
				return p.respond(e.cid(), statusWriteFault, 0)
			}
		}
		return p.respond(e.cid(), 0, 0)
	case opRead, opWrite, opWriteZeroes:
	default:
		return fail(statusInvalidOpcode)
	}
	blocks, first := uint64(e.dw(12)&0xffff)+1, e.qw(10)
	if first >= d.ns.Blocks || blocks > d.ns.Blocks-first {
		return fail(statusRange)
	}
	offset, n := int64(first<<d.shift), int(blocks<<d.shift)
	if op != opRead && d.ReadOnly {
		return fail(statusWriteProtected)
	}
	if op == opWriteZeroes {
		return p.zero(e.cid(), offset, n)
	}
	switch {
	case n > p.s.limits.Transfer:
		return fail(statusInvalidField)
	case int64(e.sglBytes()) != int64(n):
		return fail(statusSGLLength)
	}
	switch kind := e.sglType(); {
	case op == opRead && kind == sglTransport && len(data) == 0:
		return p.read(e.cid(), offset, n)
	case op == opWrite && kind == sglInCapsule && e.sglOffset() == 0:
		if len(data) != n {
			return fail(statusSGLLength)
		}
		return p.respond(e.cid(), p.write(data, offset), 0)
	case op == opWrite && kind == sglTransport && len(data) == 0:
		return p.ask(e.cid(), offset, n)
	}
	return fail(statusSGLType)
}

// read sends n bytes of the drive.
func (p *peer) read(cid uint16, offset int64, n int) error {
	d := p.a.drive
	if d.memory != nil {
		return p.deliver(cid, 0, d.memory.bytes(offset, n), true)
	}
	for done := 0; done < n; {
		part, err := p.space(min(n-done, readPart))
		if err != nil {
			return err
		}
		if k, err := d.Backing.ReadAt(part, offset+int64(done)); k < len(part) {
			p.s.say(fmt.Sprintf("read of %d bytes at offset %d of %s: %v", len(part), offset+int64(done), d.NQN, err))
			return p.respond(cid, statusReadError, 0)
		}
		done += len(part)
		if err := p.deliver(cid, done-len(part), part, done == n); err != nil {
			return err
		}
	}
	return nil
}

func (p *peer) write(data []byte, offset int64) Status {
	d := p.a.drive
	if _, err := d.Backing.WriteAt(data, offset); err != nil {
		p.s.say(fmt.Sprintf("write of %d bytes at offset %d of %s: %v", len(data), offset, d.NQN, err))
		return statusWriteFault
	}
	return 0
}

func (p *peer) zero(cid uint16, offset int64, n int) error {
	d := p.a.drive
	if d.memory != nil {
		clear(d.memory.bytes(offset, n))
		return p.respond(cid, 0, 0)
	}
	clear(p.chunk)
	for done := 0; done < n; {
		part := p.chunk[:min(n-done, len(p.chunk))]
		if s := p.write(part, offset+int64(done)); s != 0 {
			return p.respond(cid, s, 0)
		}
		done += len(part)
	}
	return p.respond(cid, 0, 0)
}

// ask begins a write with data in separate PDUs.
func (p *peer) ask(cid uint16, offset int64, n int) error {
	if len(p.free) == 0 {
		return &fault{fesSequence, 0, fmt.Sprintf("more than %d commands under way on queue %d", p.entries, p.id)}
	}
	tag := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	p.transfers[tag] = transfer{busy: true, cid: cid, offset: offset, left: uint32(n)}
	return p.request(tag)
}

// request sends the R2T for the next part of a transfer: one at a time, which every host supports.
func (p *peer) request(tag uint16) error {
	t := &p.transfers[tag]
	t.asked = min(t.left, uint32(p.s.limits.R2T))
	var fields [r2tSize - headSize]byte
	binary.LittleEndian.PutUint16(fields[0:], t.cid)
	binary.LittleEndian.PutUint16(fields[2:], tag)
	binary.LittleEndian.PutUint32(fields[4:], t.moved)
	binary.LittleEndian.PutUint32(fields[8:], t.asked)
	return p.send(pduR2T, 0, fields[:], nil)
}

func (p *peer) dataBegins(h head, b []byte, n int) *fault {
	cid, tag := binary.LittleEndian.Uint16(b[8:]), binary.LittleEndian.Uint16(b[10:])
	offset, length := binary.LittleEndian.Uint32(b[12:]), binary.LittleEndian.Uint32(b[16:])
	if int(tag) >= len(p.transfers) || !p.transfers[tag].busy || p.transfers[tag].cid != cid {
		return badField(10, "H2CData for command %d under tag %d, for which no data was asked", cid, tag)
	}
	t := &p.transfers[tag]
	last := h.flags&flagLast != 0
	switch {
	case int(length) != n:
		return badField(16, "H2CData with %d bytes of data says that it has %d", n, length)
	case offset != t.moved || length > t.asked:
		return &fault{
			fesRange,
			12,
			fmt.Sprintf("H2CData with bytes %d to %d, where bytes %d to %d were asked for", offset,
				uint64(offset)+uint64(length), t.moved, t.moved+t.asked),
		}
	case last != (length == t.asked):
		return badField(1, "H2CData with %d of the %d bytes that are still asked for, and LAST_PDU %v", length, t.asked, last)
	}
	whole := p.chunk[:n]
	if d := p.a.drive; d.memory != nil && !p.f.data {
		whole = d.memory.bytes(t.offset, n)
	}
	p.cur = incoming{tag: tag, last: last, whole: whole, rest: whole}
	p.phase, p.large = phaseData, n >= largeData
	return nil
}

// dataEnds handles the end of a PDU's data. With digests data is written only after it was verified.
func (p *peer) dataEnds(good bool) error {
	t := &p.transfers[p.cur.tag]
	n := len(p.cur.whole)
	switch {
	case !good:
		t.status = statusTransientTransport
	case t.status != 0: // the rest of a failed write
	case p.a.drive.memory == nil || p.f.data:
		t.status = p.write(p.cur.whole, t.offset)
	}
	t.offset += int64(n)
	t.moved += uint32(n)
	t.left -= uint32(n)
	t.asked -= uint32(n)
	tag := p.cur.tag
	p.cur = incoming{}
	switch {
	case t.asked > 0:
		return nil
	case t.left > 0:
		return p.request(tag)
	}
	cid, s := t.cid, t.status
	*t = transfer{}
	p.free = append(p.free, tag)
	return p.respond(cid, s, 0)
}
