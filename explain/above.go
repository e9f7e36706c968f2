package explain

import (
	"fmt"

	"linerate/result"
	"linerate/unit"
)

// aboveCeiling: a figure above physics is an error of measurement, not good
// news. One percent is left for the edges of the window.
var aboveCeiling = Cause{
	ID: "above-ceiling", Title: "the measurement (above its ceiling)",
	Test: func(c *Case) *Match {
		if c.Ceiling <= 0 || c.Goodput <= 1.01*c.Ceiling {
			return nil
		}
		return &Match{
			Strength: Proved, Component: "the measurement",
			Sentence: fmt.Sprintf("%s reads %s, above the %s that %s allows: that is an error of measurement, or the link is not what the plan says.",
				c.subject(), rate(c.Goodput), rate(c.Ceiling), c.Chain.Component),
			Evidence: []result.Evidence{{Host: c.Receiver.Host, Source: "receiver's bytes", Counter: "goodput", After: ptr(c.Goodput), Unit: "bit/s",
				Text: fmt.Sprintf("goodput %s is %s of the ceiling", rate(c.Goodput), unit.Percent(c.Share()))}},
			Fix: "check the planned speed of " + c.Chain.Component + " against what both ends report",
		}
	},
}
