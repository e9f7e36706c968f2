package cause

import (
	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
)

// longQueue is the queueing delay past the sender, in seconds, from which on a buffer is full. Bursts of segmentation
// offload cause shorter ones.
const longQueue = 0.01

// deepBuffer is the cause where the rate somewhere past the sender is lower than planned, and a deep buffer precedes
// it: nothing (or nothing any more) is lost, and round trips are long although the sender's own queue is empty.
var deepBuffer = judge.Cause{
	ID: "deep-buffer", Title: "a slower bottleneck behind a deep buffer",
	Plain:   "Something on the way is slower than this link, and keeps a long queue: everything arrives, but late.",
	Applies: judge.TCP,
	Test: func(c *judge.Case) *judge.Match {
		w, ok := waited(c)
		if hop := c.Chain.Lowest(); hop == nil || hop.Kind == "shaper" {
			return nil // its queue is not only that of the sender's sockets
		}
		if !ok || w.Queue() < longQueue || w.Now < 2*w.Least || w.Own > 0.2*w.Queue() || !free(c) || c.Share() >= 0.95 {
			return nil
		}
		m := c.Candidate(c.Between()+": a queue", "is held back on the way between the two, where something lets %s "+
			"through and has a queue of %s before it.", judge.Rate(c.Goodput), unit.Seconds(w.Queue()))
		m.Add(w.evidence(c))
		m.Fix = "ask every switch of the way for the speed and the limits of its ports (a Linux switch: ethtool PORT, " +
			"tc -s qdisc show dev PORT); one is slower than planned\nfrom the two ends alone, a port that gets pause " +
			"frames, or a switch that forwards by its CPU, looks the same"
		level, share, known := even(c)
		even := evenEvidence(c, level, share)
		if !known || share < 0.35 {
			if level, even, known = evenOnWire(c); !known {
				return m
			}
		}
		if level >= 0.95*c.Ceiling || c.Crowded() {
			return m // at the link's own rate there is no slower bottleneck
		}
		m.Add(even)
		if l := lost(c); l != nil {
			m.Add(l.evidence(c))
			if l.Slices > 0.6 {
				return m
			}
		}
		m.Strength = judge.Likely
		if _, _, _, known := c.Passed(c.Receiver, "rx"); !known && len(c.Receiver.Shots.During) > 1 {
			m.Strength = judge.Candidate // other traffic that fills the link causes the same queue
		}
		slowerPort(c, m)
		return m
	},
}
