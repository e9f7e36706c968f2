package run

import (
	"fmt"
	"strconv"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/inspect/path"
)

// traffic is every flow of a group in each direction that carries data, with its ceiling under the conditions of its path.
func (c *Cell) traffic(conditions func(plan.Path) path.Conditions) []path.Flow {
	both := c.Exp.Direction == "both"
	var flows []path.Flow
	for _, p := range c.Flows {
		under := conditions(p)
		under.Duplex = both || c.Exp.Pattern == fabric.AllToAll
		if c.Exp.Direction != "in" {
			flows = append(flows, path.Flow{Path: p, Chain: c.chain(p, "out", under)})
		}
		if c.Exp.Direction == "in" || both {
			flows = append(flows, path.Flow{Path: p, Backward: true, Chain: c.chain(p, "in", under)})
		}
	}
	return flows
}

// groupCeiling is what all flows of a group together may get.
func (s *session) groupCeiling(c *Cell) {
	mtu := 0
	for _, p := range c.Flows {
		if m := path.MTU(p, s.conditions(p)); mtu == 0 || m > 0 && m < mtu {
			mtu = m
		}
	}
	chain := path.Group(c.traffic(func(p plan.Path) path.Conditions {
		under := s.conditions(p)
		if asked, err := strconv.Atoi(c.Exp.Settings["mtu"]); err == nil {
			under.ShapedMTU = asked
		}
		return under
	}))
	chain.From, chain.To, chain.Direction = c.Exp.From, c.Exp.To, c.Exp.Direction
	if chain.Limit > 0 {
		c.Exp.Ceiling = &chain
	}
	if mtu > 0 {
		c.Exp.InEffect["mtu"] = fmt.Sprint(mtu)
	}
}

// groupBusy is the group's ceiling as planned, once for every link on the longest way.
func (c *Cell) groupBusy() unit.BitRate {
	links := 0
	for _, p := range c.Flows {
		links = max(links, len(p.Links))
	}
	planned := func(plan.Path) path.Conditions { return path.Conditions{Scale: 1} }
	return path.Group(c.traffic(planned)).Limit * unit.BitRate(links)
}
