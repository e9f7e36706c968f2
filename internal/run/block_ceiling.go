package run

import (
	"cmp"
	"strconv"

	"linerate/internal/base/unit"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
)

// blockCeiling is what the network, and the drives as the plan has them, allow the workers of a cell; several paths at once are left alone, but for a volume that keeps copies.
func (s *session) blockCeiling(c *Cell) {
	b := c.block
	if c.Exp.Block == nil || b.parts != nil { // several loads at once have no one size of blocks
		return
	}
	if len(b.paths) > 1 {
		var asks []string
		for _, w := range b.workers {
			asks = once(asks, w.host)
		}
		c.Exp.Ceiling = copiesCeiling(s.cfg.Plan, c.Exp.To, asks, b.job.Read, b.job.Size, c.Exp.Settings["transport"], s.conditions)
		return
	}
	read := b.job.Read
	chain := record.Chain{From: c.Exp.From, To: c.Exp.To, Transport: "local"}
	if len(b.paths) == 1 {
		direction, share := "out", 1-read // of the data, as the path goes: from the worker to the storage
		if read >= 0.5 {
			direction, share = "in", read
		}
		protocol := c.Exp.Settings["transport"]
		for _, w := range c.Exp.Block.Workers {
			if w.Export != nil {
				protocol = w.Export.Protocol // what was spoken, also where it stood in
			}
		}
		chain = path.Storage(b.paths[0], direction, cmp.Or(protocol, "tcp"), b.job.Size, s.conditions(b.paths[0]))
		for i := range chain.Hops { // the other direction's data have the wire's other direction
			if rate, ok := chain.Hops[i].Rate.Get(); ok && share < 1 {
				chain.Hops[i].Rate = unit.Known(rate / unit.BitRate(share))
				chain.Hops[i].Formula += " / " + strconv.FormatFloat(share, 'g', 3, 64)
			}
		}
		chain.Limit = unit.BitRate(float64(chain.Limit) / share)
	}
	if s.cfg.Lab == nil && b.drive != nil { // a lab has folders in place of drives
		most := b.drive.Read
		if read < 0.5 {
			most = b.drive.Write
		}
		if n := max(b.drive.Count, 1); b.drive.Bus != "" && n > 1 {
			path.AddDrive(&chain, "drive "+c.Exp.To, most, "")
			path.AddLayout(&chain, "drive "+c.Exp.To, b.drive.Layout, n, b.drive.Bus, read)
		} else {
			path.AddDrive(&chain, "drive "+c.Exp.To, most, b.drive.Bus)
		}
	}
	if chain.Limit > 0 {
		c.Exp.Ceiling = &chain
	}
}
