package explain

import (
	"fmt"

	"linerate/internal/record"
)

// shallowBuffer: somewhere behind the sender the rate is lower than planned, and the buffer before it is short: packets are lost all of the
// time, the rate is even, and round trips have a short queue in them.
var shallowBuffer = Cause{
	ID: "shallow-buffer", Title: "a slower bottleneck behind a shallow buffer", Transport: "tcp",
	Test: func(c *Case) *Match {
		l := c.lost()
		w, ok := c.waited()
		if l == nil || !ok || !(l.outside() || len(l.At) > 0) || l.Slices < 0.3 || !c.free() || c.Share() >= 0.95 {
			return nil
		}
		level, share, known := c.even()
		if !known {
			return nil
		}
		m := &Match{
			Strength: Candidate, Component: c.between() + ": a buffer",
			Sentence: fmt.Sprintf("%s is held back on the way between the two, where something lets %s through and has no room for what comes faster: packets are lost there.",
				c.subject(), rate(level)),
			Evidence: []record.Evidence{l.evidence(c), w.evidence(c)},
			Fix: "ask every switch of the way for the speed of its ports and what they dropped (a Linux switch: ethtool PORT, tc -s qdisc show dev PORT): one is slower than planned\n" +
				"until then, let the senders send slower than that port",
			NextCeiling: c.nextCeiling(""), Next: c.paceTwice(),
		}
		if w.Queue() >= longQueue || level >= 0.95*c.Ceiling || c.crowded() {
			return m
		}
		if c.switchDrops(m, l) {
			return m
		}
		if w.Now < 1.5*w.Least || l.Again >= 0.08 && l.Timeouts > 0 {
			return m
		}
		if share >= 0.7 {
			m.Strength = Likely
			m.Evidence = append(m.Evidence, c.evenEvidence(level, share))
			c.slowerPort(m)
		}
		return m
	},
}
