package explain

import (
	"fmt"
	"math"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// payloadNear is how near to what the small packets allow goodput must come: 128 bytes in place of 256 cost a tenth, so that a wider band would
// have what the larger ones allow in it.
const payloadNear = 0.03

// pciePayload: the card's packets on PCI Express hold 128 bytes where both ends could 256 and more, and goodput is what that leaves: of writes to
// memory at the receiver, of reads from it at the sender.
var pciePayload = Cause{
	ID: "pcie-payload", Title: "small packets on PCI Express", RDMA: true,
	Test: func(c *Case) *Match {
		for _, s := range []Side{c.Receiver, c.Sender} {
			nic := s.NIC()
			if nic == nil || c.Ceiling <= 0 {
				continue
			}
			f := c.state("pcie-payload", s, nic.Name)
			hops := s.Shots.After.PCIeHops(nic.PCI)
			if f == nil || len(hops) == 0 {
				continue
			}
			card := hops[0].Down
			link, ok := card.Now()
			if now, under := s.Shots.link(nic.PCI); under {
				link = now
			}
			payload, known := card.Payload.Get()
			if !ok || link.Speed == 0 || !known {
				continue
			}
			way, words := ceiling.PCIeWrite, "writes to memory"
			if s.Host == c.Sender.Host {
				way, words = ceiling.PCIeRead, "reads from memory"
			}
			at, err := way(ceiling.PCIe{Generation: link.Generation(), Lanes: link.Width, Payload: payload})
			if err != nil {
				continue
			}
			segment := c.segment()
			allows := float64(at.Rate) * segment / (float64(nic.MTU) + 14) * c.scale()
			if nic.MTU <= 0 || allows <= 0 || allows >= atCeiling*c.Ceiling {
				continue
			}
			m := &Match{
				Strength: Candidate, Component: fmt.Sprintf("%s: %s (%s)", s.Host, nic.Name, nic.PCI),
				Sentence: fmt.Sprintf("%s is held back by %s: its card's packets on PCI Express hold %d bytes instead of %s, and so %s carries %s at most.",
					c.subject(), s.Host, payload, f.Want, link, rate(allows)),
				Fix: fromCheck(s.Host, f.Fix), Undo: fromCheck(s.Host, f.Undo), NextCeiling: c.nextCeiling(""),
			}
			m.Evidence = append(m.Evidence, said(f, "MaxPayload")...)
			m.Evidence = append(m.Evidence, record.Evidence{Host: c.Receiver.Host, Source: "receiver's bytes", Counter: "goodput", After: ptr(c.Goodput), Unit: "bit/s",
				Text: fmt.Sprintf("goodput %s, %s of what %s of %d bytes leave (%s)", rate(c.Goodput), unit.Percent(c.Goodput/allows), words, payload, at.Formula)})
			if d := math.Abs(c.Goodput-allows) / allows; d <= payloadNear {
				m.Strength = Proved
				m.Identity = &record.Identity{Left: fmt.Sprintf("%s of %d bytes over %s carry %s", words, payload, link, rate(allows)), Right: "goodput " + rate(c.Goodput), Difference: d}
			}
			return m
		}
		return nil
	},
}

// link is the fastest that the PCI Express link of a device was read at under load.
func (s Shots) link(address string) (best facts.PCIeLink, ok bool) {
	for _, f := range s.During {
		if d := f.PCIAt(address); d != nil {
			if now, known := d.Now(); known && now.Speed > 0 && (!ok || now.Rate() > best.Rate()) {
				best, ok = now, true
			}
		}
	}
	return best, ok
}
