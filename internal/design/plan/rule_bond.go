package plan

import (
	"slices"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/device"
	"linerate/internal/device/families"
	"linerate/internal/record"
)

var ruleBond = Rule{
	ID:    device.RuleBond,
	Title: "what the members of a bond have in common",
	Why: "a bond is as good as its two ends agree: equal rates, one switch (or two that act as one), a mode that " +
		"both have",
	Worst: record.Error,
	check: func(c *checkup) {
		c.gaps(device.RuleBond)
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
				if system := families.OfHost(h.OS); b.Mode == "set" && system != nil && system.Host.RefusesTeams {
					c.fail(subject, line, "write mode: lacp or mode: backup",
						"mode set is Windows' own (switch embedded teaming), and the host runs %s", h.OS)
				}
				if len(b.Of) == 1 {
					c.info(subject, line, "add a port, or take the bond out", "it has one port, which is no more than the port alone")
				}
				var ends, rates []string
				for _, m := range b.Of {
					id := m.String()
					if p := c.p.member(m); p != nil {
						id = p.ID
					}
					if l := speed[id]; l != nil {
						ends = xslices.AppendNew(ends, far[id].device())
						if r := l.Speed.String(); l.Speed > 0 && !slices.Contains(rates, r) {
							rates = append(rates, r)
						}
					}
				}
				if b.Mode == "lacp" && len(ends) > 1 {
					c.warn(subject, line,
						"cable all members to one switch, or set the switches up as one (MLAG), or write mode: backup",
						"LACP joins ports to one partner, and the members end at %s", strings.Join(ends, " and "))
				}
				if len(rates) > 1 && b.Mode != "backup" {
					c.warn(subject, line, "give all members one speed",
						"its members run at %s; LACP joins ports of one rate only", strings.Join(rates, " and "))
				}
			}
		}
	},
}
