package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// ipoibMode: IP over InfiniBand in datagram mode has packets of 2044 or 4092 bytes, so that the processors are full of packets long before the link is.
var ipoibMode = Cause{
	ID: "ipoib-mode", Title: "IP over InfiniBand in datagram mode",
	Test: func(c *Case) *Match {
		if c.Share() >= atCeiling {
			return nil
		}
		for _, side := range []Side{c.Receiver, c.Sender} {
			nic := side.NIC()
			if nic == nil || nic.IPoIB.Or("") != "datagram" {
				continue
			}
			f := c.state("ipoib-mode", side, nic.Name)
			if f == nil {
				continue
			}
			m := &Match{
				Strength: Candidate, Component: side.Host + ": " + nic.Name,
				Sentence: fmt.Sprintf("%s is held back by the small packets of IP over InfiniBand: %s of %s is in datagram mode, where a packet has %d bytes, and the processors are full of packets.",
					c.subject(), nic.Name, side.Host, nic.MTU),
				Fix: fromCheck(side.Host, f.Fix), Undo: fromCheck(side.Host, f.Undo), NextCeiling: c.nextCeiling(""),
			}
			for _, e := range f.Evidence {
				m.Evidence = append(m.Evidence, record.Evidence{Host: e.Host, Source: e.Source, Counter: "mode", After: ptr(float64(nic.MTU)), Unit: "bytes", Text: fmt.Sprintf("mode %s, MTU %v", e.Line, unit.Bytes(nic.MTU))})
			}
			if b := c.processorBound(); b != nil {
				m.Strength = Likely
				m.Evidence = append(m.Evidence, b.evidence)
			}
			m.Next = c.sameByRDMA()
			return m
		}
		return nil
	},
}
