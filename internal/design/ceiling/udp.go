package ceiling

import (
	"fmt"

	"linerate/internal/base/unit"
)

// ipv6Fragment is the fragment header of IPv6 (RFC 8200 section 4.5), in bytes.
const ipv6Fragment = 8

// UDPMessages is the most UDP payload in messages of a size, each of which fits into one packet or is cut into IP
// fragments (RFC 791, RFC 8200 section 4.5):
//
//	rate * size / wire bytes of one message
//
// where a packet takes its payload, 28 bytes of headers (48 with IPv6), the frame's 38 (42 with a VLAN tag), and at
// least the 84 of the smallest frame. A message of MTU - 28 bytes gives UDPOverEthernet.
func UDPMessages(rate unit.BitRate, e Ethernet, size int) (Ceiling, error) {
	return e.messages(rate, size, wireOverhead+e.tag(), smallestFrame+preambleAndGap, "wire")
}

// UDPMessagesThroughShaper is UDPMessages behind a Linux tbf shaper of the rate, which counts packets and 14 bytes
// each, without padding, as for TCPThroughShaper.
func UDPMessagesThroughShaper(rate unit.BitRate, e Ethernet, size int) (Ceiling, error) {
	return e.messages(rate, size, ethernetHeader, 0, "shaped")
}

// messages is the ceiling where each packet has so many bytes around it and takes at least so many.
func (e Ethernet) messages(rate unit.BitRate, size, around, least int, name string) (Ceiling, error) {
	if err := e.usable(rate); err != nil {
		return Ceiling{}, err
	}
	if size < 1 || size > largestIP-ipv4Header-udpHeader {
		return Ceiling{}, fmt.Errorf("a UDP message of %d bytes: RFC 768 allows 1 to %d; ask for a size in between", size, largestIP-ipv4Header-udpHeader)
	}
	headers := e.ip()
	room := e.MTU - headers
	if size+udpHeader > room { // every fragment but the last has a multiple of 8 bytes
		if e.IPv6 {
			headers += ipv6Fragment
		}
		room = (e.MTU - headers) / 8 * 8
	}
	total, packets := 0, 0
	for left := size + udpHeader; left > 0; left -= room {
		total += max(min(left, room)+headers+around, least)
		packets++
	}
	return made(float64(rate)*float64(size)/float64(total), "rate * size / "+name+"_bytes",
		declared("rate", float64(rate)), declared("mtu", float64(e.MTU)), declared("size", float64(size)),
		declared(name+"_bytes", float64(total)), declared("packets", float64(packets)))
}
