package path

import (
	"linerate/ceiling"
	"linerate/unit"
)

// Layer is what a ceiling counts.
type Layer string

// The layers.
const (
	Goodput Layer = "goodput"
	Wire    Layer = "wire"
	TLP     Layer = "tlp"
	Block   Layer = "block"
)

// Hop is one component of a path with the most it allows.
type Hop struct {
	Component string                 `json:"component"` // "link desk.m1.1--nas.t3.1", "slot of nas.t3", "shaper on desk: nic0"
	Kind      string                 `json:"kind"`      // memory, cpu, pcie, port, cable, streams, shaper, switch, drive, layout
	Layer     Layer                  `json:"layer"`
	Rate      unit.Opt[unit.BitRate] `json:"bits_per_second"`   // converted to goodput; null: not known
	Why       string                 `json:"unknown,omitempty"` // why it is not known
	Formula   string                 `json:"formula,omitempty"`
	Inputs    []ceiling.Input        `json:"inputs,omitempty"`
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
