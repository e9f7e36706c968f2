package cause

import (
	"linerate/internal/explain/judge"
)

// shallowBuffer is the cause where the rate somewhere past the sender is lower than planned, and a shallow buffer
// precedes it: packets are lost all the time, the rate is even, and round trips include a short queue.
var shallowBuffer = judge.Cause{
	ID: "shallow-buffer", Title: "a slower bottleneck behind a shallow buffer",
	Plain:   "A device on the way has too little room for data that wait, and throws away what it cannot hold.",
	Applies: judge.TCP, Settles: keptAtLowerRate,
	Test: func(c *judge.Case) *judge.Match {
		l := lost(c)
		w, ok := waited(c)
		if l == nil || !ok || !(l.outside() || len(l.At) > 0) || l.Slices < 0.3 || !free(c) || c.Share() >= 0.95 {
			return nil
		}
		level, share, known := even(c)
		if !known {
			return nil
		}
		m := c.Candidate(c.Between()+": a buffer", "is held back on the way between the two, where something lets %s "+
			"through and has no room for what comes faster: packets are lost there.", judge.Rate(level))
		m.Add(l.evidence(c), w.evidence(c))
		m.Fix = "ask every switch of the way for the speed of its ports and what they dropped (a Linux switch: ethtool " +
			"PORT, tc -s qdisc show dev PORT); one is slower than planned\nuntil then, let the senders send slower than " +
			"that port"
		m.Next = paceTwice(c)
		if w.Queue() >= longQueue || level >= 0.95*c.Ceiling || c.Crowded() {
			return m
		}
		if switchDrops(c, m, l) {
			return m
		}
		if w.Now < 1.5*w.Least || l.Again >= 0.08 && l.Timeouts > 0 {
			return m
		}
		if share >= 0.7 {
			m.Likely(evenEvidence(c, level, share))
			slowerPort(c, m)
		}
		return m
	},
}
