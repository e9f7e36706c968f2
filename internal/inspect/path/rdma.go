package path

import (
	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/design/plan"
	"linerate/internal/record"
)

// RDMA is how RDMA goes over a path.
type RDMA struct {
	Link    string     // ib, rocev1, rocev2 or iwarp
	PathMTU int        // bytes of payload in a packet: 256 to 4096; of iWARP it says nothing
	Message unit.Bytes // of one request
	Send    bool       // the requests are SENDs
}

// OverRDMA is the chain of ceilings for the payload of RDMA requests. Of what goes the other way (a READ's requests,
// acknowledgements) nothing is taken off.
func OverRDMA(p plan.Path, direction string, r RDMA, c Conditions) record.Chain {
	c.rdma = &r
	return chain(p, direction, r.Link, 0, c)
}

// overRDMA is what RDMA makes of a wire's rate. In a lab the wire is a shaper that was set for packets of the link's MTU: the smaller ones of
// RDMA have more of what it does not count.
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

// rdmaShaped is what a shaper of the rate leaves.
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
	return ceiling.RoCE{Version: version, PathMTU: r.PathMTU, VLAN: b.frame.VLAN, IPv6: b.frame.IPv6 && version == 2, Message: r.Message, Send: r.Send}
}
