package cause

import (
	"math"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// randomLoss is the cause where single packets are lost at any rate, without a queue: round trips are as short as on
// the empty path. Goodput is then what TCP reaches with that share of losses.
var randomLoss = judge.Cause{
	ID: "random-loss", Title: "losses on the way",
	Plain: "A part of the data gets lost on the way, whether the link is busy or not: a bad cable, module or port does " +
		"that.",
	Applies: judge.TCP, Settles: goneAtLowerRate,
	Test: func(c *judge.Case) *judge.Match {
		l := lost(c)
		w, ok := waited(c)
		if l == nil || !ok || !l.outside() || l.Slices < 0.3 || !free(c) || c.Share() >= 0.95 {
			return nil
		}
		m := c.Candidate(c.Between()+": losses", "is held back by losses on the way between the two. %s of the packets "+
			"do not arrive, one here and one there, and no counter of either end has them.", unit.Percent(l.Rate))
		m.Add(l.evidence(c), w.evidence(c))
		m.Fix = "ask every switch of the way for errors and drops of its ports (a Linux switch: ethtool -S PORT, ip -s " +
			"link show dev PORT); then try another cable, another module, another port\nfrom the two ends alone, a switch " +
			"with next to no room for waiting data looks the same; measured at half the rate, its losses are gone, and " +
			"those of a bad cable stay"
		m.Next = paceTwice(c)
		level, share, known := even(c)
		if !known || share >= 0.6 || c.Crowded() || l.Episode > 3 || w.Now > 1.4*w.Least || w.Least < clearRoundTrip {
			return m
		}
		bound, ok := lossBound(c, l.Rate)
		if !ok || c.Goodput < bound/2.5 || c.Goodput > bound*2.5 {
			return m
		}
		m.Likely(judge.Reading(c.Sender.Host, "TCP_INFO", "loss bound", bound, "bit/s", "with that share of losses and a "+
			"round trip of %s TCP gets about %s (Mathis); goodput is %s, and not even (median slice %s)", unit.Seconds(w.Now),
			judge.Rate(bound), judge.Rate(c.Goodput), judge.Rate(level)))
		return m
	},
}

// clearRoundTrip is the shortest round trip, in seconds, in which a queue is visible. In shorter ones the hosts' own
// time is as long as the queue.
const clearRoundTrip = 0.001

// lossBound returns the goodput of connections with additive increase at a share of losses or marks, bits per second:
// segment / round trip x sqrt(3/2) / sqrt(share) each (Mathis, Semke, Mahdavi, Ott: The Macroscopic Behavior of the TCP
// Congestion Avoidance Algorithm, 1997).
func lossBound(c *judge.Case, share float64) (float64, bool) {
	mss, ok0 := c.Median(false, judge.Integer(func(s *record.Socket) *int64 { return s.MSS }))
	rtt, ok1 := c.Median(false, func(s *record.Socket) *float64 { return s.RTT })
	if !ok0 || !ok1 || rtt <= 0 || share <= 0 {
		return 0, false
	}
	return float64(len(c.Streams)) * mss * 8 / rtt * math.Sqrt(1.5/share), true
}
