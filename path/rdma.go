package path

import (
	"strings"

	"linerate/ceiling"
	"linerate/plan"
	"linerate/unit"
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
func OverRDMA(p plan.Path, direction string, r RDMA, c Conditions) Chain {
	c.rdma = &r
	return chain(p, direction, r.Link, 0, c)
}

// Assuming marks an input of a chain's formulas as what nobody said.
func (c Chain) Assuming(input string) Chain {
	for i := range c.Hops {
		for j := range c.Hops[i].Inputs {
			if c.Hops[i].Inputs[j].Name == input {
				c.Hops[i].Inputs[j].Origin = ceiling.Assumed
			}
		}
	}
	return c
}

// Link is the first link of the chain, as its component is called; empty: it has none.
func (c Chain) Link() string {
	for _, h := range c.Hops {
		if strings.HasPrefix(h.Component, "link ") {
			return h.Component
		}
	}
	return ""
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
