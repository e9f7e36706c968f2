package path

import (
	"linerate/ceiling"
	"linerate/plan"
	"linerate/unit"
)

// Storage is the chain of ceilings for the data of requests of a storage protocol over the path, a block at a time. Direction is that of the data: out: the end from sends
// them. protocol is one of Transports with a header of requests; another has the ceilings of TCP alone, which are above its own.
func Storage(p plan.Path, direction, protocol string, block unit.Bytes, c Conditions) Chain {
	out := TCP(p, direction, c)
	out.Transport = protocol
	head := 0
	for _, t := range Transports() {
		if t.Name == protocol {
			head = t.head
		}
	}
	if head == 0 || block <= 0 {
		return out
	}
	for i := range out.Hops {
		h := &out.Hops[i]
		rate, ok := h.Rate.Get()
		if !ok {
			continue
		}
		framed, err := ceiling.Framed(ceiling.Ceiling{Rate: rate, Formula: h.Formula, Inputs: h.Inputs}, block, head)
		if err != nil {
			h.Rate, h.Why = unit.Unknown[unit.BitRate](err.Error()), err.Error()
			continue
		}
		h.Rate, h.Formula, h.Inputs = unit.Known(framed.Rate), framed.Formula, framed.Inputs
	}
	out.Limit, out.Component, out.AtMost = 0, "", false
	out.pick()
	return out
}

// AddDrive adds what a drive, or the set of them, delivers or takes locally, as the plan says, and what its bus carries.
func (c *Chain) AddDrive(component string, most unit.BitRate, bus string) {
	if most > 0 {
		c.Hops = append(c.Hops, Hop{Component: component, Kind: "drive", Layer: Block, Rate: unit.Known(most), Formula: "declared", Inputs: []ceiling.Input{{Name: "rate", Value: float64(most), Origin: ceiling.Declared}}})
	}
	if bus != "" {
		if of, err := ceiling.DriveInterface(bus); err == nil {
			c.Hops = append(c.Hops, Hop{Component: "bus of " + component, Kind: "drive", Layer: Block, Rate: unit.Known(of.Rate), Formula: of.Formula, Inputs: of.Inputs})
		}
	}
	c.Limit, c.Component, c.AtMost = 0, "", false
	c.pick()
}
