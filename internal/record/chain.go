package record

import (
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
)

// Layer is the protocol layer whose bytes a ceiling counts.
type Layer string

// The layers.
const (
	LayerGoodput Layer = "goodput"
	LayerWire    Layer = "wire"
	LayerTLP     Layer = "tlp"
	LayerBlock   Layer = "block"
)

// Hop is one component of a path with its ceiling.
type Hop struct {
	// Component is "link desk.m1.1--nas.t3.1", "slot of nas.t3", "shaper on desk: nic0".
	Component string `json:"component"`
	// Kind is memory, cpu, pcie, port, cable, streams, shaper, switch, drive or layout.
	Kind    string                 `json:"kind"`
	Layer   Layer                  `json:"layer"`
	Rate    unit.Opt[unit.BitRate] `json:"bits_per_second"`   // converted to goodput; null: not known
	Why     string                 `json:"unknown,omitempty"` // why it is not known
	Formula string                 `json:"formula,omitempty"`
	Inputs  []Input                `json:"inputs,omitempty"`
}

// Chain is every hop of a path in one direction, and the lowest one.
type Chain struct {
	From      string       `json:"from"`
	To        string       `json:"to"`
	Direction string       `json:"direction"` // out: From sends
	Transport string       `json:"transport"`
	Hops      []Hop        `json:"hops"`
	Limit     unit.BitRate `json:"bits_per_second"`
	Component string       `json:"component"`
	Layer     Layer        `json:"layer"`
	AtMost    bool         `json:"at_most"` // a hop has no known ceiling
}

// MembersInUse is the name of the first input of a hop that is a bond.
const MembersInUse = "members in use"

// OtherDirection is the name of the input of a shaper's hop in both directions at once: what the direction that it does
// not limit gets, in bits per second.
const OtherDirection = "ceiling of the other direction"

// OneWay returns the ceiling of the direction in which a host sends, of a chain for both directions at once; 0: it is
// not known.
func (c *Chain) OneWay(sender string) unit.BitRate {
	if !slices.ContainsFunc(c.Hops, func(h Hop) bool { return h.Kind == "shaper" }) {
		return c.Limit / 2
	}
	best := unit.BitRate(0)
	for _, h := range c.Hops {
		r, ok := h.Rate.Get()
		if !ok {
			continue
		}
		other := r / 2
		for _, in := range h.Inputs {
			if in.Name == OtherDirection {
				other = unit.BitRate(in.Value)
			}
		}
		if h.Kind == "shaper" && !strings.HasSuffix(h.Component, " of "+sender) {
			continue
		}
		if one := r - other; best == 0 || one < best {
			best = one
		}
	}
	return best
}

// Lowest returns the hop that limits the chain, or nil if none is known.
func (c *Chain) Lowest() *Hop {
	if c == nil {
		return nil
	}
	return xslices.At(c.Hops, func(h *Hop) bool { return h.Component == c.Component })
}

// Planned is the lowest ceiling of the plan itself, without local shapers: a shaper is a fault to be found, and must
// not lower a goal or a drawing. 0: none is known.
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

// Share returns the share of what the plan allows that an experiment reached, for comparing experiments; false: it is
// not known. A shaper is a ceiling of its verdict and not of the plan, so a path that fills a leftover shaper is far
// below its link. Of an experiment in both directions the slower one counts.
func (e *Experiment) Share() (float64, bool) {
	share, known := 0.0, false
	if e.Verdict != nil && e.Verdict.ShareOfCeiling != nil {
		share, known = *e.Verdict.ShareOfCeiling, true
	}
	if e.Ceiling == nil || e.Ceiling.Planned() <= 0 || e.Goodput == nil {
		return share, known
	}
	if of := e.Goodput.Median / float64(e.Ceiling.Planned()); !known || of < share {
		return of, true
	}
	return share, true
}

// Link is the component of the first link of the chain; empty: there is none.
func (c Chain) Link() string {
	for _, h := range c.Hops {
		if strings.HasPrefix(h.Component, "link ") {
			return h.Component
		}
	}
	return ""
}

// Members is the number of members in use of a bond; 0: the hop is not a bond.
func (h *Hop) Members() int {
	if h.Kind != "cable" || len(h.Inputs) == 0 || h.Inputs[0].Name != MembersInUse {
		return 0
	}
	return int(h.Inputs[0].Value)
}

// Assumed returns the inputs of the chain's formulas that the user did not give, each once.
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

// Assuming returns the chain with one input of its formulas marked as assumed.
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

// Origin is where an input of a formula comes from.
type Origin string

// The origins.
const (
	Declared  Origin = "declared"
	Measured  Origin = "measured"
	Assumed   Origin = "assumed"
	Simulated Origin = "simulated"
)

// Input is one number that a ceiling was computed from.
type Input struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Origin Origin  `json:"origin"`
}
