package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// aboveCeiling: a figure above physics is an error of measurement, not good
// news. One percent is left for the edges of the window.
var aboveCeiling = Cause{
	ID: "above-ceiling", Title: "the measurement (above its ceiling)", RDMA: true,
	Test: func(c *Case) *Match {
		if c.Ceiling <= 0 || c.Goodput <= (1.01+c.stored()+c.lumps())*c.Ceiling {
			return nil
		}
		otherwise, look := "the link is not what the plan says", "check the planned speed of "+c.Chain.Component+" against what both ends report"
		switch {
		case c.Rate != "":
			otherwise, look = "the link is not what --rate says", fmt.Sprintf("look at the rate that both ends report of their ports (ethtool PORT), and measure with that in place of --rate %s", c.Rate)
		case c.ByFlags:
			otherwise, look = "the link is faster than its ports say", "measure with the rate that the link really has: --rate"
		}
		return &Match{
			Strength: Proved, Component: "the measurement",
			Sentence: fmt.Sprintf("%s reads %s, above the %s that %s allows: that is an error of measurement, or %s.",
				c.subject(), rate(c.Goodput), rate(c.Ceiling), c.Chain.Component, otherwise),
			Evidence: []record.Evidence{{Host: c.Receiver.Host, Source: "receiver's bytes", Counter: "goodput", After: ptr(c.Goodput), Unit: "bit/s",
				Text: fmt.Sprintf("goodput %s is %s of the ceiling", rate(c.Goodput), unit.Percent(c.Share()))}},
			Fix: look, Undo: nothingSet,
		}
	},
}

// stored is by how much, as a share of its ceiling, a shaper of the sender's own may let more through in a window than its rate carries: the
// bucket is full when the window begins, if the sender paused before it, so that rate x window + burst pass (tc-tbf(8), "burst"; RFC 2697
// section 3). 0: the ceiling is none of a shaper, or its burst is not known.
func (c *Case) stored() float64 {
	if c.Chain == nil || c.Window <= 0 {
		return 0
	}
	if hop := c.Chain.Lowest(); hop == nil || hop.Kind != "shaper" {
		return 0
	}
	q, ok := c.limitingQdisc()
	burst, known := q.Burst.Get()
	set, rated := q.Rate.Get()
	if !ok || !known || !rated || set <= 0 || burst <= 0 {
		return 0
	}
	return float64(burst) * 8 / (float64(set) * c.Window)
}

// lumps is how exact a goodput of verbs is, as a share of the ceiling: bytes count when their completion is there, those of all requests that share it
// at once, so that a window may have got a completion's worth of each pair too many.
func (c *Case) lumps() float64 {
	if c.Exp.Verbs == nil || c.Window <= 0 || c.Ceiling <= 0 {
		return 0
	}
	each := 1
	for _, e := range c.Exp.Verbs.Ends {
		each = max(each, e.Signal)
	}
	return float64(c.pairs()) * float64(each) * float64(c.requestSize()) * 8 / (c.Ceiling * c.Window)
}
