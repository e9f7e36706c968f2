package plan

import (
	"slices"
	"strings"

	"linerate/internal/design/catalog"
	"linerate/internal/record"
)

var ruleSlots = Rule{
	ID:    "slots",
	Title: "slots of the machine against its cards",
	Why:   "a card without a slot stays in its box; small cases and boards have one or two",
	Worst: record.Error,
	check: func(c *checkup) []record.Problem {
		var out []record.Problem
		for _, h := range c.f.Hosts {
			if len(h.Slots) == 0 {
				continue // not written: the rule about PCI Express asks for it card by card
			}
			free, cards := slices.Clone(h.Slots), 0
			for _, n := range h.NICs {
				if n.VF != "" {
					continue
				}
				cards++
				if n.Slot == "" {
					continue
				}
				if i := slices.Index(free, n.Slot); i >= 0 {
					free = slices.Delete(free, i, i+1)
					continue
				}
				out = append(out, said(record.Warning, h.Name+"."+n.Name, n.At.Line, "write the slot as it is listed under slots, or list it there",
					"it is to sit in a slot %s, and none of %s is left for it", n.Slot, strings.Join(h.Slots, ", ")))
			}
			if cards > len(h.Slots) {
				out = append(out, said(record.Error, "host "+h.Name, h.At.Line, "take cards with more ports, another machine, or a switch",
					"it has %s for %s: %s", counted(len(h.Slots), "slot"), counted(cards, "card"), strings.Join(h.Slots, ", ")))
			}
		}
		return out
	},
}

var rulePorts = Rule{
	ID:    "ports",
	Title: "ports that are left",
	Why:   "who adds a host next year needs a port for it at the other end",
	Worst: record.Info,
	check: func(c *checkup) []record.Problem {
		var out []record.Problem
		for _, s := range c.p.Switches {
			if s.Part == nil {
				out = append(out, said(record.Info, "switch "+s.Name, s.Decl.At.Line, "write part: .. at the switch",
					"how many ports it has is not known, because the file does not say which switch it is"))
				continue
			}
			if s.Part.Ports == nil {
				out = append(out, said(record.Info, "part "+s.Part.Name, s.Decl.At.Line, "count them in its data sheet before buying",
					"how many ports it has is not known, because no source of the catalogue says so"))
				continue
			}
			used, fast := map[int]bool{}, 0
			for _, p := range s.Ports {
				used[p.Index] = true
			}
			free := 0
			for _, p := range s.Part.Ports {
				if portSpeed0(s.Part, p) < portSpeed0(s.Part, catalog.Port{}) {
					continue // management and service ports
				}
				if fast++; !used[p.Index] {
					free++
				}
			}
			if free == 0 && fast > 0 {
				out = append(out, said(record.Info, "switch "+s.Name, s.Decl.At.Line, "take a larger switch if more is to come",
					"all %s of its fastest kind are in use; there is none for another host", counted(fast, "port")))
			}
		}
		return out
	},
}
