package run

import (
	"linerate/internal/base/unit"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
)

// copyCeiling is what the network, and the drives as the plan has them, allow a copy.
func (s *session) copyCeiling(c *Cell) {
	b := c.copy
	if c.Exp.Copy == nil {
		return
	}
	chain := record.Chain{From: c.Exp.From, To: c.Exp.To, Transport: "local"}
	if b.path != nil {
		protocol := "tcp"
		if b.over == copySMB {
			protocol = copySMB
		}
		chain = path.Storage(*b.path, c.Exp.Direction, protocol, unit.MiB, s.conditions(*b.path))
	}
	if s.cfg.Lab == nil && len(b.legs) == 1 { // a lab has folders in place of drives
		for k, i := range b.legs[0] {
			d := b.drives[i]
			if d == nil {
				continue
			}
			name, most, bus := []string{c.Exp.From, c.Exp.To}[i], d.Read, d.Bus
			if k == 1 {
				most = d.Write
			}
			if max(d.Count, 1) > 1 {
				bus = "" // how a set divides its buses is not known
			}
			path.AddDrive(&chain, "drive "+name, most, bus)
		}
	}
	if chain.Limit > 0 {
		c.Exp.Ceiling = &chain
	}
}
