package plan

import (
	"linerate/internal/design/catalog"
	"linerate/internal/device"
	"linerate/internal/record"
)

var ruleMTU = Rule{
	ID:    device.RuleMTU,
	Title: "MTU along the path against every device's limit",
	Why:   "a device on the path that takes less drops larger packets, mostly without a word",
	Worst: record.Error,
	check: func(c *checkup) {
		for _, n := range c.nics {
			for _, p := range n.ports {
				c.nicMTU(n, p)
			}
		}
		c.gaps(device.RuleMTU)
		for _, key := range c.subnets {
			ports := c.domains[key]
			for _, p := range ports[1:] {
				if p.MTU != ports[0].MTU && p.Host != ports[0].Host {
					c.warn("subnet "+key, 0, "give all links of a subnet one mtu",
						"%s has MTU %d and %s %d: within a subnet the sender does not learn that a packet was too large", ports[0].ID,
						ports[0].MTU, p.ID, p.MTU)
					break
				}
			}
		}
	},
}

// The payloads of an IP over InfiniBand datagram (RFC 4391): the InfiniBand MTU less 4 bytes. In connected mode (RFC
// 4755) it is up to 65520 bytes.
const (
	ipoibDatagram  = 2044
	ipoibDatagram4 = 4092
)

func (c *checkup) nicMTU(n usedNIC, p *Port) {
	line := n.At.Line
	if n.Mode == "ib" {
		if p.MTU > ipoibDatagram {
			c.warn(n.id(), line, "set mtu to 2044, or connected mode at both ends",
				"the plan has MTU %[3]d; IP over InfiniBand carries %[1]d bytes in a datagram (%[2]d where the subnet manager "+
					"allows packets of 4 KiB); a larger MTU needs connected mode, which not every driver has",
				ipoibDatagram, ipoibDatagram4, p.MTU)
		}
		return
	}
	if n.Part == nil || n.Part.Confidence == catalog.Declared {
		return
	}
	d, _, system, ok := driverOf(n.host.Decl, n.Part)
	switch {
	case ok && d.MTU > 0 && p.MTU > d.MTU:
		c.fail("part "+n.Part.Name, line, "lower mtu",
			"the plan has MTU %d, and the most that driver %s takes on %s is %d", p.MTU, d.Driver, system, d.MTU)
	case d.MTU == 0 && p.MTU > 9000:
		c.warn("part "+n.Part.Name, line, "write mtu: 9000, which nearly all NICs take",
			"the plan has MTU %d; how much it takes beyond 9000 is not known, because no source of the catalogue says so", p.MTU)
	}
}
