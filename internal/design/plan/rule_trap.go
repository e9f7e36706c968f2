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
	check: func(c *checkup) []record.Problem {
		var out []record.Problem
		seen := map[*catalog.Part]bool{}
		add := func(p *catalog.Part, line int) {
			if p == nil || seen[p] {
				return
			}
			seen[p] = true
			if traps := c.p.traps(p); len(traps) > 0 {
				out = append(out, said(record.Info, "part "+p.Name, line, "compare the offer, and the label on the part, with this before buying", "%s", strings.Join(traps, "; ")))
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
		return out
	},
}

// traps are those of a part that matter to the fabric: what a card's RDMA lacks is nothing to one that does not use it.
func (p *Plan) traps(part *catalog.Part) []string {
	if p.wantsRDMA() {
		return part.Traps
	}
	var out []string
	for _, t := range part.Traps {
		if head, _, _ := strings.Cut(t, ";"); !strings.Contains(head, "RoCE") && !strings.Contains(head, "RDMA") && !strings.Contains(head, "iWARP") {
			out = append(out, t)
		}
	}
	return out
}

// wantsRDMA says whether the file asks for RDMA of a card or in an experiment.
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
