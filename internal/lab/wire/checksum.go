package wire

import (
	"cmp"
	"encoding/binary"
	"math/bits"
)

// sum adds bytes as 16-bit words in network order, the last one padded with zero (RFC 1071); fold reduces the sum to 16
// bits.
func sum(b []byte) uint64 {
	var s, carry uint64
	for len(b) >= 32 {
		s, carry = bits.Add64(s, binary.BigEndian.Uint64(b), carry)
		s, carry = bits.Add64(s, binary.BigEndian.Uint64(b[8:]), carry)
		s, carry = bits.Add64(s, binary.BigEndian.Uint64(b[16:]), carry)
		s, carry = bits.Add64(s, binary.BigEndian.Uint64(b[24:]), carry)
		b = b[32:]
	}
	for len(b) >= 8 {
		s, carry = bits.Add64(s, binary.BigEndian.Uint64(b), carry)
		b = b[8:]
	}
	// 2^64 is 1 in the arithmetic of the checksum.
	s, carry = bits.Add64(s, 0, carry)
	s += carry
	s = s>>32 + s&0xffffffff
	for len(b) >= 2 {
		s += uint64(binary.BigEndian.Uint16(b))
		b = b[2:]
	}
	if len(b) == 1 {
		s += uint64(b[0]) << 8
	}
	return s
}

func fold(s uint64) uint16 {
	for s > 0xffff {
		s = s>>16 + s&0xffff
	}
	return uint16(s)
}

// headerChecksum sets the checksum of an IPv4 header.
func headerChecksum(p []byte) {
	p[10], p[11] = 0, 0
	binary.BigEndian.PutUint16(p[10:], ^fold(sum(p)))
}

// pseudo returns the sum of the pseudo-header of TCP and UDP for size bytes from l4 on (RFC 9293 section 3.1, RFC 8200
// section 8.1).
func (h headers) pseudo(frame []byte, size int) uint64 {
	addresses := frame[h.ip+12 : h.ip+20]
	if h.v6 {
		addresses = frame[h.ip+8 : h.ip+40]
	}
	return sum(addresses) + uint64(h.proto) + uint64(size)
}

// place returns the offset of the checksum of TCP or UDP, from l4 on.
func place(proto byte) int {
	if proto == protoTCP {
		return 16
	}
	return 6
}

// transportChecksum sets the checksum of TCP or UDP of a whole packet.
func (h headers) transportChecksum(frame []byte) {
	body := frame[h.l4:h.end]
	field := body[place(h.proto):]
	field[0], field[1] = 0, 0
	put(field, h.pseudo(frame, len(body))+sum(body))
}

// put writes a checksum, and zero as all ones: both are equal in the sum, but in UDP zero means that there is none (RFC
// 768).
func put(field []byte, s uint64) {
	v := cmp.Or(^fold(s), 0xffff)
	binary.BigEndian.PutUint16(field, v)
}
