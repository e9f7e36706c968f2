package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// fewRequests: with more requests at once the same storage gives more. A drive that has one request at a time is busy all the time, and that says nothing of it.
var fewRequests = storageCause{
	ID: "one-connection", Title: "too few requests at once",
	Test: func(c *storageCase) *Match {
		d := c.deeper
		if d == nil || d.Bytes.Median < moreByDepth*c.e.Bytes.Median {
			return nil
		}
		more := unit.BytesPerSecond(d.Bytes.Median)
		return &Match{Strength: Proved, Component: "requests at once",
			Sentence: fmt.Sprintf("%s is held back by too few requests at once: each waits %s, and nothing else does meanwhile; with more of them (%s) it gives %s in place of %s.", c.what, requestTook(c.e), loadOf(d), more, c.rate),
			Evidence: []record.Evidence{{Source: "this run", Counter: "bytes a second", After: &d.Bytes.Median, Unit: "B/s", Text: fmt.Sprintf("with more requests at once (%s) it gave %s", loadOf(d), more)}},
			Fix:      "more requests at once, where the program can: a deeper queue, more threads", NextCeiling: more + " as measured with more of them"}
	},
}

// oneRequest: one request at a time, with nothing to hold it against.
var oneRequest = storageCause{
	ID: "one-connection", Title: "one request at a time",
	Test: func(c *storageCase) *Match {
		if allRequests(c.e) != 1 {
			return nil
		}
		return &Match{Strength: Likely, Component: "requests at once", Next: "the same with --depth 32",
			Sentence: fmt.Sprintf("%s has one request under way at a time, and each takes %s: the rate is one over that time, whatever the parts could carry.", c.what, requestTook(c.e))}
	},
}
