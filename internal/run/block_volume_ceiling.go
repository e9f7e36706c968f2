package run

import (
	"cmp"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
)

// copiesCeiling is what the network lets all nodes of a volume write together, where it keeps copies on several of them and each of them asks: of the copies of a byte (nodes - 1) / nodes cross it, as
// they are spread evenly (see path.Volume). What is read may all be a node's own, so the network bounds no reads. Mixed ones are bound by their writes alone. Nil: it is no such volume, not all of its
// nodes ask, or no rate between them is known.
func copiesCeiling(p *plan.Plan, to string, asks []string, read float64, block unit.Bytes, transport string, conditions func(plan.Path) path.Conditions) *record.Chain {
	var nodes []string
	layout := ""
	for _, v := range p.Fabric.Volumes {
		if v.Name == to {
			layout = v.Layout
			for _, of := range v.Of {
				nodes = once(nodes, hostOf(of))
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
	// The slowest of the ways from each node to the next is that of the cluster, as the copies are spread over all.
	var slowest record.Chain
	for i, n := range nodes {
		way, why := between(p, n, nodes[(i+1)%len(nodes)], nil)
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
