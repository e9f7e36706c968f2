package plan

var ruleSameSubnet = Rule{
	ID:    "same-subnet",
	Title: "two links of one host in one subnet",
	Why:   "a host sends through any port that is in the subnet, so that one link carries all and the other nothing",
	Worst: Error,
	check: func(c *checkup) []Problem {
		var out []Problem
		for _, key := range c.subnets {
			first := map[string]*Port{}
			told := map[string]bool{}
			for _, p := range c.domains[key] {
				other := first[p.Host]
				if other == nil {
					first[p.Host] = p
					continue
				}
				if told[p.Host] {
					continue
				}
				told[p.Host] = true
				h := c.p.Host(p.Host)
				fix := "give each link a subnet of its own, or join the ports in a bond"
				if h.OS == "truenas" {
					out = append(out, said(Error, "host "+h.Name, h.Decl.At.Line, fix,
						"%s and %s are both in %s; TrueNAS allows one interface a subnet (its manual)", other.ID, p.ID, key))
					continue
				}
				out = append(out, said(Warning, "host "+h.Name, h.Decl.At.Line, fix,
					"%s and %s are both in %s: which of them its packets leave through, and which answers for an address, is up to its routing table", other.ID, p.ID, key))
			}
		}
		return out
	},
}
