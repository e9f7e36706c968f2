package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Flags and types of the header that a packet socket with PACKET_VNET_HDR puts before each frame: struct virtio_net_hdr
// of linux/virtio_net.h, 10 bytes in the machine's own byte order.
const (
	vnetSize = 10

	vnetNeedsChecksum = 1

	gsoNone  = 0
	gsoTCPv4 = 1
	gsoTCPv6 = 4
	gsoUDP   = 5
	gsoECN   = 0x80 // combined with another: CWR must be only in the first segment, which is always done here
)

// offload is the work on a frame that is left to the NIC.
type offload struct {
	flags, kind    byte
	size           uint16 // of a segment's payload
	start, checked uint16 // start of the checksummed bytes, and the offset of the checksum from there
}

// readOffload reads the header; b has at least vnetSize bytes.
func readOffload(b []byte) offload {
	u16 := binary.NativeEndian.Uint16
	return offload{flags: b[0], kind: b[1] &^ gsoECN, size: u16(b[4:]), start: u16(b[6:]), checked: u16(b[8:])}
}

// cut splits a frame into wire packets, like a NIC, and passes each to emit in a buffer of its own from the store.
// After an error none was passed.
func cut(o offload, frame []byte, s *store, emit func([]byte)) error {
	if o.kind == gsoNone {
		return whole(o, frame, s, emit)
	}
	h, ok := parse(frame)
	switch {
	case !ok:
		return errors.New("a super-packet that is not an IP packet")
	case h.pieces:
		return errors.New("a super-packet that is a fragment")
	case o.kind == gsoTCPv4 && (h.v6 || h.proto != protoTCP),
		o.kind == gsoTCPv6 && (!h.v6 || h.proto != protoTCP),
		o.kind == gsoUDP && h.proto != protoUDP:
		return fmt.Errorf("a super-packet of type %d with protocol %d outside: encapsulated ones are not cut", o.kind,
			h.proto)
	case o.kind != gsoTCPv4 && o.kind != gsoTCPv6 && o.kind != gsoUDP:
		return fmt.Errorf("a super-packet of type %d, which is not known here", o.kind)
	case o.size == 0:
		return errors.New("a super-packet without the size of its segments")
	}
	head, data := frame[:h.payload], frame[h.payload:h.end]
	for i := 0; i == 0 || len(data) > 0; i++ {
		n := min(len(data), int(o.size))
		p := s.get(len(head) + n)
		copy(p, head)
		copy(p[len(head):], data[:n])
		data = data[n:]
		h.segment(p, i, int(o.size), len(data) == 0)
		emit(p)
	}
	return nil
}

// segment adapts the headers of the i-th segment, which are those of the super-packet.
func (h headers) segment(p []byte, i, size int, last bool) {
	const fin, psh, cwr = 0x01, 0x08, 0x80
	h.end = len(p)
	if h.v6 {
		binary.BigEndian.PutUint16(p[h.ip+4:], uint16(h.end-h.ip-40))
	} else {
		ip := p[h.ip:h.l4]
		binary.BigEndian.PutUint16(ip[2:], uint16(h.end-h.ip))
		binary.BigEndian.PutUint16(ip[4:], binary.BigEndian.Uint16(ip[4:])+uint16(i))
		headerChecksum(ip)
	}
	l4 := p[h.l4:]
	if h.proto == protoUDP {
		binary.BigEndian.PutUint16(l4[4:], uint16(h.end-h.l4))
	} else {
		binary.BigEndian.PutUint32(l4[4:], binary.BigEndian.Uint32(l4[4:])+uint32(i*size))
		if !last {
			l4[13] &^= fin | psh
		}
		if i > 0 {
			l4[13] &^= cwr
		}
	}
	h.transportChecksum(p)
}

// whole passes a frame that is one wire packet to emit, and completes its checksum, which is still the sum of the
// pseudo-header.
func whole(o offload, frame []byte, s *store, emit func([]byte)) error {
	start, at := int(o.start), int(o.start)+int(o.checked)
	if o.flags&vnetNeedsChecksum != 0 && at+2 > len(frame) {
		return errors.New("a checksum to be filled in behind the frame's end")
	}
	p := s.get(len(frame))
	copy(p, frame)
	if o.flags&vnetNeedsChecksum != 0 {
		// Padding after the packet is not part of the sum.
		end := len(p)
		if h, ok := parse(p); ok && h.l4 == start {
			end = h.end
		}
		if at+2 <= end {
			put(p[at:], sum(p[start:end]))
		}
	}
	emit(p)
	return nil
}
