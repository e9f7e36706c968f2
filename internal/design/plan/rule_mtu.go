package plan

import (
	"linerate/internal/design/catalog"
	"linerate/internal/record"
)

var ruleMTU = Rule{
	ID:    ruleMTUID,
	Title: "MTU along the path against every device's limit",
	Why:   "a device on the path that takes less drops larger packets, mostly without a word",
	Worst: record.Error,
	check: func(c *checkup) []record.Problem {
		var out []record.Problem
		for _, card := range c.cards {
			for _, p := range card.ports {
				out = append(out, cardMTU(card, p)...)
			}
		}
		out = append(out, c.lacks(ruleMTUID)...)
		for _, key := range c.subnets {
			ports := c.domains[key]
			for _, p := range ports[1:] {
				if p.MTU != ports[0].MTU && p.Host != ports[0].Host {
					out = append(out, said(record.Warning, "subnet "+key, 0, "give all links of a subnet one mtu",
						"%s has MTU %d and %s %d: within a subnet nothing tells the sender that a packet was too large", ports[0].ID, ports[0].MTU, p.ID, p.MTU))
					break
				}
			}
		}
		return out
	},
}

// Payloads of IP over InfiniBand (RFC 4391, RFC 4755): a datagram is the InfiniBand
// MTU less 4 bytes, a connection carries up to 65520.
const (
	ipoibDatagram  = 2044
	ipoibDatagram4 = 4092
)

func cardMTU(c card, p *Port) []record.Problem {
	line := c.nic.At.Line
	if c.nic.Mode == "ib" {
		if p.MTU > ipoibDatagram {
			return []record.Problem{said(record.Warning, c.id(), line, "set mtu to 2044, or connected mode at both ends",
				"IP over InfiniBand carries %d bytes in a datagram (%d where the subnet manager allows packets of 4 KiB), and the plan has MTU %d: that needs connected mode, which not every driver has",
				ipoibDatagram, ipoibDatagram4, p.MTU)}
		}
		return nil
	}
	if c.nic.Part == nil || c.nic.Part.Confidence == catalog.Declared {
		return nil
	}
	d, system, ok := driverOf(c.host.Decl, c.nic.Part)
	switch {
	case ok && d.MTU > 0 && p.MTU > d.MTU:
		return []record.Problem{said(record.Error, "part "+c.nic.Part.Name, line, "lower mtu",
			"the plan has MTU %d, and the most that driver %s takes on %s is %d", p.MTU, d.Driver, system, d.MTU)}
	case d.MTU == 0 && p.MTU > 9000:
		return []record.Problem{said(record.Warning, "part "+c.nic.Part.Name, line, "write mtu: 9000, which nearly all cards take",
			"the plan has MTU %d; how much it takes beyond 9000 is not known, because no source of the catalogue says so", p.MTU)}
	}
	return nil
}
