package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// duplex: one end of a link sends and receives in turns, and takes what comes in meanwhile for a collision. The state is said by the check;
// collisions, or frames that were broken off and arrive damaged at the full-duplex end, are the effect.
var duplex = Cause{
	ID: "duplex", Title: "half duplex",
	Test: func(c *Case) *Match {
		for _, s := range []Side{c.Sender, c.Receiver} {
			nic := s.NIC()
			if nic == nil || c.Ceiling > 0 && c.Share() >= atCeiling {
				continue
			}
			f := c.state("duplex", s, nic.Name)
			if f == nil {
				continue
			}
			m := &Match{
				Strength: Candidate, Component: s.Host + ": " + nic.Name,
				Sentence: fmt.Sprintf("%s is held back by the link of %s: %s works in half duplex, so that one end at a time may send.", c.subject(), s.Host, nic.Name),
				Fix:      fromCheck(s.Host, f.Fix), Undo: fromCheck(s.Host, f.Undo), NextCeiling: c.nextCeiling(""),
			}
			m.Evidence = append(m.Evidence, said(f, "duplex")...)
			sent, why := c.delta(s, "tx_packets")
			for _, k := range []struct {
				side          Side
				counter, what string
			}{{s, "collisions", "collisions"}, {s, "tx_window_errors", "late collisions"}, {c.peer(s), string(facts.BadFrames), "damaged frames at the other end"}} {
				g, why1 := c.delta(k.side, k.counter)
				if why != "" || why1 != "" || g.Net < least || g.Net < 1e-3*sent.Net {
					continue
				}
				m.Strength = Likely
				m.Evidence = append(m.Evidence, record.Evidence{Host: k.side.Host, Source: "counters of " + k.side.Port.Interface, Counter: k.counter, After: ptr(g.Net), IdlePerSecond: g.Idle, Unit: "frames",
					Text: fmt.Sprintf("%.0f %s for %.0f packets that %s sent, at %s", g.Net, k.what, sent.Net, s.Host, unit.BitRate(c.Goodput))})
			}
			return m
		}
		return nil
	},
}
