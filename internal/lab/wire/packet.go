package wire

import "encoding/binary"

// Numbers of IEEE 802 (EtherTypes) and IANA (protocol numbers).
const (
	etherIPv4 = 0x0800
	etherIPv6 = 0x86dd
	etherVLAN = 0x8100
	etherQinQ = 0x88a8

	protoHopByHop    = 0
	protoTCP         = 6
	protoUDP         = 17
	protoRouting     = 43
	protoFragment    = 44
	protoAH          = 51
	protoDestination = 60
)

const etherHeader = 14

// headers are offsets in a frame with an IP packet, in bytes.
type headers struct {
	ip      int
	v6      bool
	proto   byte // of the header at l4
	l4      int
	payload int  // after the headers of TCP and UDP; of others it is l4
	end     int  // of the IP packet: a frame may be padded
	first   bool // l4 is a header: the packet is not a later fragment
	pieces  bool // the packet is a fragment
}

// data reports whether the packet carries payload of TCP or UDP.
func (h headers) data() bool {
	return (h.proto == protoTCP || h.proto == protoUDP) && h.payload < h.end
}

// parse finds the headers of an IP packet in a frame (IEEE 802.3, 802.1Q; RFC 791, 8200, 9293, 768). ok is false if it
// is not an IP packet, or its headers are invalid.
func parse(frame []byte) (h headers, ok bool) {
	at := 12
	var kind uint16
	for {
		if len(frame) < at+2 {
			return h, false
		}
		kind = binary.BigEndian.Uint16(frame[at:])
		at += 2
		if kind != etherVLAN && kind != etherQinQ {
			break
		}
		at += 2
	}
	h.ip, h.first = at, true
	switch kind {
	case etherIPv4:
		ok = h.parse4(frame)
	case etherIPv6:
		ok = h.parse6(frame)
	}
	if !ok {
		return h, false
	}
	h.payload = h.l4
	if !h.first {
		return h, true
	}
	switch h.proto {
	case protoTCP:
		if h.end < h.l4+20 {
			return h, false
		}
		h.payload += int(frame[h.l4+12]>>4) * 4
		return h, h.payload >= h.l4+20 && h.payload <= h.end
	case protoUDP:
		h.payload += 8
		return h, h.payload <= h.end
	}
	return h, true
}

func (h *headers) parse4(frame []byte) bool {
	p := frame[h.ip:]
	if len(p) < 20 || p[0]>>4 != 4 {
		return false
	}
	size, total := int(p[0]&15)*4, int(binary.BigEndian.Uint16(p[2:]))
	if size < 20 || total < size || total > len(p) {
		return false
	}
	where := binary.BigEndian.Uint16(p[6:])
	h.first, h.pieces = where&0x1fff == 0, where&0x3fff != 0
	h.proto, h.l4, h.end = p[9], h.ip+size, h.ip+total
	return true
}

func (h *headers) parse6(frame []byte) bool {
	p := frame[h.ip:]
	if len(p) < 40 || p[0]>>4 != 6 {
		return false
	}
	h.v6 = true
	h.end = h.ip + 40 + int(binary.BigEndian.Uint16(p[4:]))
	if h.end > len(frame) {
		return false
	}
	h.proto, h.l4 = p[6], h.ip+40
	for {
		var size int
		switch h.proto {
		case protoHopByHop, protoRouting, protoDestination, protoAH, protoFragment:
			if h.end < h.l4+8 {
				return false
			}
		default:
			return true
		}
		switch h.proto {
		case protoAH:
			size = (int(frame[h.l4+1]) + 2) * 4
		case protoFragment:
			size = 8
			where := binary.BigEndian.Uint16(frame[h.l4+2:])
			h.first, h.pieces = where&^7 == 0, where&^6 != 0
		default:
			size = (int(frame[h.l4+1]) + 1) * 8
		}
		h.proto = frame[h.l4]
		h.l4 += size
		if h.l4 > h.end {
			return false
		}
		if !h.first {
			return true // this is the middle of a payload
		}
	}
}

// mark sets Congestion Experienced in a packet whose sender understands it (RFC 3168). It returns false if nothing was
// changed.
func (h headers) mark(frame []byte) bool {
	const ce = 3
	if h.v6 {
		// The traffic class spans the first two bytes, the two bits of ECN in the upper half of the second.
		b := frame[h.ip+1] >> 4 & ce
		if b == 0 || b == ce {
			return false
		}
		frame[h.ip+1] |= ce << 4
		return true
	}
	b := frame[h.ip+1] & ce
	if b == 0 || b == ce {
		return false
	}
	p := frame[h.ip:h.l4]
	before := binary.BigEndian.Uint16(p)
	p[1] |= ce
	// RFC 1624, equation 3: a checksum that was wrong stays wrong.
	sum := uint64(^binary.BigEndian.Uint16(p[10:])) + uint64(^before) + uint64(binary.BigEndian.Uint16(p))
	binary.BigEndian.PutUint16(p[10:], ^fold(sum))
	return true
}

// flip changes one random bit of the payload, because a change of one byte always changes the Internet checksum. In a
// packet of TCP or UDP without payload it changes the checksum instead. It returns false if nothing in the frame has a
// checksum.
func (h headers) flip(frame []byte, draw func(n int) int) bool {
	switch {
	case h.payload < h.end:
		frame[h.payload+draw(h.end-h.payload)] ^= 1 << draw(8)
	case h.proto == protoTCP && h.first:
		frame[h.l4+16] ^= 1 << draw(8)
	case h.proto == protoUDP && h.first:
		frame[h.l4+6] ^= 1 << draw(8)
	default:
		return false
	}
	return true
}
