package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// longQueue is from when on a queue past the sender is one of a full buffer, in seconds: bursts of segmentation offload make shorter ones.
const longQueue = 0.01

// deepBuffer: somewhere behind the sender the rate is lower than planned, and a buffer before it takes what comes meanwhile: nothing (or
// nothing any more) is lost, and round trips are long while nothing waits in the sender's own queue.
var deepBuffer = Cause{
	ID: "deep-buffer", Title: "a slower bottleneck behind a deep buffer", Transport: "tcp",
	Test: func(c *Case) *Match {
		w, ok := c.waited()
		if hop := c.Chain.Lowest(); hop == nil || hop.Kind == "shaper" {
			return nil // its queue is not in the sender's sockets' sight alone
		}
		if !ok || w.Queue() < longQueue || w.Now < 2*w.Least || w.Own > 0.2*w.Queue() || !c.free() || c.Share() >= 0.95 {
			return nil
		}
		m := &Match{
			Strength: Candidate, Component: c.between() + ": a queue",
			Sentence: fmt.Sprintf("%s is held back on the way between the two, where something lets %s through and has a queue of %s before it.",
				c.subject(), rate(c.Goodput), unit.Seconds(w.Queue())),
			Evidence: []record.Evidence{w.evidence(c)},
			Fix: "ask every switch of the way for the speed and the limits of its ports (a Linux switch: ethtool PORT, tc -s qdisc show dev PORT): one is slower than planned\n" +
				"from the two ends alone, a port that is told to pause, or a switch that forwards by its processor, looks the same",
			NextCeiling: c.nextCeiling(""),
		}
		level, share, known := c.even()
		even := c.evenEvidence(level, share)
		if !known || share < 0.35 {
			if level, even, known = c.evenOnWire(); !known {
				return m
			}
		}
		if level >= 0.95*c.Ceiling || c.crowded() {
			return m // at the link's own rate it is no slower bottleneck
		}
		m.Evidence = append(m.Evidence, even)
		if l := c.lost(); l != nil {
			m.Evidence = append(m.Evidence, l.evidence(c))
			if l.Slices > 0.6 {
				return m
			}
		}
		m.Strength = Likely
		if _, _, _, known := c.passed(c.Receiver, "rx"); !known && len(c.Receiver.Shots.During) > 1 {
			m.Strength = Candidate // other traffic that fills the link makes the same queue
		}
		c.slowerPort(m)
		return m
	},
}
