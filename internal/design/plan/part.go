package plan

import (
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
)

// nicPortCount returns the number of ports of a NIC: of its part, else of the names in the file, else one.
func nicPortCount(n *fabric.NIC) int {
	if n.Part != nil && len(n.Part.Ports) > 0 {
		return len(n.Part.Ports)
	}
	return max(len(n.Ports), 1)
}

// nicSpeed returns the speed of one port of a NIC: that of the file, else the fastest of its part in its mode; 0: not
// known.
func nicSpeed(n *fabric.NIC, index int) unit.BitRate {
	switch {
	case n.Speed > 0:
		return n.Speed
	case n.Part == nil:
		return 0
	case n.Mode == "ib":
		var r unit.BitRate
		for _, ib := range n.Part.InfiniBand {
			r = max(r, ib.Data())
		}
		return r
	}
	return portSpeed(n.Part, index)
}

func portSpeed(p *catalog.Part, index int) unit.BitRate {
	if port, ok, known := p.Port(index); ok && known && len(port.Speeds) > 0 {
		return slices.Max(port.Speeds)
	}
	return p.Fastest()
}

// switchPortSpeed returns the fastest speed of a switch's port. A breakout lane of a port with four lanes has a
// quarter.
func switchPortSpeed(p *catalog.Part, e fabric.Port) unit.BitRate {
	if p == nil {
		return 0
	}
	r := portSpeed(p, e.Index)
	if e.Lane > 0 {
		r /= 4
	}
	return r
}

func cableSpeed(p *catalog.Part) unit.BitRate {
	if p == nil {
		return 0
	}
	return p.Fastest()
}

func cableLength(p *catalog.Part) unit.Opt[float64] {
	if p == nil || p.Cable == nil {
		return unit.Unknown[float64]("the file names no cable")
	}
	return p.Cable.Length
}
