package cause

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// perConnection reports whether goodput depends on the number of streams.
func perConnection(s *judge.Step, c *judge.Case) bool {
	if judge.StreamsOf(s.Experiment) > judge.StreamsOf(c.Exp) {
		return s.Ratio(c) >= judge.DecisiveFactor
	}
	return s.Ratio(c) <= 1/judge.DecisiveFactor
}

// sharedPath is the cause where one stream carries as much as many, and the ends have CPU time left: the bottleneck is
// shared and on the path. A queue or losses on the path are the second piece of evidence.
var sharedPath = judge.Cause{
	ID: "path", Title: "something between the hosts",
	Plain:   "What holds it back lies between the two machines, and everything that goes this way has to share it.",
	Applies: judge.TCP,
	Test: func(c *judge.Case) *judge.Match {
		s := c.StepBy("streams")
		if s == nil || !judge.SameGoodput(s.Case.Goodput, c.Goodput) || cpuBound(c) != nil ||
			cpuBound(s.Case) != nil {
			return nil
		}
		if waited, ok := limitedShare(c, func(s *record.Socket) *float64 { return s.RwndLimited }); !ok || waited >= 0.3 {
			return nil
		}
		m := c.Candidate(fmt.Sprintf("between %s and %s: something that all connections share", c.Sender.Host,
			c.Receiver.Host), "is held back between the two: something that all connections share lets %s through. The hosts "+
			"alone do not tell which device it is.", judge.Rate(c.Goodput))
		m.Add(s.Evidence(c))
		m.Fix = fmt.Sprintf("look at the switches between %s and %s: the rate of each port, limits on them, whether a "+
			"CPU forwards", c.Sender.Host, c.Receiver.Host)
		switch {
		case queued(c) && queued(s.Case):
			m.Likely(queueEvidence(c))
		case lossy(c) && lossy(s.Case):
			m.Likely(uncountedEvidence(c))
		}
		return m
	},
}

// limitOfOne is the cause where many connections carry much more than one, nothing is lost, and with one its own
// congestion window, or a thread or core of an end, is full.
var limitOfOne = judge.Cause{
	ID: record.LimiterOneConnection, Title: "one connection",
	Plain:   "A single connection cannot do more here, and several together can.",
	Applies: judge.TCP,
	Test: func(c *judge.Case) *judge.Match {
		s := c.StepBy("streams")
		if s == nil || !perConnection(s, c) {
			return nil
		}
		few, many := c, s.Case
		if judge.StreamsOf(s.Experiment) < judge.StreamsOf(c.Exp) {
			few, many = s.Case, c
		}
		m := c.Candidate(fmt.Sprintf("%s -> %s: what one connection can do", c.Sender.Host, c.Receiver.Host),
			"is held back by what one connection can do: %s carry %s, %s %s.", unit.Counted(judge.StreamsOf(many.Exp), "stream"),
			judge.Rate(many.Goodput), unit.Counted(judge.StreamsOf(few.Exp), "stream"), judge.Rate(few.Goodput))
		m.Add(s.Evidence(c))
		m.Fix = "use more connections: streams of a copy, nconnect of NFS, sessions of iSCSI, channels of SMB"
		if lossy(few) {
			return m // each connection slows down by itself, whatever drops
		}
		if e := ownInterval(few); e != nil {
			m.Likely(*e)
		} else if b := cpuBound(few); b != nil && cpuBound(many) == nil {
			m.Likely(b.evidence)
		}
		return m
	},
}

// ownInterval is the evidence that a connection's congestion window over its round trip equals its goodput; nil: it
// does not, or is not known. Round trips below clearRoundTrip are mostly the hosts' own time.
func ownInterval(c *judge.Case) *record.Evidence {
	windows, ok0 := c.Each(false, judge.Integer(func(s *record.Socket) *int64 { return s.Cwnd }))
	sizes, ok1 := c.Each(false, judge.Integer(func(s *record.Socket) *int64 { return s.MSS }))
	rtts, ok2 := c.Each(false, func(s *record.Socket) *float64 { return s.RTT })
	if !ok0 || !ok1 || !ok2 {
		return nil
	}
	allowed := 0.0
	for i := range windows {
		if rtts[i] < clearRoundTrip {
			return nil
		}
		allowed += windows[i] * sizes[i] * 8 / rtts[i]
	}
	if _, same := judge.Matches(allowed, c.Goodput); !same {
		return nil
	}
	return new(judge.Reading(c.Sender.Host, "TCP_INFO", "snd_cwnd", windows[0], "segments", "its congestion window, "+
		"%.0f segments in a round trip of %s, allows %s, and that is what it carries", windows[0], unit.Seconds(rtts[0]),
		judge.Rate(allowed)))
}

// perStream settles causes that limit each connection: with them, more streams carry more. Where more streams do not,
// such a cause is excluded.
func perStream(c *judge.Case) (more *record.Evidence, against bool) {
	s := c.StepBy("streams")
	switch {
	case s == nil:
		return nil, false
	case perConnection(s, c):
		return new(s.Evidence(c)), false
	}
	return nil, judge.SameGoodput(s.Case.Goodput, c.Goodput)
}

// keptAtLowerRate settles causes that drop what exceeds a rate: they are excluded where as much is lost at a lower
// rate.
func keptAtLowerRate(c *judge.Case) (more *record.Evidence, against bool) {
	return nil, agreeing(c, lossStays) != nil
}

// goneAtLowerRate settles losses by chance: they are excluded where nothing is lost at a lower rate.
func goneAtLowerRate(c *judge.Case) (more *record.Evidence, against bool) {
	return nil, agreeing(c, lossGone) != nil
}
