package ceiling

import (
	"fmt"
	"strconv"

	"linerate/internal/base/diag"
	"linerate/internal/base/unit"
)

// Sizes in bytes, from IEEE 802.3 (frame, preamble, gap), IEEE 802.1Q (tag), RFC 791, RFC 8200 (IP), RFC 9293 (TCP),
// RFC 768 (UDP) and RFC 7323 (timestamps with their two bytes of padding).
const (
	ethernetHeader = 14
	frameCheck     = 4
	preambleAndGap = 8 + 12
	wireOverhead   = ethernetHeader + frameCheck + preambleAndGap // 38
	smallestFrame  = 64                                           // with the frame check
	vlanTag        = 4
	ipv4Header     = 20
	ipv6Header     = 40
	tcpHeader      = 20
	udpHeader      = 8
	tcpTimestamps  = 12
	smallestIPv4   = 68    // RFC 791: every module must forward it
	smallestIPv6   = 1280  // RFC 8200 section 5
	largestIP      = 65535 // 16-bit total length
)

// Ethernet is the framing of packets on an Ethernet link.
type Ethernet struct {
	MTU        int // bytes of the IP packet, 68 (IPv6: 1280) to 65535
	IPv6       bool
	Timestamps bool // TCP timestamps in every segment
	VLAN       bool // one 802.1Q tag in every frame
}

func (e Ethernet) check() error {
	low, whose := smallestIPv4, "RFC 791's least for IPv4"
	if e.IPv6 {
		low, whose = smallestIPv6, "RFC 8200's least for IPv6"
	}
	switch {
	case e.MTU < low:
		return diag.Advise(fmt.Errorf("MTU %d is below %d bytes, %s", e.MTU, low, whose),
			fmt.Sprintf("write an MTU from %d to %d, usually 1500 or 9000", low, largestIP))
	case e.MTU > largestIP:
		return diag.Advise(
			fmt.Errorf("MTU %d is above %d bytes, the most that IP's 16-bit length can say", e.MTU, largestIP),
			fmt.Sprintf("write an MTU from %d to %d, usually 1500 or 9000", low, largestIP))
	}
	return nil
}

func (e Ethernet) ip() int {
	if e.IPv6 {
		return ipv6Header
	}
	return ipv4Header
}

func (e Ethernet) options() int {
	if e.Timestamps {
		return tcpTimestamps
	}
	return 0
}

func (e Ethernet) tag() int {
	if e.VLAN {
		return vlanTag
	}
	return 0
}

// Segment returns the TCP payload of one full packet, in bytes.
func (e Ethernet) Segment() int { return e.MTU - e.ip() - tcpHeader - e.options() }

// Wire returns the size of one full packet on the wire, in bytes: header, tag, packet, frame check, preamble and gap.
func (e Ethernet) Wire() int { return e.MTU + wireOverhead + e.tag() }

// AckWire returns the size of an acknowledgement without data on the wire, in bytes; frames below 64 bytes are padded
// (IEEE 802.3).
func (e Ethernet) AckWire() int {
	frame := ethernetHeader + e.tag() + e.ip() + tcpHeader + e.options() + frameCheck
	return max(frame, smallestFrame) + preambleAndGap
}

func (e Ethernet) payloadFormula() string {
	s := "mtu - " + strconv.Itoa(e.ip()+tcpHeader)
	if e.Timestamps {
		s += " - " + strconv.Itoa(tcpTimestamps)
	}
	return "(" + s + ")"
}

func (e Ethernet) wireFormula() string {
	s := "mtu + " + strconv.Itoa(wireOverhead)
	if e.VLAN {
		s += " + " + strconv.Itoa(vlanTag)
	}
	return s
}

// TCPOverEthernet is the most TCP payload that an Ethernet link of the rate carries in one direction when the other one
// carries only acknowledgements:
//
//	rate * (MTU - 40 - 12 with timestamps) / (MTU + 38 + 4 with a VLAN tag)
//
// with 60 in place of 40 for IPv6. 38 is 14 header, 4 frame check, 8 preamble and 12 gap (IEEE 802.3). 10 Gb/s with MTU
// 1500 and timestamps: 9.4148 Gb/s.
func TCPOverEthernet(rate unit.BitRate, e Ethernet) (Ceiling, error) {
	if err := e.usable(rate); err != nil {
		return Ceiling{}, err
	}
	return made(float64(rate)*float64(e.Segment())/float64(e.Wire()),
		"rate * "+e.payloadFormula()+" / ("+e.wireFormula()+")",
		declared("rate", float64(rate)), declared("mtu", float64(e.MTU)))
}

