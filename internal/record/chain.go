package record

import (
	"slices"
	"strings"

	"linerate/internal/base/unit"
)

// Layer is what a ceiling counts.
type Layer string

// The layers.
const (
	LayerGoodput Layer = "goodput"
	LayerWire    Layer = "wire"
	LayerTLP     Layer = "tlp"
	LayerBlock   Layer = "block"
)

// Hop is one component of a path with the most it allows.
type Hop struct {
	Component string                 `json:"component"` // "link desk.m1.1--nas.t3.1", "slot of nas.t3", "shaper on desk: nic0"
	Kind      string                 `json:"kind"`      // memory, cpu, pcie, port, cable, streams, shaper, switch, drive, layout
	Layer     Layer                  `json:"layer"`
	Rate      unit.Opt[unit.BitRate] `json:"bits_per_second"`   // converted to goodput; null: not known
	Why       string                 `json:"unknown,omitempty"` // why it is not known
	Formula   string                 `json:"formula,omitempty"`
	Inputs    []Input                `json:"inputs,omitempty"`
}

// Chain is every hop of a path in one direction, and the lowest.
type Chain struct {
	From      string       `json:"from"`
	To        string       `json:"to"`
	Direction string       `json:"direction"` // out: from sends
	Transport string       `json:"transport"`
	Hops      []Hop        `json:"hops"`
	Limit     unit.BitRate `json:"bits_per_second"`
	Component string       `json:"component"`
	Layer     Layer        `json:"layer"`
	AtMost    bool         `json:"at_most"` // a hop is not known
}

// MembersInUse is the first input of a hop that is a bond.
const MembersInUse = "members in use"

// Lowest returns the hop that limits the chain, or nil if none is known.
func (c *Chain) Lowest() *Hop {
	if c == nil {
		return nil
	}
	for i := range c.Hops {
		if c.Hops[i].Component == c.Component {
			return &c.Hops[i]
		}
	}
	return nil
}

// Planned is the lowest of what the plan itself sets, in bits per second: local
// shapers, which are faults to be found, are left out, so that a goal or a drawing does not
// sink with the fault. 0 if nothing is known.
func (c *Chain) Planned() unit.BitRate {
	best, shaped := unit.BitRate(0), false
	for _, h := range c.Hops {
		r, ok := h.Rate.Get()
		shaped = shaped || h.Kind == "shaper"
		if ok && h.Kind != "shaper" && (best == 0 || r < best) {
			best = r
		}
	}
	if !shaped || best == 0 {
		return c.Limit
	}
	return best
}

// Link is the first link of the chain, as its component is called; empty: it has none.
func (c Chain) Link() string {
	for _, h := range c.Hops {
		if strings.HasPrefix(h.Component, "link ") {
			return h.Component
		}
	}
	return ""
}

// Members is how many members of a bond carry something, of a hop that is one; 0: it is none.
func (h *Hop) Members() int {
	if h.Kind != "cable" || len(h.Inputs) == 0 || h.Inputs[0].Name != MembersInUse {
		return 0
	}
	return int(h.Inputs[0].Value)
}

// Assumed are the inputs of a chain's formulas that nobody has said, once each.
func (c Chain) Assumed() []Input {
	var out []Input
	for _, h := range c.Hops {
		for _, in := range h.Inputs {
			if in.Origin == Assumed && !slices.Contains(out, in) {
				out = append(out, in)
			}
		}
	}
	return out
}

// Assuming marks an input of a chain's formulas as what nobody said.
func (c Chain) Assuming(input string) Chain {
	for i := range c.Hops {
		for j := range c.Hops[i].Inputs {
			if c.Hops[i].Inputs[j].Name == input {
				c.Hops[i].Inputs[j].Origin = Assumed
			}
		}
	}
	return c
}
