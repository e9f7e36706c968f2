package explain

import (
	"fmt"

	"linerate/internal/facts"
	"linerate/internal/record"
)

// rxRing: frames arrived and found no descriptor in the receiver's card; as many segments are sent again.
var rxRing = lostAt("rx-ring", "the receive ring of the card", facts.NoBuffer, "frames found no room in the ring of %s",
	"make the card's ring larger: ethtool -g %[1]s shows how large it is and may be, ethtool -G %[1]s rx N sets it\nlook whether the processor core that empties it is full (top, then 1)", "set the ring of %[1]s as it was, with the number that ethtool -g showed before: ethtool -G %[1]s rx N")

// lostAt is a cause of losses that one counter of the receiver's interface has, all of them or most: the identity is that counter against
// the segments that were sent again.
func lostAt(id, title string, what facts.Counted, words, fix, undo string) Cause {
	return Cause{ID: id, Title: title, Transport: "tcp", Test: func(c *Case) *Match {
		l := c.lost()
		if l == nil || c.Share() >= atCeiling {
			return nil
		}
		g, why := c.delta(c.Receiver, string(what))
		if why != "" || g.Net < least {
			return nil
		}
		host, nic := c.Receiver.Host, c.Receiver.Port.Interface
		at := host + ": " + nic
		m := &Match{
			Strength: Candidate, Component: at,
			Sentence: fmt.Sprintf("%s is held back by %s: %.0f "+words+", and had to be sent again.", c.subject(), host, g.Net, nic),
			Evidence: []record.Evidence{{Host: host, Source: "the driver's counters", Counter: string(what), Before: ptr(0), After: ptr(g.Net), IdlePerSecond: g.Idle, Unit: "frames",
				Text: fmt.Sprintf("%.0f "+words+" during the experiment", g.Net, nic)}, l.evidence(c)},
			Fix: fmt.Sprintf(fix, nic), Undo: fmt.Sprintf(undo, nic), NextCeiling: c.nextCeiling(""),
		}
		if f := c.state(id, c.Receiver, nic); f != nil && f.Fix != "" {
			m.Fix, m.Undo = fromCheck(host, f.Fix), fromCheck(host, f.Undo)
		}
		return c.accountFor(m, l, g.Net, "frames lost at "+at)
	}}
}

// accountFor holds what a counter of losses has against the segments that were sent again. Of a few more or less one may be lost twice, or
// be lost behind the last that was sent again.
func (c *Case) accountFor(m *Match, l *losses, counted float64, what string) *Match {
	if d, ok := closes(counted, l.Segments); ok || abs(counted-l.Segments) <= 3 {
		m.Strength = Proved
		m.Identity = &record.Identity{Left: fmt.Sprintf("%.0f %s", counted, what), Right: fmt.Sprintf("%.0f segments sent again by %s", l.Segments, c.Sender.Host), Difference: d}
	} else if counted >= 0.5*l.Segments {
		m.Strength = Likely
	}
	return m
}
