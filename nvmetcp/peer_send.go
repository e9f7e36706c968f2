package nvmetcp

import (
	"encoding/binary"
)

// flush sends what was collected.
func (p *peer) flush() error {
	if p.to == 0 && len(p.vec) == 0 {
		return nil
	}
	err := p.stream.sendAll(p.vec, sendLimit)
	p.vec, p.to, p.used, p.bytes = p.vec[:0], 0, 0, 0
	return err
}

// send adds a PDU with the fields after the common header, and optional data, which must stay unchanged until flush.
func (p *peer) send(kind, flags uint8, fields []byte, data []byte) error {
	if p.to+beforeMost+digestSize > len(p.headers) || len(p.vec) >= maxVec || p.bytes > maxOut {
		if err := p.flushKeeping(data); err != nil {
			return err
		}
	}
	b := p.headers[p.to:]
	size := headSize + copy(b[headSize:], fields)
	n := p.f.put(b, kind, flags, uint8(size), len(data))
	p.push(b[:n])
	if len(data) > 0 {
		p.vec = append(p.vec, data)
		p.bytes += len(data)
		if p.f.data {
			binary.LittleEndian.PutUint32(p.headers[p.to:], digest(data))
			p.push(p.headers[p.to : p.to+digestSize])
		}
	}
	return nil
}

// flushKeeping is flush for a caller that holds data: if it is in the arena it must not be reused.
func (p *peer) flushKeeping(data []byte) error {
	used := p.used
	err := p.flush()
	if len(data) > 0 {
		p.used = used
	}
	return err
}

// push adds bytes of headers, joined with those before it if they are adjacent.
func (p *peer) push(b []byte) {
	if k := len(p.vec) - 1; k >= 0 && p.to > 0 {
		if last := p.vec[k]; len(last) > 0 && cap(last) >= len(last)+len(b) && &last[:len(last)+1][len(last)] == &b[0] {
			p.vec[k] = last[:len(last)+len(b)]
			p.to += len(b)
			return
		}
	}
	p.vec = append(p.vec, b)
	p.to += len(b)
}

// respond answers a command.
func (p *peer) respond(cid uint16, s Status, result uint64) error {
	var fields [cqeSize]byte
	cqe(fields[:]).put(result, p.nextHead(), p.id, cid, s)
	return p.send(pduCapsuleResp, 0, fields[:], nil)
}

func (p *peer) nextHead() uint16 {
	if p.noFlow || p.entries == 0 {
		return 0
	}
	p.head = (p.head + 1) % p.entries
	return p.head
}

// deliver sends data of a command at an offset in it; with last, the command has completed successfully.
func (p *peer) deliver(cid uint16, offset int, data []byte, last bool) error {
	var fields [dataSize - headSize]byte
	binary.LittleEndian.PutUint16(fields[0:], cid)
	binary.LittleEndian.PutUint32(fields[4:], uint32(offset))
	binary.LittleEndian.PutUint32(fields[8:], uint32(len(data)))
	flags := uint8(0)
	if last {
		flags = flagLast
		if p.noFlow { // otherwise the response must carry the queue's head
			flags |= flagSuccess
		}
	}
	if err := p.send(pduC2HData, flags, fields[:], data); err != nil || !last || p.noFlow {
		return err
	}
	return p.respond(cid, 0, 0)
}

// space returns room for n bytes of outgoing data, at most the arena.
func (p *peer) space(n int) ([]byte, error) {
	if p.used+n > len(p.arena) {
		if err := p.flush(); err != nil {
			return nil, err
		}
	}
	b := p.arena[p.used : p.used+n]
	p.used += n
	return b, nil
}
