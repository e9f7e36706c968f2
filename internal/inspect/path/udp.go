package path

import (
	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/design/plan"
	"linerate/internal/record"
)

// UDP is the chain of ceilings for the payload of UDP messages of a size over the path; 0 is the largest that fits
// into one packet. Nothing comes back but what was asked for: in both directions at once each has the whole wire.
func UDP(p plan.Path, direction string, size int, c Conditions) record.Chain {
	if size <= 0 {
		size = UDPSize(p, c)
	}
	return chain(p, direction, "udp", size, c)
}

// UDPSize is the largest UDP message that fits into one packet of the path; 1472 (IPv6: 1452) if its MTU is not known.
func UDPSize(p plan.Path, c Conditions) int {
	mtu := MTU(p, c)
	if mtu == 0 {
		mtu = 1500
	}
	headers := 28
	if p.FromPort != nil && p.FromPort.Address.IsValid() && p.FromPort.Address.Addr().Is6() {
		headers = 48
	}
	return min(mtu-headers, 65507)
}

// shaped is what a shaper of the rate leaves for each direction.
func (b *builder) shaped(rate unit.BitRate) (ceiling.Ceiling, error) {
	switch {
	case b.c.rdma != nil:
		return b.rdmaShaped(rate)
	case b.message > 0:
		return ceiling.UDPMessagesThroughShaper(rate, b.frame, b.message)
	case b.duplex:
		return ceiling.TCPBothWaysThroughShaper(rate, b.frame, segmentsPerAck)
	}
	return ceiling.TCPThroughShaper(rate, b.frame)
}

// share is the part of the bytes on the PCIe bus that is payload.
func (b *builder) share() (payload, frame float64) {
	if b.c.rdma != nil {
		return 1, 1 // the card takes all headers off
	}
	if b.message == 0 {
		return float64(b.frame.Segment()), float64(b.frame.MTU + frameHeader)
	}
	// Behind a shaper that counts frames without padding, as a card does on the bus, a rate is cut in the same way.
	c, err := ceiling.UDPMessagesThroughShaper(1e9, b.frame, b.message)
	if err != nil {
		return 1, 1
	}
	return float64(b.message), float64(b.message) * 1e9 / float64(c.Rate)
}
