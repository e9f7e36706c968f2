package guide

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/design/plan"
)

// frameHeader is the size of a frame on the PCI Express bus without its IP packet, in bytes.
const frameHeader = 14

// expect returns the most that TCP can carry from one host to the other, with or without timestamps, and what limits
// it. If it is unknown, most is empty and why is the reason.
func expect(path plan.Path, timestamps bool) (most, why string) {
	rate := path.Speed()
	for _, l := range path.Links {
		if l.InfiniBand {
			return "", "no formula for TCP over InfiniBand"
		}
		if l.Speed == 0 {
			return "", "the speed of " + l.Label + " is unknown"
		}
	}
	frame := ceiling.Ethernet{MTU: min(path.FromPort.MTU, path.ToPort.MTU),
		IPv6: path.FromPort.Address.Addr().Is6(), Timestamps: timestamps, VLAN: path.Tagged()}
	goodput, err := ceiling.TCPOverEthernet(rate, frame)
	if err != nil {
		return "", err.Error()
	}
	limit, what := goodput.Rate, ""
	for i, p := range []*plan.Port{path.FromPort, path.ToPort} {
		link, slot := p.PCIe()
		if link == nil {
			continue
		}
		// The sender's NIC reads from memory, the receiver's writes to it.
		of := []func(ceiling.PCIe) (ceiling.Ceiling, error){ceiling.PCIeRead, ceiling.PCIeWrite}[i]
		c, err := of(ceiling.PCIe{Generation: link.Gen, Lanes: link.Lanes, Payload: payload})
		bus := c.Rate * unit.BitRate(float64(frame.Segment())/float64(frame.MTU+frameHeader))
		if err == nil && bus < limit {
			limit, what = bus, fmt.Sprintf("%s of %s.%s (PCIe %d.0 x%d)", unit.If(slot, "the slot", "the NIC's own edge"),
				p.Host, p.NIC, link.Gen, link.Lanes)
		}
	}
	if what != "" {
		return limit.String(), what
	}
	return limit.String(), fmt.Sprintf("%s, MTU %d", cables(path, rate), frame.MTU)
}

// cables describes the rate of a path, with a bond's cables if a bond limits it.
func cables(path plan.Path, rate unit.BitRate) string {
	for _, b := range path.Bundles {
		if b != nil && b.Spreads() && len(b.Links) > 1 && b.Speed() == rate {
			return fmt.Sprintf("%d x %s, a stream on one", len(b.Links), b.Member())
		}
	}
	return rate.String()
}
