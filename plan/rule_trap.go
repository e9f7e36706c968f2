package plan

import (
	"strings"

	"linerate/parts"
)

var ruleTrap = Rule{
	ID:    "part-trap",
	Title: "traps of the parts in use",
	Why:   "letters at the end of a part number, an OEM's firmware or a missing function make people buy the wrong one",
	Worst: Info,
	check: func(c *checkup) []Problem {
		var out []Problem
		seen := map[*parts.Part]bool{}
		add := func(p *parts.Part, line int) {
			if p == nil || seen[p] {
				return
			}
			seen[p] = true
			if len(p.Traps) > 0 {
				out = append(out, said(Info, "part "+p.Name, line, "", "%s", strings.Join(p.Traps, "; ")))
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
