package path

import (
	"fmt"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/record"
)

// assumedPayload is the MaxPayload in bytes where that of a slot is not known: the usual one of root ports in servers
// and workstations.
const assumedPayload = 256

// frameHeader is the overhead of a frame on the PCIe bus around its IP packet, in bytes.
const frameHeader = 14

// slot adds the NIC's PCI Express link: the narrower of the NIC and its slot in the fabric file. A sending NIC reads
// frames from memory (completions with data), a receiving one writes them.
func (b *builder) slot(e end, sending bool) {
	if e.port == nil || e.port.Part == nil && e.port.Slot == "" {
		return
	}
	nic := e.port.Host + "." + e.port.NIC
	component := "slot of " + nic
	link, slot := e.port.PCIe()
	switch {
	case link == nil:
		b.unknown("pcie", component, "neither the catalogue nor the file says its PCI Express generation and lanes")
		return
	case !slot:
		component = "PCIe of " + nic + " (slot not known)"
	}
	p := ceiling.PCIe{Generation: link.Gen, Lanes: link.Lanes, Payload: assumedPayload}
	of := ceiling.PCIeWrite
	if sending {
		of = ceiling.PCIeRead
	}
	if b.both {
		of = ceiling.PCIeBothWays
	}
	c, err := of(p)
	if err != nil {
		b.unknown("pcie", component, err.Error())
		return
	}
	c = c.With("payload", record.Assumed)
	segment, frame := b.share()
	c.Rate = b.scaled(c.Rate * unit.BitRate(segment/frame))
	if segment != frame {
		c.Formula = fmt.Sprintf("(%s) * %.0f / %.0f", c.Formula, segment, frame)
	}
	if b.c.Lab {
		c.Formula += " * scale"
		c.Inputs = append(slices.Clone(c.Inputs), record.Input{Name: "scale of the lab", Value: b.c.Scale})
		if link, err := b.goodput(b.scaled(e.port.Speed)); err == nil && c.Rate < link.Rate && !b.c.Slots {
			// The lab shapes its links, but not its slots: goodput would exceed a limit that nothing enforces.
			b.unknown("pcie", component, fmt.Sprintf("the lab does not limit slots; this one would allow %s here", c.Rate))
			return
		}
		for i := range c.Inputs {
			c.Inputs[i].Origin = record.Simulated
		}
	}
	b.add("pcie", component, record.LayerTLP, c, nil)
}
