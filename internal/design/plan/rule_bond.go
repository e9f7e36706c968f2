package plan

import (
	"linerate/internal/record"
	"slices"
	"strings"
)

var ruleBond = Rule{
	ID:    ruleBondID,
	Title: "what the members of a bond have in common",
	Why:   "a bond is as good as its two ends agree: equal rates, one switch (or two that act as one), a mode that both have",
	Worst: record.Error,
	check: func(c *checkup) []record.Problem {
		out := c.lacks(ruleBondID)
		far := map[string]side{} // by port id, what is at the other end
		speed := map[string]*Link{}
		for i, l := range c.p.Links {
			for e, s := range c.sides[i] {
				far[s.id], speed[s.id] = c.sides[i][1-e], l
			}
		}
		for _, h := range c.f.Hosts {
			for _, b := range h.Bonds {
				subject, line := "bond "+h.Name+"."+b.Name, b.At.Line
				if b.Mode == "set" && (h.OS == "linux" || h.OS == "proxmox" || h.OS == "macos") {
					out = append(out, said(record.Error, subject, line, "write mode: lacp or mode: backup", "mode set is Windows' own (switch embedded teaming), and the host runs %s", h.OS))
				}
				if len(b.Of) == 1 {
					out = append(out, said(record.Info, subject, line, "add a port, or take the bond out", "it has one port, which is no more than the port alone"))
				}
				var ends []string
				var rates []string
				for _, m := range b.Of {
					id := m.String()
					if p := c.p.member(m); p != nil {
						id = p.ID
					}
					if l := speed[id]; l != nil {
						if !slices.Contains(ends, far[id].device()) {
							ends = append(ends, far[id].device())
						}
						if r := l.Speed.String(); l.Speed > 0 && !slices.Contains(rates, r) {
							rates = append(rates, r)
						}
					}
				}
				if b.Mode == "lacp" && len(ends) > 1 {
					out = append(out, said(record.Warning, subject, line, "cable all members to one switch, or set the switches up as one (MLAG), or write mode: backup",
						"LACP joins ports to one partner, and the members end at %s", strings.Join(ends, " and ")))
				}
				if len(rates) > 1 && b.Mode != "backup" {
					out = append(out, said(record.Warning, subject, line, "give all members one speed", "its members run at %s; LACP joins ports of one rate only", strings.Join(rates, " and ")))
				}
			}
		}
		return out
	},
}
