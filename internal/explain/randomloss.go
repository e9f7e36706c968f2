package explain

import (
	"fmt"
	"math"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// randomLoss: single packets are lost, whatever the rate, and no queue stands before it: round trips are as short as on the empty path. Then
// goodput is what TCP gets out of that share of losses.
var randomLoss = Cause{
	ID: "random-loss", Title: "losses on the way", Transport: "tcp",
	Test: func(c *Case) *Match {
		l := c.lost()
		w, ok := c.waited()
		if l == nil || !ok || !l.outside() || l.Slices < 0.3 || !c.free() || c.Share() >= 0.95 {
			return nil
		}
		m := &Match{
			Strength: Candidate, Component: c.between() + ": losses",
			Sentence: fmt.Sprintf("%s is held back by losses on the way between the two: %s of the packets do not arrive, one here and one there, and no counter of either end has them.",
				c.subject(), unit.Percent(l.Rate)),
			Evidence: []record.Evidence{l.evidence(c), w.evidence(c)},
			Fix: "ask every switch of the way for errors and drops of its ports (a Linux switch: ethtool -S PORT, ip -s link show dev PORT), then try another cable, another module, another port\n" +
				"from the two ends alone, a switch with next to no room for waiting data looks the same: measured at half the rate, its losses are gone, and those of a bad cable stay",
			NextCeiling: c.nextCeiling(""), Next: c.paceTwice(),
		}
		level, share, known := c.even()
		if !known || share >= 0.6 || c.crowded() || l.Episode > 3 || w.Now > 1.4*w.Least || w.Least < clearRoundTrip {
			return m
		}
		bound, ok := c.lossBound(l.Rate)
		if !ok || c.Goodput < bound/2.5 || c.Goodput > bound*2.5 {
			return m
		}
		m.Strength = Likely
		m.Evidence = append(m.Evidence, record.Evidence{Host: c.Sender.Host, Source: "TCP_INFO", Counter: "loss bound", After: ptr(bound), Unit: "bit/s",
			Text: fmt.Sprintf("with that share of losses and a round trip of %s TCP gets about %s (Mathis); goodput is %s, and not even (median slice %s)",
				unit.Seconds(w.Now), rate(bound), rate(c.Goodput), rate(level))})
		return m
	},
}

// clearRoundTrip is the shortest round trip, in seconds, that a queue can be told from: below, what a host needs to answer is as much.
const clearRoundTrip = 0.001

// lossBound is what connections of additive increase get at a share of losses or marks, bits per second: segment / round trip x sqrt(3/2) /
// sqrt(share) each (Mathis, Semke, Mahdavi, Ott: The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm, 1997).
func (c *Case) lossBound(share float64) (float64, bool) {
	mss, ok0 := c.median(false, count(func(s *record.Socket) *int64 { return s.MSS }))
	rtt, ok1 := c.median(false, func(s *record.Socket) *float64 { return s.RTT })
	if !ok0 || !ok1 || rtt <= 0 || share <= 0 {
		return 0, false
	}
	return float64(len(c.Streams)) * mss * 8 / rtt * math.Sqrt(1.5/share), true
}
