package plan

import (
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/catalog"
	"linerate/internal/design/ceiling"
	"linerate/internal/record"
)

var ruleSlot = Rule{
	ID:    "pcie-slot",
	Title: "PCI Express lanes and generation of NIC and slot against the ports in use",
	Why:   "the slot is often slower than the NIC: x8 and x4 behind a long socket, an older generation, a riser",
	Worst: record.Warning,
	check: func(c *checkup) {
		for _, n := range c.nics {
			if n.Part != nil {
				c.slot(n)
			}
		}
	},
}

// usualPayload is the MaxPayload in bytes that most systems set.
const usualPayload = 256

func (c *checkup) slot(n usedNIC) {
	sum := xslices.Sum(n.ports, func(p *Port) unit.BitRate { return p.Speed })
	line := n.At.Line
	if n.Behind == "chipset" {
		c.info(n.id(), line, "prefer a slot of the CPU for fast NICs",
			"it hangs on the chipset, whose link to the CPU it shares with drives and USB; how wide that is is not "+
				"known, because the file does not say")
	}
	edge := n.Part.PCIe
	bus, err := catalog.ParseBus(n.Slot)
	slot := bus.PCIe()
	wanted := unit.Counted(len(n.ports), "port") + " in use at " + sum.String()
	switch {
	case sum == 0:
		return
	case err != nil || slot == nil:
		c.noSlot(n)
		return
	}
	link, whose := *slot, "the slot"
	if edge != nil {
		if edge.Gen < link.Gen {
			link.Gen, whose = edge.Gen, "the NIC"
		}
		if edge.Lanes < link.Lanes {
			link.Lanes, whose = edge.Lanes, "the NIC"
		}
	}
	have := carries(&link)
	switch {
	case have < sum:
		c.warn(n.id(), line, "take a slot with more lanes or a newer generation, or expect that much",
			"PCIe %d.0 x%d carries at most %s each way, about %s of it next to its packets' headers, and it has %s; %s "+
				"sets that",
			link.Gen, link.Lanes, have, usable(&link), wanted, whose)
	case usable(&link) < sum:
		c.info(n.id(), line, "expect that much, or take a wider slot",
			"PCIe %d.0 x%d carries %s, of which about %s is left next to its packets' headers (%d bytes in each); it has %s",
			link.Gen, link.Lanes, have, usable(&link), usualPayload, wanted)
	}
}

// noSlot reports the slot that a NIC needs whose slot the file does not name.
func (c *checkup) noSlot(used usedNIC) {
	n, line, subject := need(used.NIC, used.ports), used.At.Line, "part "+used.Part.Name
	wanted := unit.Counted(n.Ports, "port") + " in use at " + n.Sum.String()
	write := "write it at the NIC in the file, such as slot: pcie3x8"
	if n.Edge != nil {
		write = "write it at the NIC in the file, such as slot: " + Bus(*n.Edge)
	}
	switch {
	case n.Edge == nil:
		c.info(subject, line, "look at the NIC's edge and into the board's manual, and "+write,
			"whether its slot carries %s is not known: %s the NIC has, and the file does not name its slot; slot and NIC "+
				"must both have %s",
			wanted, lanesUnknown(used.Part), n.Slots())
	case n.Short:
		c.info(subject, line, "take a slot with all of the NIC's lanes, and "+write,
			"the file does not name its slot, so what it carries is not known; the NIC has PCIe %d.0 x%d (%s), and not even "+
				"that is enough for %s next to its packets' headers",
			n.Edge.Gen, n.Edge.Lanes, carries(n.Edge), wanted)
	default:
		c.info(subject, line, "look into the board's manual for a slot with that many lanes connected, and "+write,
			"the file does not name its slot, so what it carries is not known; the NIC has PCIe %d.0 x%d (%s), and %s needs "+
				"at least %s",
			n.Edge.Gen, n.Edge.Lanes, carries(n.Edge), wanted, n.Slots())
	}
}

// lanesUnknown returns the reason why the lanes of a NIC are not known.
func lanesUnknown(p *catalog.Part) string {
	if p.Confidence == catalog.Declared {
		return "the file writes the part out without saying how many lanes"
	}
	return "no source of the catalogue says how many lanes"
}

// carries returns the rate of the lanes each way after their line code; 0 if the generation has no formula.
func carries(l *catalog.PCIe) unit.BitRate {
	c, err := ceiling.PCIeRaw(ceiling.PCIe{Generation: l.Gen, Lanes: l.Lanes})
	if err != nil {
		return 0
	}
	return c.Rate
}

// usable returns the rate of the lanes that is left next to the headers of packets.
func usable(l *catalog.PCIe) unit.BitRate {
	c, err := ceiling.PCIeWrite(ceiling.PCIe{Generation: l.Gen, Lanes: l.Lanes, Payload: usualPayload})
	if err != nil {
		return 0
	}
	return c.Rate
}

var ruleSlots = Rule{
	ID:    "slots",
	Title: "slots of the machine against its NICs",
	Why:   "a NIC without a slot stays in its box; small cases and boards have one or two",
	Worst: record.Error,
	check: func(c *checkup) {
		for _, h := range c.f.Hosts {
			if len(h.Slots) == 0 {
				continue // not written: the rule pcie-slot asks for it NIC by NIC
			}
			free, nics := slices.Clone(h.Slots), 0
			for _, n := range h.NICs {
				if n.VF != "" {
					continue
				}
				nics++
				if n.Slot == "" {
					continue
				}
				if i := slices.Index(free, n.Slot); i >= 0 {
					free = slices.Delete(free, i, i+1)
					continue
				}
				c.warn(h.Name+"."+n.Name, n.At.Line, "write the slot as it is listed under slots, or list it there",
					"it is to sit in a slot %s, and none of %s is left for it", n.Slot, strings.Join(h.Slots, ", "))
			}
			if nics > len(h.Slots) {
				c.fail("host "+h.Name, h.At.Line, "take NICs with more ports, another machine, or a switch",
					"it has %s for %s: %s", unit.Counted(len(h.Slots), "slot"), unit.Counted(nics, "NIC"),
					strings.Join(h.Slots, ", "))
			}
		}
	},
}
