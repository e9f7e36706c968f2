package plan

import (
	"linerate/ceiling"
	"linerate/parts"
	"linerate/unit"
)

var ruleSlot = Rule{
	ID:    "pcie-slot",
	Title: "PCI Express lanes and generation of card and slot against the ports in use",
	Why:   "the slot is often slower than the card: x8 and x4 behind a long socket, an older generation, a riser",
	Worst: Warning,
	check: func(c *checkup) []Problem {
		var out []Problem
		for _, card := range c.cards {
			if card.nic.Part == nil {
				continue
			}
			out = append(out, slot(card)...)
		}
		return out
	},
}

// usualPayload is the MaxPayload that most systems set, in bytes.
const usualPayload = 256

func slot(c card) []Problem {
	var sum unit.BitRate
	for _, p := range c.ports {
		sum += p.Speed
	}
	var out []Problem
	line, name := c.nic.At.Line, c.nic.Part.Name
	if c.nic.Behind == "chipset" {
		out = append(out, said(Info, c.id(), line, "prefer a slot of the processor for fast cards",
			"it hangs on the chipset, whose link to the processor it shares with drives and USB; how wide that is is not known, because the file does not say"))
	}
	edge := c.nic.Part.PCIe
	bus, err := parts.ParseBus(c.nic.Slot)
	slot := bus.PCIe()
	wanted := counted(len(c.ports), "port") + " in use at " + sum.String()
	switch {
	case sum == 0:
		return out
	case (err != nil || slot == nil) && edge == nil:
		return append(out, said(Info, "part "+name, line, "look at the card, and write slot: pcie3x8 at it",
			"whether its slot carries its ports is not known: how many lanes it has is not, %s, and the file does not name the slot", because(c.nic.Part)))
	case err != nil || slot == nil:
		have := carries(edge)
		text := "the file does not name its slot; the card has PCIe %d.0 x%d (%s) for " + wanted
		if half := (&parts.PCIe{Gen: edge.Gen, Lanes: max(edge.Lanes/2, 1)}); carries(half) < sum {
			return append(out, said(Info, "part "+name, line, "write slot: pcie3x8 at the card, as the board's manual has it",
				text+", of which x%d would carry %s", edge.Gen, edge.Lanes, have, half.Lanes, carries(half)))
		}
		return append(out, said(Info, "part "+name, line, "write slot: pcie3x8 at the card, as the board's manual has it", text, edge.Gen, edge.Lanes, have))
	}
	link, whose := *slot, "the slot"
	if edge != nil {
		if edge.Gen < link.Gen {
			link.Gen, whose = edge.Gen, "the card"
		}
		if edge.Lanes < link.Lanes {
			link.Lanes, whose = edge.Lanes, "the card"
		}
	}
	have := carries(&link)
	switch {
	case have < sum:
		out = append(out, said(Warning, c.id(), line, "take a slot with more lanes or a newer generation, or expect that much",
			"PCIe %d.0 x%d carries at most %s each way, and it has %s; %s sets that", link.Gen, link.Lanes, have, wanted, whose))
	case usable(&link) < sum:
		out = append(out, said(Info, c.id(), line, "expect that much, or take a wider slot",
			"PCIe %d.0 x%d carries %s, of which about %s is left beside its packets' headers (%d bytes in each); it has %s",
			link.Gen, link.Lanes, have, usable(&link), usualPayload, wanted))
	}
	return out
}

// carries is what the lanes carry each way after their line code; 0 if there is
// no formula for the generation.
func carries(l *parts.PCIe) unit.BitRate {
	c, err := ceiling.PCIeRaw(ceiling.PCIe{Generation: l.Gen, Lanes: l.Lanes})
	if err != nil {
		return 0
	}
	return c.Rate
}

func usable(l *parts.PCIe) unit.BitRate {
	c, err := ceiling.PCIeWrite(ceiling.PCIe{Generation: l.Gen, Lanes: l.Lanes, Payload: usualPayload})
	if err != nil {
		return 0
	}
	return c.Rate
}
