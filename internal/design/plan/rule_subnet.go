package plan

import "linerate/internal/record"

var ruleSameSubnet = Rule{
	ID:    ruleSameSubnetID,
	Title: "two links of one host in one subnet",
	Why:   "a host sends through any port that is in the subnet, so that one link carries all and the other nothing",
	Worst: record.Error,
	check: func(c *checkup) []record.Problem {
		var out []record.Problem
		for _, key := range c.subnets {
			count := map[string]int{}
			for _, p := range c.domains[key] {
				if count[p.Host]++; count[p.Host] != 2 {
					continue
				}
				h := c.p.Host(p.Host)
				if h.OS == "truenas" {
					continue // which refuses it
				}
				out = append(out, said(record.Warning, "host "+h.Name, h.Decl.At.Line, "give each link a subnet of its own, or join the ports in a bond",
					"several ports in %s: which of them packets leave through, and which answers for an address, is up to the routing table", key))
			}
		}
		return append(out, c.lacks(ruleSameSubnetID)...)
	},
}
