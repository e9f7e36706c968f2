package path

import (
	"fmt"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/design/plan"
	"linerate/internal/record"
)

// Storage returns the chain of ceilings for the data of a storage protocol's requests of one block over the path.
// direction is that of the data: out means that the end from sends them. protocol is one of Transports with a request
// header. Any other gets the ceilings of TCP, which are above its own.
func Storage(p plan.Path, direction, protocol string, block unit.Bytes, c Conditions) record.Chain {
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
	pick(&out)
	return out
}

// Volume returns the ceiling of the writes of all nodes of a volume together, over a network with the chain each for
// every node, where the layout keeps several copies on different nodes (see ceiling.Replicated). read is the share of
// reads, which may all be local to a node. Nil: the layout keeps no copies.
func Volume(each record.Chain, to, layout string, nodes int, read float64) *record.Chain {
	l, err := ceiling.ParseLayout(layout, nodes)
	if err != nil || l.Copies < 2 || read >= 1 {
		return nil
	}
	one, err := ceiling.Replicated(ceiling.Ceiling{Rate: each.Limit}, l.Copies, nodes)
	if err != nil {
		return nil
	}
	rate, formula, inputs := one.Rate*unit.BitRate(nodes), fmt.Sprintf("(%s) * nodes", one.Formula), one.Inputs
	if read > 0 {
		rate, formula = rate/unit.BitRate(1-read), formula+" / writes"
		inputs = append(slices.Clone(inputs), record.Input{Name: "writes", Value: 1 - read, Origin: record.Declared})
	}
	component := fmt.Sprintf("network of %d nodes, %d copies of what is written", nodes, l.Copies)
	return &record.Chain{From: each.From, To: to, Direction: "out", Transport: each.Transport, Limit: rate,
		Component: component, Layer: record.LayerGoodput,
		Hops: []record.Hop{{Component: component, Kind: "copies", Layer: record.LayerGoodput, Rate: unit.Known(rate),
			Formula: formula, Inputs: inputs}}}
}

// AddLayout adds the ceiling of a set of drives with one kind of bus and a layout to a chain. read is the share of
// reads. It omits a layout without a formula, because its use of the buses is not known. Mixed reads and writes get the
// higher of both ceilings, because the two directions overlap.
func AddLayout(c *record.Chain, component, layout string, drives int, bus string, read float64) {
	in, out, err := ceiling.LayoutOf(layout, drives, bus)
	if err != nil {
		return
	}
	of, way := in, "reading"
	if read < 1 && (read <= 0 || out.Rate > in.Rate) {
		of, way = out, "writing"
	}
	c.Hops = append(c.Hops, record.Hop{Component: fmt.Sprintf("buses of %s (%d drives, %s, %s)", component, drives, layout,
		way), Kind: "layout", Layer: record.LayerBlock, Rate: unit.Known(of.Rate), Formula: of.Formula, Inputs: of.Inputs})
	c.Limit, c.Component, c.AtMost = 0, "", false
	pick(c)
}

// AddDrive adds the planned local rate of a drive, or of a set of drives, and the ceiling of its bus to a chain.
func AddDrive(c *record.Chain, component string, most unit.BitRate, bus string) {
	if most > 0 {
		c.Hops = append(c.Hops, record.Hop{Component: component, Kind: "drive", Layer: record.LayerBlock,
			Rate: unit.Known(most), Formula: "declared", Inputs: []record.Input{{Name: "rate", Value: float64(most),
				Origin: record.Declared}}})
	}
	if bus != "" {
		if of, err := ceiling.DriveInterface(bus); err == nil {
			c.Hops = append(c.Hops, record.Hop{Component: "bus of " + component, Kind: "drive", Layer: record.LayerBlock,
				Rate: unit.Known(of.Rate), Formula: of.Formula, Inputs: of.Inputs})
		}
	}
	c.Limit, c.Component, c.AtMost = 0, "", false
	pick(c)
}
