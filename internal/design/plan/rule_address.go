package plan

import (
	"slices"

	"linerate/internal/design/fabric"
	"linerate/internal/device"
	"linerate/internal/device/families"
	"linerate/internal/record"
)

var ruleAddressPool = Rule{
	ID:    "address-pool-full",
	Title: "a subnet for every link",
	Why:   "a link without a subnet has no addresses, and nothing can be sent over it",
	Worst: record.Error,
	check: func(c *checkup) {
		for i, l := range c.p.Links {
			if !l.Subnet.IsValid() {
				c.fail("link "+l.Name, c.f.Links[i].At.Line, "addressing: {pool: a larger one}",
					"the pool %s has no free subnet of /%d left", c.f.Addressing.Pool, c.f.Addressing.Prefix)
			}
		}
	},
}

var ruleSubnetFull = Rule{
	ID:    "subnet-full",
	Title: "an address for every port",
	Why:   "a port without an address is left out of everything",
	Worst: record.Error,
	check: func(c *checkup) {
		for _, h := range c.p.Hosts {
			for _, port := range h.Ports {
				l := c.p.Link(port.Link)
				if l == nil || !l.Subnet.IsValid() || port.Address.IsValid() || bonded(h, port) {
					continue
				}
				c.fail(port.ID, h.Decl.At.Line, "give the subnet a shorter prefix, or divide it",
					"the subnet %s has no free address left", l.Subnet)
			}
		}
	},
}

// bonded reports whether a port is a member of a bond, which has the address.
func bonded(h *Host, p *Port) bool {
	return slices.ContainsFunc(h.Decl.Bonds, func(b *fabric.Bond) bool {
		return slices.ContainsFunc(b.Of, func(m fabric.Port) bool { return m.NIC == p.NIC && m.Index == p.Index })
	})
}

var rulePublicPool = Rule{
	ID:    "public-addresses",
	Title: "addresses that no other host has",
	Why:   "addresses of the public internet are then not reachable from these hosts",
	Worst: record.Warning,
	check: func(c *checkup) {
		for i, l := range c.p.Links {
			if l.Subnet.IsValid() && !l.Subnet.Addr().IsPrivate() && !l.Subnet.Addr().IsLinkLocalUnicast() {
				c.warn("link "+l.Name, c.f.Links[i].At.Line,
					"take a range of 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 or fd00::/8",
					"the subnet %s is none of the private ranges (RFC 1918, RFC 4193)", l.Subnet)
			}
		}
	},
}

var ruleSameSubnet = Rule{
	ID:    device.RuleSameSubnet,
	Title: "two links of one host in one subnet",
	Why:   "a host sends through any port that is in the subnet, so that one link carries all and the other nothing",
	Worst: record.Error,
	check: func(c *checkup) {
		for _, key := range c.subnets {
			count := map[string]int{}
			for _, p := range c.domains[key] {
				if count[p.Host]++; count[p.Host] != 2 {
					continue
				}
				h := c.p.Host(p.Host)
				if system := families.OfHost(h.OS); system != nil && system.Host.RefusesSharedSubnet {
					continue // a gap of the system reports it
				}
				c.warn("host "+h.Name, h.Decl.At.Line,
					"give each link a subnet of its own, or join the ports in a bond",
					"several ports in %s: which of them packets leave through, and which answers for an address, is up to the "+
						"routing table", key)
			}
		}
		c.gaps(device.RuleSameSubnet)
	},
}

var ruleNames = Rule{
	ID:    "hosts-files",
	Title: "hosts files of many hosts",
	Why:   "the hosts files of n hosts have n(n-1) lines together",
	Worst: record.Info,
	check: func(c *checkup) {
		if len(c.p.Hosts) > namedHosts && c.f.Addressing.Names == "" {
			c.info("plan", 0, "use DNS, or write addressing: {names: hosts-file} to have them all the same",
				"it has %d hosts, and hosts files are made without being asked up to %d", len(c.p.Hosts), namedHosts)
		}
	},
}
