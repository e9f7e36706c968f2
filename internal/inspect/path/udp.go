package path

import (
	"cmp"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/design/plan"
	"linerate/internal/record"
)

// UDP returns the chain of ceilings for the payload of UDP messages of this size over the path; 0 is the largest that
// fits into one packet. UDP has no acknowledgements: in both directions at once each has the whole wire.
func UDP(p plan.Path, direction string, size int, c Conditions) record.Chain {
	if size <= 0 {
		size = UDPSize(p, c)
	}
	return chain(p, direction, "udp", size, c)
}

// UDPSize returns the largest UDP message that fits into one packet of the path; 1472 (IPv6: 1452) if its MTU is not
// known.
func UDPSize(p plan.Path, c Conditions) int {
	mtu := cmp.Or(MTU(p, c), 1500)
	headers := 28
	if p.FromPort != nil && p.FromPort.Address.IsValid() && p.FromPort.Address.Addr().Is6() {
		headers = 48
	}
	return min(mtu-headers, 65507)
}

// shaped returns the goodput of each direction through a shaper of this rate.
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

// share returns the payload's share of the bytes on the PCIe bus.
func (b *builder) share() (payload, frame float64) {
	if b.c.rdma != nil {
		return 1, 1 // the NIC removes all headers
	}
	if b.message == 0 {
		return float64(b.frame.Segment()), float64(b.frame.MTU + frameHeader)
	}
	// A shaper that counts frames without padding, as a NIC does on the bus, reduces a rate in the same way.
	c, err := ceiling.UDPMessagesThroughShaper(1e9, b.frame, b.message)
	if err != nil {
		return 1, 1
	}
	return float64(b.message), float64(b.message) * 1e9 / float64(c.Rate)
}

// RDMA describes the RDMA traffic over a path.
type RDMA struct {
	Link    string     // ib, rocev1, rocev2 or iwarp
	PathMTU int        // bytes of payload in a packet: 256 to 4096; unused for iWARP
	Message unit.Bytes // of one request
	Send    bool       // the requests are SENDs
}

// OverRDMA returns the chain of ceilings for the payload of RDMA requests. It does not subtract reverse traffic (a
// READ's requests, acknowledgements).
func OverRDMA(p plan.Path, direction string, r RDMA, c Conditions) record.Chain {
	c.rdma = &r
	return chain(p, direction, r.Link, 0, c)
}

// overRDMA returns the goodput of RDMA at a wire's rate. In a lab the wire is a shaper that was set for packets of the
// link's MTU: RDMA's smaller packets have more overhead that it does not count.
func (b *builder) overRDMA(rate unit.BitRate) (ceiling.Ceiling, error) {
	if b.c.Lab {
		mtu := b.c.ShapedMTU
		if mtu == 0 {
			mtu = b.frame.MTU
		}
		set, err := ceiling.ShaperRate(rate, mtu)
		if err != nil {
			return ceiling.Ceiling{}, err
		}
		return b.rdmaShaped(set)
	}
	switch r := b.c.rdma; r.Link {
	case "iwarp":
		return ceiling.IWARPOverEthernet(rate, b.frame, false)
	case "ib":
		return ceiling.InfiniBandAt(rate, r.PathMTU)
	}
	return ceiling.RDMAOverEthernet(rate, b.roce())
}

// rdmaShaped returns the goodput through a shaper of this rate.
func (b *builder) rdmaShaped(rate unit.BitRate) (ceiling.Ceiling, error) {
	if b.c.rdma.Link == "iwarp" {
		return ceiling.IWARPThroughShaper(rate, b.frame)
	}
	return ceiling.RDMAThroughShaper(rate, b.roce())
}

func (b *builder) roce() ceiling.RoCE {
	r := b.c.rdma
	version := 2
	if r.Link == "rocev1" {
		version = 1
	}
	return ceiling.RoCE{Version: version, PathMTU: r.PathMTU, VLAN: b.frame.VLAN, IPv6: b.frame.IPv6 && version == 2,
		Message: r.Message, Send: r.Send}
}
