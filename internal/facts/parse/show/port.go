package show

import (
	"linerate/internal/base/unit"
	"linerate/internal/facts"
)

// SetState stores whether the port is enabled, and whether it has a link.
func SetState(n *facts.Interface, on, link bool, p facts.Proof) {
	n.Up, n.UpKnown, n.Carrier = on, true, unit.Known(link)
	n.Proves("carrier", p)
	if !link {
		n.Speed = unit.Unknown[unit.BitRate]("the port has no link")
	}
}
