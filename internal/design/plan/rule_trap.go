package plan

import (
	"slices"
	"strings"

	"linerate/internal/design/catalog"
	"linerate/internal/record"
)

var ruleTrap = Rule{
	ID:    "part-trap",
	Title: "traps of the parts in use",
	Why:   "letters at the end of a part number, an OEM's firmware or a missing function make people buy the wrong one",
	Worst: record.Info,
	check: func(c *checkup) {
		seen := map[*catalog.Part]bool{}
		add := func(p *catalog.Part, line int) {
			if p == nil || seen[p] {
				return
			}
			seen[p] = true
			if traps := c.p.traps(p); len(traps) > 0 {
				c.info("part "+p.Name, line,
					"compare the offer, and the label on the part, with this before buying", "%s", strings.Join(traps, "; "))
			}
		}
		for _, h := range c.f.Hosts {
			for _, n := range h.NICs {
				add(n.Part, n.At.Line)
			}
			for _, d := range h.Drives {
				add(d.Part, d.At.Line)
			}
		}
		for _, s := range c.f.Switches {
			add(s.Part, s.At.Line)
		}
		for _, l := range c.f.Links {
			add(l.Cable.Part, l.At.Line)
		}
		for _, s := range c.f.Spares {
			add(s.Part, s.At.Line)
		}
	},
}

// traps returns the traps of a part that matter to the fabric: those of RDMA only if the fabric uses it.
func (p *Plan) traps(part *catalog.Part) []string {
	if p.wantsRDMA() {
		return part.Traps
	}
	return slices.DeleteFunc(slices.Clone(part.Traps), func(t string) bool {
		head, _, _ := strings.Cut(t, ";")
		return strings.Contains(head, "RoCE") || strings.Contains(head, "RDMA") || strings.Contains(head, "iWARP")
	})
}

// wantsRDMA reports whether the file asks for RDMA at a NIC or in an experiment.
func (p *Plan) wantsRDMA() bool {
	for _, h := range p.Fabric.Hosts {
		for _, n := range h.NICs {
			if n.RDMA != "" && n.RDMA != "none" {
				return true
			}
		}
	}
	return slices.ContainsFunc(p.Fabric.Experiments, wantsRDMA)
}
