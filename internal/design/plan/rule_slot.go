package plan

import (
	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/design/ceiling"
	"linerate/internal/record"
)

var ruleSlot = Rule{
	ID:    "pcie-slot",
	Title: "PCI Express lanes and generation of card and slot against the ports in use",
	Why:   "the slot is often slower than the card: x8 and x4 behind a long socket, an older generation, a riser",
	Worst: record.Warning,
	check: func(c *checkup) []record.Problem {
		var out []record.Problem
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

func slot(c card) []record.Problem {
	var sum unit.BitRate
	for _, p := range c.ports {
		sum += p.Speed
	}
	var out []record.Problem
	line := c.nic.At.Line
	if c.nic.Behind == "chipset" {
		out = append(out, said(record.Info, c.id(), line, "prefer a slot of the processor for fast cards",
			"it hangs on the chipset, whose link to the processor it shares with drives and USB; how wide that is is not known, because the file does not say"))
	}
	edge := c.nic.Part.PCIe
	bus, err := catalog.ParseBus(c.nic.Slot)
	slot := bus.PCIe()
	wanted := counted(len(c.ports), "port") + " in use at " + sum.String()
	switch {
	case sum == 0:
		return out
	case err != nil || slot == nil:
		return append(out, noSlot(c))
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
		out = append(out, said(record.Warning, c.id(), line, "take a slot with more lanes or a newer generation, or expect that much",
			"PCIe %d.0 x%d carries at most %s each way, about %s of it beside its packets' headers, and it has %s; %s sets that",
			link.Gen, link.Lanes, have, usable(&link), wanted, whose))
	case usable(&link) < sum:
		out = append(out, said(record.Info, c.id(), line, "expect that much, or take a wider slot",
			"PCIe %d.0 x%d carries %s, of which about %s is left beside its packets' headers (%d bytes in each); it has %s",
			link.Gen, link.Lanes, have, usable(&link), usualPayload, wanted))
	}
	return out
}

// noSlot says what slot a card needs of which the file does not name it.
func noSlot(c card) record.Problem {
	n, line, subject := need(c.nic, c.ports), c.nic.At.Line, "part "+c.nic.Part.Name
	wanted := counted(n.Ports, "port") + " in use at " + n.Sum.String()
	write := "write it at the card in the file, such as slot: pcie3x8"
	if n.Edge != nil {
		write = "write it at the card in the file, such as slot: " + Bus(*n.Edge)
	}
	switch {
	case n.Edge == nil:
		return said(record.Info, subject, line, "look at the card's edge and into the board's manual, and "+write,
			"whether its slot carries %s is not known: %s the card has, and the file does not name its slot; slot and card must both have %s",
			wanted, lanesUnknown(c.nic.Part), n.Slots())
	case n.Short:
		return said(record.Info, subject, line, "take a slot with all of the card's lanes, and "+write,
			"the file does not name its slot, so what it carries is not known; the card has PCIe %d.0 x%d (%s), and not even that is enough for %s beside its packets' headers",
			n.Edge.Gen, n.Edge.Lanes, carries(n.Edge), wanted)
	}
	return said(record.Info, subject, line, "look into the board's manual for a slot with that many lanes connected, and "+write,
		"the file does not name its slot, so what it carries is not known; the card has PCIe %d.0 x%d (%s), and %s needs at least %s",
		n.Edge.Gen, n.Edge.Lanes, carries(n.Edge), wanted, n.Slots())
}

// lanesUnknown says why the lanes of a card are not known.
func lanesUnknown(p *catalog.Part) string {
	if p.Confidence == catalog.Declared {
		return "the file writes the part out without saying how many lanes"
	}
	return "no source of the catalogue says how many lanes"
}

// carries is what the lanes carry each way after their line code; 0 if there is
// no formula for the generation.
func carries(l *catalog.PCIe) unit.BitRate {
	c, err := ceiling.PCIeRaw(ceiling.PCIe{Generation: l.Gen, Lanes: l.Lanes})
	if err != nil {
		return 0
	}
	return c.Rate
}

func usable(l *catalog.PCIe) unit.BitRate {
	c, err := ceiling.PCIeWrite(ceiling.PCIe{Generation: l.Gen, Lanes: l.Lanes, Payload: usualPayload})
	if err != nil {
		return 0
	}
	return c.Rate
}
