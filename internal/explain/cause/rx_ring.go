package cause

import (
	"fmt"

	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// rxRing is the cause where frames arrived and found no descriptor in the receiver's NIC; as many segments are
// retransmitted. The identity compares the NIC's counter with these segments.
var rxRing = judge.Cause{
	ID: "rx-ring", Title: "the receive ring of the NIC",
	Plain:   "The receiving NIC had nowhere to put what arrived, and threw it away; it had to be retransmitted.",
	Applies: judge.TCP,
	Test: func(c *judge.Case) *judge.Match {
		l := lost(c)
		if l == nil || c.Share() >= judge.AtCeiling {
			return nil
		}
		g, why := c.Delta(c.Receiver, string(facts.NoBuffer))
		if why != "" || g.Net < minLosses {
			return nil
		}
		host, nic := c.Receiver.Host, c.Receiver.Port.Interface
		at := host + ": " + nic
		frames := fmt.Sprintf("%.0f frames found no room in the ring of %s", g.Net, nic)
		m := c.Candidate(at, "is held back by %s: %s, and had to be retransmitted.", host, frames)
		m.Add(record.Evidence{Host: host, Source: "the driver's counters", Counter: string(facts.NoBuffer), Before: new(0.0),
			After: new(g.Net), IdlePerSecond: g.Idle, Unit: "frames", Text: frames + " during the experiment"}, l.evidence(c))
		m.Fix = fmt.Sprintf("make the NIC's ring larger: ethtool -g %[1]s shows how large it is and may be, ethtool -G "+
			"%[1]s rx N sets it\nlook whether the CPU core that empties it is full (top, then 1)", nic)
		m.Undo = fmt.Sprintf("set the ring of %[1]s as it was, with the number that ethtool -g showed before: ethtool -G "+
			"%[1]s rx N", nic)
		if f := c.State("rx-ring", c.Receiver, nic); f != nil && f.Fix != "" {
			m.FromCheck(host, f)
		}
		return accountFor(c, m, l, g.Net, "frames lost at "+at)
	},
}

// accountFor compares a counter of losses with the retransmitted segments. They may differ by a few: a segment may be
// lost twice, or after the last retransmit.
func accountFor(c *judge.Case, m *judge.Match, l *losses, counted float64, what string) *judge.Match {
	if d, ok := judge.Matches(counted, l.Segments); ok || abs(counted-l.Segments) <= 3 {
		m.Strength = judge.Proved
		m.Identity = &record.Identity{Left: fmt.Sprintf("%.0f %s", counted, what),
			Right: fmt.Sprintf("%.0f segments retransmitted by %s", l.Segments, c.Sender.Host), Difference: d}
	} else if counted >= 0.5*l.Segments {
		m.Strength = judge.Likely
	}
	return m
}
