package icmp

import (
	"encoding/binary"
	"linerate/internal/traffic"
)

// Types of ICMP messages (RFC 792, RFC 4443).
const (
	echoReply4   = 0
	echoRequest4 = 8
	echoRequest6 = 128
	echoReply6   = 129
)

// putEcho writes the header of an echo request into b, before the payload. Over IPv6 the kernel sets the checksum, over
// IPv4 and a datagram socket it sets it again.
func putEcho(b []byte, six bool, id, sequence uint16) {
	b[0] = echoRequest4
	if six {
		b[0] = echoRequest6
	}
	b[1], b[2], b[3] = 0, 0, 0
	binary.BigEndian.PutUint16(b[4:], id)
	binary.BigEndian.PutUint16(b[6:], sequence)
	if !six {
		binary.BigEndian.PutUint16(b[2:], checksum(b))
	}
}

// parseEcho returns the payload of an echo reply, from a raw socket one with the number id. False: it is not one.
func parseEcho(b []byte, six, raw bool, id uint16) ([]byte, bool) {
	if raw && !six { // with its IP header
		if len(b) < traffic.Ipv4Header {
			return nil, false
		}
		n := int(b[0]&15) * 4
		if b[0]>>4 != 4 || n < traffic.Ipv4Header || n > len(b) {
			return nil, false
		}
		b = b[n:]
	}
	reply := byte(echoReply4)
	if six {
		reply = echoReply6
	}
	if len(b) < icmpHeader || b[0] != reply || b[1] != 0 || raw && binary.BigEndian.Uint16(b[4:]) != id {
		return nil, false
	}
	return b[icmpHeader:], true
}

// checksum is the Internet's (RFC 1071).
func checksum(b []byte) uint16 {
	sum := uint32(0)
	for ; len(b) >= 2; b = b[2:] {
		sum += uint32(binary.BigEndian.Uint16(b))
	}
	if len(b) == 1 {
		sum += uint32(b[0]) << 8
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
}