// UDPOverEthernet is the most UDP payload in full packets:
//
//	rate * (MTU - 28) / (MTU + 38 + 4 with a VLAN tag)
//
// with 48 in place of 28 for IPv6. Timestamps do not matter: only TCP has them.
func UDPOverEthernet(rate unit.BitRate, e Ethernet) (Ceiling, error) {
	if err := e.usable(rate); err != nil {
		return Ceiling{}, err
	}
	headers := e.ip() + udpHeader
	return made(float64(rate)*float64(e.MTU-headers)/float64(e.Wire()),
		"rate * (mtu - "+strconv.Itoa(headers)+") / ("+e.wireFormula()+")",
		declared("rate", float64(rate)), declared("mtu", float64(e.MTU)))
}

// Layer2 is the rate of a full link in the counters of an operating system. Windows' Task Manager and most interface
// counters count the frame without frame check, preamble and gap:
//
//	rate * (MTU + 14 + 4 with a VLAN tag) / (MTU + 38 + 4 with a VLAN tag)
func Layer2(rate unit.BitRate, e Ethernet) (Ceiling, error) {
	if err := e.usable(rate); err != nil {
		return Ceiling{}, err
	}
	return made(float64(rate)*float64(e.MTU+ethernetHeader+e.tag())/float64(e.Wire()),
		"rate * (mtu + "+strconv.Itoa(ethernetHeader+e.tag())+") / ("+e.wireFormula()+")",
		declared("rate", float64(rate)), declared("mtu", float64(e.MTU)))
}

// PacketRate is the number of full packets per second on an Ethernet link: rate / 8 / (MTU + 38 + 4 with a VLAN tag).
func PacketRate(rate unit.BitRate, e Ethernet) (float64, error) {
	if err := e.usable(rate); err != nil {
		return 0, err
	}
	return float64(rate) / 8 / float64(e.Wire()), nil
}

func (e Ethernet) usable(rate unit.BitRate) error {
	if err := positive("the link's rate", float64(rate)); err != nil {
		return err
	}
	return e.check()
}

// ipv6Fragment is the fragment header of IPv6 (RFC 8200 section 4.5), in bytes.
const ipv6Fragment = 8

// UDPMessages is the most UDP payload in messages of a size, each in one packet or in IP fragments (RFC 791, RFC 8200
// section 4.5):
//
//	rate * size / wire bytes of one message
//
// A packet takes its payload, 28 bytes of headers (48 with IPv6) and the frame's 38 (42 with a VLAN tag), and at least
// the 84 of the smallest frame. A message of MTU - 28 bytes gives UDPOverEthernet.
func UDPMessages(rate unit.BitRate, e Ethernet, size int) (Ceiling, error) {
	return e.messages(rate, size, wireOverhead+e.tag(), smallestFrame+preambleAndGap, "wire")
}

// UDPMessagesThroughShaper is UDPMessages behind a Linux tbf shaper of the rate, which counts packets and 14 bytes
// each, without padding, as for TCPThroughShaper.
func UDPMessagesThroughShaper(rate unit.BitRate, e Ethernet, size int) (Ceiling, error) {
	return e.messages(rate, size, ethernetHeader, 0, "shaped")
}

// messages is the ceiling where each packet has around more bytes and takes at least least.
func (e Ethernet) messages(rate unit.BitRate, size, around, least int, name string) (Ceiling, error) {
	if err := e.usable(rate); err != nil {
		return Ceiling{}, err
	}
	if size < 1 || size > largestIP-ipv4Header-udpHeader {
		return Ceiling{}, diag.Advise(
			fmt.Errorf("a UDP message of %d bytes: RFC 768 allows 1 to %d", size, largestIP-ipv4Header-udpHeader),
			"ask for a size in between")
	}
	headers := e.ip()
	room := e.MTU - headers
	if size+udpHeader > room { // every fragment except the last has a multiple of 8 bytes
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
