package figures

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
)

// capital makes the first letter a capital one.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// ofMaximum is the figure with its share of the ceiling, if there is one: "12.0 Gb/s, 31.6 % of the maximum of the
// link".
func (c *Claim) ofMaximum() string {
	if !c.hasCeiling() {
		return c.amount(c.Rate)
	}
	return fmt.Sprintf("%s, %s of the maximum of %s", c.amount(c.Rate), unit.Percent(c.share()), c.component())
}

// named returns the verdict for the chain's lowest hop.
func (c *Claim) named() string {
	switch c.lowest().Kind {
	case "pcie", "drive":
		return c.lowest().Kind
	case "cpu":
		return "cpu-per-packet"
	case "window":
		return "receive-window-cap"
	case "loss":
		return "random-loss"
	case "requests":
		return record.LimiterOneConnection
	}
	if c.largerPackets() != "" {
		return "rdma-path-mtu"
	}
	return "link"
}

// after returns the next ceiling of the chain; empty: there is none.
func (c *Claim) after() string {
	var next *record.Hop
	for i, h := range c.Chain.Hops {
		r, ok := h.Rate.Get()
		if ok && h.Component != c.Chain.Component && h.Kind != c.lowest().Kind && (next == nil || r < next.Rate.Or(0)) {
			next = &c.Chain.Hops[i]
		}
	}
	if next == nil {
		return ""
	}
	return fmt.Sprintf("%s at %v", next.Component, next.Rate.Or(0))
}

// largerPackets returns a note on RDMA's largest packets where smaller ones are the limit; empty: they are not.
func (c *Claim) largerPackets() string {
	if !strings.HasPrefix(c.transport.Name, "roce") || c.Chain.Layer != record.LayerWire {
		return ""
	}
	have := 0.0
	for _, i := range c.lowest().Inputs {
		if i.Name == "path_mtu" {
			have = i.Value
		}
	}
	most := int(ceiling.PathMTUs[len(ceiling.PathMTUs)-1])
	best := c.limit(func(a *path.Asked) { a.PathMTU = most })
	if have >= float64(most) || best < c.Chain.Limit*1.01 {
		return ""
	}
	return fmt.Sprintf("packets of %d bytes in place of %.0f (an MTU of 4200 or more at both ends and in every "+
		"switch): %v", most, have, best)
}

// ceilingOf describes a hop with its formula.
func ceilingOf(h record.Hop) string {
	return fmt.Sprintf("%s: %v = %s", h.Component, h.Rate.Or(0), h.Formula)
}
