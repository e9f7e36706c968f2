package path

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/ceiling"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// Port is the chain between a port's wire and the machine's memory, from the machine's own facts, without a plan.
type Port struct {
	Link record.Hop   // of its link
	Bus  []record.Hop // the links of PCI Express, the NIC's own first; empty: none, or not known
}

// OfPort chains the ceilings of one interface, as payload of TCP over IPv4 with the interface's MTU, in the slower
// direction: the link with Ethernet's framing, the hops of PCI Express with PCIeRead and PCIeWrite. hops are those of
// facts.PCIeHops. Bus has one hop for each. A hop whose speed is not known is unknown with the reason.
func OfPort(f *facts.Facts, nic *facts.Interface, hops []facts.PCIeHop) *Port {
	e := ceiling.Ethernet{MTU: nic.MTU, Timestamps: f.TCP.Timestamps.Or(true)}
	p := &Port{Link: ofLink(nic, e)}
	p.Bus = xslices.Map(hops, func(h facts.PCIeHop) record.Hop { return ofHop(h, e) })
	return p
}

// Narrowest returns the lowest known hop, the link first among equals; nil: none is known. all is false where another
// hop is not known: the rate is then an upper limit.
func (p *Port) Narrowest() (least *record.Hop, all bool) {
	all = true
	look := func(h *record.Hop) {
		switch {
		case !h.Rate.IsKnown():
			all = false
		case least == nil || h.Rate.Or(0) < least.Rate.Or(0):
			least = h
		}
	}
	look(&p.Link)
	for i := range p.Bus {
		look(&p.Bus[i])
	}
	return least, all
}

func ofLink(nic *facts.Interface, e ceiling.Ethernet) record.Hop {
	h := record.Hop{Component: "link of " + nic.Name, Kind: "cable", Layer: record.LayerWire}
	unknown := func(why string) record.Hop {
		h.Rate, h.Why = unit.Unknown[unit.BitRate](why), why
		return h
	}
	speed, ok := nic.Speed.Get()
	up, carrier := nic.Carrier.Get()
	switch {
	case carrier && !up:
		return unknown("it has no link")
	case !ok:
		return unknown(nic.Speed.Why())
	case nic.MTU == 0:
		return unknown("its MTU is not known")
	}
	c, err := ceiling.TCPOverEthernet(speed, e)
	if err != nil {
		return unknown(err.Error())
	}
	h.Rate, h.Formula, h.Inputs = unit.Known(c.Rate), c.Formula, c.Inputs
	return h
}

func ofHop(hop facts.PCIeHop, e ceiling.Ethernet) record.Hop {
	h := record.Hop{Component: hop.Where(), Kind: "pcie", Layer: record.LayerTLP}
	unknown := func(why string) record.Hop {
		h.Rate, h.Why = unit.Unknown[unit.BitRate](why), why
		return h
	}
	now, ok := hop.Down.Now()
	switch {
	case !ok:
		return unknown(hop.Down.Width.Why())
	case now.Speed == 0:
		return unknown(hop.Down.Speed.Why())
	}
	p := ceiling.PCIe{Generation: now.Generation(), Lanes: now.Width, Payload: hop.Down.Payload.Or(assumedPayload)}
	read, err := ceiling.PCIeRead(p)
	if err != nil {
		return unknown(err.Error())
	}
	least, err := ceiling.PCIeWrite(p)
	if err != nil {
		return unknown(err.Error())
	}
	if read.Rate < least.Rate {
		least = read
	}
	if !hop.Down.Payload.IsKnown() {
		least = least.With("payload", record.Assumed)
	}
	segment, frame := e.Segment(), e.MTU+frameHeader
	if segment <= 0 {
		return unknown("the MTU of its interface is not known")
	}
	h.Rate = unit.Known(least.Rate * unit.BitRate(float64(segment)/float64(frame)))
	h.Formula, h.Inputs = fmt.Sprintf("(%s) * %d / %d", least.Formula, segment, frame), least.Inputs
	return h
}
