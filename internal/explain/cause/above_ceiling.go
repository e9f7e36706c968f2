package cause

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/explain/cause/rdma"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// AboveCeiling is the measurement error of a figure above its ceiling. One percent is allowed for the edges of the
// interval.
var AboveCeiling = judge.Cause{
	ID: "above-ceiling", Title: "the measurement (above its ceiling)",
	Plain: "No part of this path can carry that much. Either a part is not what was said of it, or something else was " +
		"counted as well.",
	Test: func(c *judge.Case) *judge.Match {
		if c.Ceiling <= 0 || c.Goodput <= (1.01+stored(c)+lumps(c))*c.Ceiling {
			return nil
		}
		otherwise, look := "the link is not what the plan says", "check the planned speed of "+c.Chain.Component+
			" against what both ends report"
		switch {
		case c.Rate != "":
			otherwise, look = "the link is not what --link says", fmt.Sprintf("look at the rate that both ends report of "+
				"their ports (ethtool PORT), and measure with that in place of --link %s", c.Rate)
		case c.ByFlags:
			otherwise, look = "the link is faster than its ports say", "measure with the rate that the link really has: --link"
		}
		return &judge.Match{
			Strength: judge.Proved, Component: "the measurement",
			Sentence: fmt.Sprintf("%s reads %s, above the %s that %s allows: that is an error of measurement, or %s.",
				c.Subject(), judge.Rate(c.Goodput), judge.Rate(c.Ceiling), c.Chain.Component, otherwise),
			Evidence: []record.Evidence{judge.Reading(c.Receiver.Host, "receiver's bytes", "goodput", c.Goodput, "bit/s",
				"goodput %s is %s of the ceiling", judge.Rate(c.Goodput), unit.Percent(c.Share()))},
			Fix: look, Undo: judge.NoSettingChanged,
		}
	},
}

// stored returns how far the sender's own shaper may exceed its rate in an interval, as a share of the ceiling. If the
// sender paused before the interval, the bucket is full when it begins, and rate x interval + burst pass (tc-tbf(8),
// "burst"; RFC 2697 section 3). 0: the ceiling is not that of a shaper, or its burst is not known.
func stored(c *judge.Case) float64 {
	if c.Chain == nil || c.Interval <= 0 {
		return 0
	}
	if hop := c.Chain.Lowest(); hop == nil || hop.Kind != "shaper" {
		return 0
	}
	q, ok := limitingQdisc(c)
	burst, known := q.Burst.Get()
	set, rated := q.Rate.Get()
	if !ok || !known || !rated || set <= 0 || burst <= 0 {
		return 0
	}
	return float64(burst) * 8 / (float64(set) * c.Interval)
}

// lumps returns the uncertainty of a goodput of verbs, as a share of the ceiling. Bytes count at their completion,
// which several requests share, so that an interval may count one completion of each pair too many.
func lumps(c *judge.Case) float64 {
	if c.Exp.Verbs == nil || c.Interval <= 0 || c.Ceiling <= 0 {
		return 0
	}
	each := 1
	for _, e := range c.Exp.Verbs.Ends {
		each = max(each, e.Signal)
	}
	return float64(rdma.Pairs(c)) * float64(each) * float64(rdma.RequestSize(c)) * 8 / (c.Ceiling * c.Interval)
}
