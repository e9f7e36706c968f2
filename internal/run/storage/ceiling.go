package storage

import (
	"cmp"
	"slices"
	"strconv"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
)

// Ceiling is the limit of the network, and of the drives as planned, for the workers of a combination. Several paths at
// once have none, except a volume with copies.
func (b *workload) Ceiling(s experiment.Session) {
	c := b.c
	if c.Record.Block == nil || b.parts != nil { // several loads at once have different block sizes
		return
	}
	if len(b.paths) > 1 {
		var asks []string
		for _, w := range b.workers {
			asks = xslices.AppendNew(asks, w.host)
		}
		c.Record.Ceiling = copiesCeiling(s.Plan(), c.Record.To, asks, b.job.Read, b.job.Size,
			c.Record.Settings["transport"], func(p plan.Path) path.Conditions { return experiment.ConditionsOf(s, p) })
		return
	}
	read := b.job.Read
	chain := record.Chain{From: c.Record.From, To: c.Record.To, Transport: "local"}
	if len(b.paths) == 1 {
		direction, share := "out", 1-read // of the data, as the path goes: from the worker to the storage
		if read >= 0.5 {
			direction, share = "in", read
		}
		protocol := c.Record.Settings["transport"]
		for _, w := range c.Record.Block.Workers {
			if w.Export != nil {
				protocol = w.Export.Protocol // in effect, perhaps a substitute
			}
		}
		chain = path.Storage(b.paths[0], direction, cmp.Or(protocol, "tcp"), b.job.Size,
			experiment.ConditionsOf(s, b.paths[0]))
		for i := range chain.Hops { // the other direction's data use the link's other direction
			if rate, ok := chain.Hops[i].Rate.Get(); ok && share < 1 {
				chain.Hops[i].Rate = unit.Known(rate / unit.BitRate(share))
				chain.Hops[i].Formula += " / " + strconv.FormatFloat(share, 'g', 3, 64)
			}
		}
		chain.Limit = unit.BitRate(float64(chain.Limit) / share)
	}
	if s.Lab() == nil && b.drive != nil { // a lab has folders instead of drives
		rate := b.drive.Read
		if read < 0.5 {
			rate = b.drive.Write
		}
		if n := max(b.drive.Count, 1); b.drive.Bus != "" && n > 1 {
			path.AddDrive(&chain, "drive "+c.Record.To, rate, "")
			path.AddLayout(&chain, "drive "+c.Record.To, b.drive.Layout, n, b.drive.Bus, read)
		} else {
			path.AddDrive(&chain, "drive "+c.Record.To, rate, b.drive.Bus)
		}
	}
	if chain.Limit > 0 {
		c.Record.Ceiling = &chain
	}
}

// copiesCeiling is the network's limit for all nodes of a volume writing together, where it keeps copies on several of
// them and each of them writes: of the copies of a byte (nodes - 1) / nodes cross the network, as they are spread
// evenly (see path.Volume). All reads may be local, so the network does not limit reads. Mixed loads are limited only
// by their writes. It is nil for another volume, if not all of its nodes write, or if no rate between them is known.
func copiesCeiling(p *plan.Plan, to string, asks []string, read float64, block unit.Bytes, transport string,
	conditions func(plan.Path) path.Conditions) *record.Chain {
	var nodes []string
	layout := ""
	for _, v := range p.Fabric.Volumes {
		if v.Name == to {
			layout = v.Layout
			for _, of := range v.Of {
				nodes = xslices.AppendNew(nodes, experiment.HostOf(of))
			}
		}
	}
	if len(nodes) < 2 || read >= 1 {
		return nil
	}
	for _, n := range nodes {
		if !slices.Contains(asks, n) {
			return nil
		}
	}
	for _, a := range asks {
		if !slices.Contains(nodes, a) {
			return nil
		}
	}
	// The slowest path from each node to the next is that of the cluster, as the copies are spread over all.
	var slowest record.Chain
	for i, n := range nodes {
		way, why := experiment.PathBetween(p, n, nodes[(i+1)%len(nodes)], nil)
		if why != "" {
			return nil
		}
		c := path.Storage(way, "out", cmp.Or(transport, "tcp"), block, conditions(way))
		if c.Limit <= 0 {
			return nil
		}
		if slowest.Limit == 0 || c.Limit < slowest.Limit {
			slowest = c
		}
	}
	return path.Volume(slowest, to, layout, len(nodes), read)
}
