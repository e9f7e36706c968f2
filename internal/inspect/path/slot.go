package path

import (
	"fmt"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/design/ceiling"
	"linerate/internal/record"
)

// assumedPayload is the MaxPayload of a slot whose own is not known: what most
// root ports of servers and workstations agree on, in bytes.
const assumedPayload = 256

// frameHeader is what a frame has on the PCIe bus around its IP packet, in bytes.
const frameHeader = 14

// slot adds the card's PCI Express link: the narrower of the card and the slot
// that the file puts it in. Sending, the card reads frames from memory (completions with
// data); receiving, it writes them.
func (b *builder) slot(e end, sending bool) {
	if e.port == nil || e.port.Part == nil && e.port.Slot == "" {
		return
	}
	component := "slot of " + e.port.Host + "." + e.port.Card
	link, why := e.pcie()
	if link == nil {
		b.unknown("pcie", component, why)
		return
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
			// The lab's links are shaped, its slots are not: a limit that nothing holds would be exceeded.
			b.unknown("pcie", component, fmt.Sprintf("the lab does not limit slots; this one would allow %s here", c.Rate))
			return
		}
		for i := range c.Inputs {
			c.Inputs[i].Origin = record.Simulated
		}
	}
	b.add("pcie", component, record.LayerTLP, c, nil)
}

// pcie is the link that card and slot can make together; nil with the reason.
func (e end) pcie() (*catalog.PCIe, string) {
	var card, slot *catalog.PCIe
	if e.port.Part != nil {
		card = e.port.Part.PCIe
	}
	if e.port.Slot != "" {
		if bus, err := catalog.ParseBus(e.port.Slot); err == nil {
			slot = bus.PCIe()
		}
	}
	switch {
	case card == nil && slot == nil:
		return nil, "neither the catalogue nor the file says its PCI Express generation and lanes"
	case card == nil:
		return slot, ""
	case slot == nil:
		return card, ""
	}
	return &catalog.PCIe{Gen: min(card.Gen, slot.Gen), Lanes: min(card.Lanes, slot.Lanes)}, ""
}
