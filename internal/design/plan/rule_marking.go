package plan

import (
	"linerate/internal/record"
	"strings"
)

var ruleMarking = Rule{
	ID:    "class-marking",
	Title: "marks that sort packets into their class",
	Why:   "a packet without the mark that the switch trusts goes with everything else, and is dropped with it",
	Worst: record.Warning,
	check: func(c *checkup) []record.Problem {
		lossless := c.lossless()
		if len(lossless) == 0 {
			return nil
		}
		var out []record.Problem
		for _, x := range lossless {
			if (c.f.Trust == "dscp" || c.f.Trust == "") && x.DSCP < 0 {
				out = append(out, said(record.Warning, "class "+x.Name, x.At.Line, "write dscp: 26 at the class, or trust: pcp", "packets are sorted by DSCP, and the class has none"))
			}
		}
		switch c.f.Trust {
		case "pcp":
			for i, l := range c.p.Links {
				if l.VLAN == 0 && !l.InfiniBand {
					out = append(out, said(record.Warning, "link "+l.Name, c.f.Links[i].At.Line, "write vlan: .. at its subnet, or trust: dscp",
						"trust is pcp, and the link has no VLAN: frames without a tag have no priority"))
				}
			}
		case "port":
			out = append(out, said(record.Warning, "class "+lossless[0].Name, lossless[0].At.Line, "write trust: dscp",
				"trust is port: everything that enters a port is then of one class, web pages and pings too"))
		default:
			for _, card := range c.cards {
				if card.nic.RDMA == "rocev1" {
					out = append(out, said(record.Warning, card.id(), card.nic.At.Line, "write trust: pcp and a VLAN, or take cards with RoCE v2",
						"packets are sorted by DSCP, and RoCE v1 has no IP header to carry one"))
				} else if only := card.nic.Part; card.nic.RDMA == "" && card.nic.Mode != "ib" && only != nil && onlyRoCEv1(only.RDMA) {
					out = append(out, said(record.Info, card.id(), card.nic.At.Line, "take a card with RoCE v2, or write trust: pcp and a VLAN",
						"packets are sorted by DSCP, and %s has RoCE v1 only, whose packets carry none; its TCP is not concerned", only.Name))
				}
			}
		}
		return out
	},
}

func onlyRoCEv1(transports []string) bool {
	v1 := false
	for _, t := range transports {
		if strings.HasPrefix(t, "roce") && t != "rocev1" || t == "iwarp" {
			return false
		}
		v1 = v1 || t == "rocev1"
	}
	return v1
}
