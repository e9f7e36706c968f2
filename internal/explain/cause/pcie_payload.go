package cause

import (
	"fmt"
	"math"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// payloadNear is how near goodput must be to the ceiling of small packets. 128 bytes instead of 256 cost a tenth, so a
// wider band would include the ceiling of the larger ones.
const payloadNear = 0.03

// pciePayload is the cause where the NIC's packets on PCI Express carry 128 bytes where both ends support 256 and more,
// and goodput is at the ceiling of that: of writes to memory at the receiver, of reads from it at the sender.
var pciePayload = judge.Cause{
	ID: "pcie-payload", Title: "small packets on PCI Express",
	Plain: "The NIC and its machine could pass data on in larger portions. With the small ones that are set, too much " +
		"goes into their packaging.",
	Applies: judge.AnyTransport,
	Test: func(c *judge.Case) *judge.Match {
		for _, s := range []judge.Side{c.Receiver, c.Sender} {
			nic := s.NIC()
			if nic == nil || c.Ceiling <= 0 {
				continue
			}
			f := c.State("pcie-payload", s, nic.Name)
			hops := s.Shots.After.PCIeHops(nic.PCI)
			if f == nil || len(hops) == 0 {
				continue
			}
			adapter := hops[0].Down
			link, ok := adapter.Now()
			if now, under := linkUnder(s.Shots, nic.PCI); under {
				link = now
			}
			payload, known := adapter.Payload.Get()
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
			segment := segment(c)
			allows := float64(at.Rate) * segment / (float64(nic.MTU) + 14) * scale(c)
			if nic.MTU <= 0 || allows <= 0 || allows >= judge.AtCeiling*c.Ceiling {
				continue
			}
			m := c.Candidate(fmt.Sprintf("%s: %s (%s)", s.Host, nic.Name, nic.PCI), "is held back by %s: its NIC's packets "+
				"on PCI Express hold %d bytes instead of %s, and so %s carries %s at most.", s.Host, payload, f.Want, link,
				judge.Rate(allows))
			m.FromCheck(s.Host, f)
			m.Add(judge.FindingEvidence(f, "MaxPayload")...)
			m.Add(judge.Reading(c.Receiver.Host, "receiver's bytes", "goodput", c.Goodput, "bit/s", "goodput %s, %s of what "+
				"%s of %d bytes leave (%s)", judge.Rate(c.Goodput), unit.Percent(c.Goodput/allows), words, payload, at.Formula))
			if d := math.Abs(c.Goodput-allows) / allows; d <= payloadNear {
				m.Strength = judge.Proved
				m.Identity = &record.Identity{Left: fmt.Sprintf("%s of %d bytes over %s carry %s", words, payload, link,
					judge.Rate(allows)), Right: "goodput " + judge.Rate(c.Goodput), Difference: d}
			}
			return m
		}
		return nil
	},
}

// linkUnder returns the fastest reading of a device's PCI Express link under load.
func linkUnder(s judge.Shots, address string) (best facts.PCIeLink, ok bool) {
	for _, f := range s.During {
		if d := f.PCIAt(address); d != nil {
			if now, known := d.Now(); known && now.Speed > 0 && (!ok || now.Rate() > best.Rate()) {
				best, ok = now, true
			}
		}
	}
	return best, ok
}
