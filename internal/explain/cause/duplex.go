package cause

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/explain/cause/address"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// duplex is the cause where one end of a link is half-duplex: it takes frames that arrive while it sends for
// collisions. The check finds the state. The effect is collisions, or truncated frames at the full-duplex end.
var duplex = judge.Cause{
	ID: "duplex", Title: "half duplex",
	Plain: "The two ends of this link take turns instead of sending at the same time, and keep getting in each other's " +
		"way.",
	Applies: judge.IP,
	Test: func(c *judge.Case) *judge.Match {
		for _, s := range []judge.Side{c.Sender, c.Receiver} {
			nic := s.NIC()
			if nic == nil || c.Ceiling > 0 && c.Share() >= judge.AtCeiling {
				continue
			}
			f := c.State("duplex", s, nic.Name)
			if f == nil {
				continue
			}
			m := c.Candidate(s.Host+": "+nic.Name, "is held back by the link of %s: %s works in half duplex, so that one "+
				"end at a time may send.", s.Host, nic.Name)
			m.FromCheck(s.Host, f)
			m.Add(judge.FindingEvidence(f, "duplex")...)
			sent, why := c.Delta(s, "tx_packets")
			for _, k := range []struct {
				side          judge.Side
				counter, what string
			}{{s, "collisions", "collisions"}, {s, "tx_window_errors", "late collisions"},
				{address.Peer(c, s), string(facts.BadFrames), "damaged frames at the other end"}} {
				g, why1 := c.Delta(k.side, k.counter)
				if why != "" || why1 != "" || g.Net < minLosses || g.Net < 1e-3*sent.Net {
					continue
				}
				m.Likely(record.Evidence{Host: k.side.Host, Source: "counters of " + k.side.Port.Interface, Counter: k.counter,
					After: new(g.Net), IdlePerSecond: g.Idle, Unit: "frames", Text: fmt.Sprintf("%.0f %s for %.0f packets that %s "+
						"sent, at %s", g.Net, k.what, sent.Net, s.Host, unit.BitRate(c.Goodput))})
			}
			return m
		}
		return nil
	},
}
