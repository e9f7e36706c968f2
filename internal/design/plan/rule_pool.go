package plan

import "linerate/internal/record"

var ruleAddressPool = Rule{
	ID:    "address-pool-full",
	Title: "a subnet for every link",
	Why:   "a link without a subnet has no addresses, and nothing can be sent over it",
	Worst: record.Error,
	check: func(c *checkup) []record.Problem {
		var out []record.Problem
		for i, l := range c.p.Links {
			if !l.Subnet.IsValid() {
				out = append(out, said(record.Error, "link "+l.Name, c.f.Links[i].At.Line, "addressing: {pool: a larger one}",
					"the pool %s has no free subnet of /%d left", c.f.Addressing.Pool, c.f.Addressing.Prefix))
			}
		}
		return out
	},
}

var ruleSubnetFull = Rule{
	ID:    "subnet-full",
	Title: "an address for every port",
	Why:   "a port without an address is left out of everything",
	Worst: record.Error,
	check: func(c *checkup) []record.Problem {
		var out []record.Problem
		for _, h := range c.p.Hosts {
			for _, port := range h.Ports {
				l := c.p.Link(port.Link)
				if l == nil || !l.Subnet.IsValid() || port.Address.IsValid() || c.bonded(h, port) {
					continue
				}
				out = append(out, said(record.Error, port.ID, h.Decl.At.Line, "give the subnet a shorter prefix, or divide it", "the subnet %s has no free address left", l.Subnet))
			}
		}
		return out
	},
}

// bonded says whether a port is a member of a bond, which has the address.
func (c *checkup) bonded(h *Host, p *Port) bool {
	for _, b := range h.Decl.Bonds {
		for _, m := range b.Of {
			if m.Card == p.Card && m.Index == p.Index {
				return true
			}
		}
	}
	return false
}

var rulePublicPool = Rule{
	ID:    "public-addresses",
	Title: "addresses that belong to nobody else",
	Why:   "addresses of the public internet are then not reachable from these hosts",
	Worst: record.Warning,
	check: func(c *checkup) []record.Problem {
		var out []record.Problem
		for i, l := range c.p.Links {
			if l.Subnet.IsValid() && !l.Subnet.Addr().IsPrivate() && !l.Subnet.Addr().IsLinkLocalUnicast() {
				out = append(out, said(record.Warning, "link "+l.Name, c.f.Links[i].At.Line, "take a range of 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 or fd00::/8",
					"the subnet %s is none of the private ranges (RFC 1918, RFC 4193)", l.Subnet))
			}
		}
		return out
	},
}
