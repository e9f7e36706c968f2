package suggest

import (
	"linerate/parts"
	"linerate/plan"
)

// Power is what the cards, switches and cables of a plan draw, as far as it is known.
type Power struct {
	Low, High float64 // watts of those that are known
	Known     int     // how many parts that is
	Missing   int     // of how many parts it is not known
}

// powerOf adds up the watts of a plan's parts. Copper and fibre without
// transceivers count as drawing nothing of their own.
func powerOf(p *plan.Plan) Power {
	var w Power
	add := func(part *parts.Part, n int) {
		if part == nil || part.Watts == nil {
			w.Missing += n
			return
		}
		w.Known += n
		w.Low += float64(n) * part.Watts.Low
		w.High += float64(n) * part.Watts.High
	}
	for _, h := range p.Fabric.Hosts {
		for _, n := range h.NICs {
			add(n.Part, 1)
		}
	}
	for _, s := range p.Fabric.Switches {
		add(s.Part, 1)
	}
	for _, l := range p.Fabric.Links {
		switch part := l.Cable.Part; {
		case part == nil || part.Cable == nil:
		case part.Kind == parts.Transceiver:
			add(part, 2)
		case part.Cable.Media == parts.AOC:
			add(part, 1)
		}
	}
	return w
}
