package show

import (
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// KeepPFC stores PFC of a port from a switch's table: that it is configured, and whether it is in effect.
func KeepPFC(f *parse.Builder, n *facts.Interface, set, inEffect bool, classes []int, ok bool, line string) {
	c := parse.Effect(n)
	p := f.Proof(line)
	switch {
	case !inEffect:
		c.PFCReceive, c.PFCSend = unit.Known([]int{}), unit.Known([]int{})
	case ok && len(classes) > 0:
		c.PFCReceive, c.PFCSend = unit.Known(classes), unit.Known(classes)
	default:
		why := "the answer does not say for which priorities"
		parse.Learn(&c.PFCReceive, unit.Unknown[[]int](why))
		parse.Learn(&c.PFCSend, unit.Unknown[[]int](why))
	}
	c.Proves("pfc", p)
	if set && !inEffect {
		StateOf(f).Idle = append(StateOf(f).Idle, NotInEffect{n.Name, "PFC", p})
	}
}
