package run

import (
	"cmp"
	"fmt"
	"slices"

	"linerate/ceiling"
	"linerate/path"
	"linerate/plan"
	"linerate/unit"
)

// copiesCeiling is what the network lets all nodes of a volume write together, where it keeps copies on several of them and each of them asks: of the copies of a byte (nodes - 1) / nodes cross it, as
// they are spread evenly (see ceiling.Replicated). What is read may all be a node's own, so the network bounds no reads. Mixed ones are bound by their writes alone. Nil: it is no such volume, not all of its
// nodes ask, or no rate between them is known.
func copiesCeiling(p *plan.Plan, to string, asks []string, read float64, block unit.Bytes, transport string, conditions func(plan.Path) path.Conditions) *path.Chain {
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
	l, err := ceiling.ParseLayout(layout, len(nodes))
	if err != nil || l.Copies < 2 || len(nodes) < 2 || read >= 1 {
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
	var slowest path.Chain
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
	one, err := ceiling.Replicated(ceiling.Ceiling{Rate: slowest.Limit}, l.Copies, len(nodes))
	if err != nil {
		return nil
	}
	formula, inputs := fmt.Sprintf("(%s) * nodes", one.Formula), one.Inputs
	rate := one.Rate * unit.BitRate(len(nodes))
	if read > 0 {
		rate, formula = rate/unit.BitRate(1-read), formula+" / writes"
		inputs = append(slices.Clone(inputs), ceiling.Input{Name: "writes", Value: 1 - read, Origin: ceiling.Declared})
	}
	component := fmt.Sprintf("network of %d nodes, %d copies of what is written", len(nodes), l.Copies)
	return &path.Chain{From: slowest.From, To: to, Direction: "out", Transport: slowest.Transport, Limit: rate, Component: component, Layer: path.Goodput,
		Hops: []path.Hop{{Component: component, Kind: "copies", Layer: path.Goodput, Rate: unit.Known(rate), Formula: formula, Inputs: inputs}}}
}
