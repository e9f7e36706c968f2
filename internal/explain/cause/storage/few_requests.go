package storage

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// FewRequestsPlain is the meaning of too few requests in flight.
const FewRequestsPlain = "Little is asked of the storage at once, and what is asked waits for its way there and " +
	"back. More " +
	"requests at once can do more."

// fewRequests is the cause where more concurrent requests make the same storage faster. A drive with one request at a
// time is always busy, which does not mean that it is full.
var fewRequests = Cause{
	ID: "one-connection", Title: "too few requests at once",
	Plain: FewRequestsPlain,
	Test: func(c *Case) *judge.Match {
		d := c.deeper
		if d == nil || d.Bytes.Median < moreByDepth*c.e.Bytes.Median {
			return nil
		}
		more := unit.BytesPerSecond(d.Bytes.Median)
		return &judge.Match{Strength: judge.Proved, Component: "requests at once",
			Sentence: fmt.Sprintf("%s is held back by too few requests at once: each waits %s, and nothing else does "+
				"meanwhile; with more of them (%s) it gives %s in place of %s.", c.what, requestTook(c.e), loadOf(d), more, c.rate),
			Evidence: []record.Evidence{{Source: "this run", Counter: "bytes a second", After: &d.Bytes.Median, Unit: "B/s",
				Text: fmt.Sprintf("with more requests at once (%s) it gave %s", loadOf(d), more)}},
			Fix:         "more requests at once, where the program can: a deeper queue, more threads",
			NextCeiling: more + " as measured with more of them"}
	},
}

// oneRequest is the cause where there is one request at a time, and no combination to compare it with.
var oneRequest = Cause{
	ID: "one-connection", Title: "one request at a time",
	Test: func(c *Case) *judge.Match {
		if allRequests(c.e) != 1 {
			return nil
		}
		m := &judge.Match{Strength: judge.Likely, Component: "requests at once", Next: "the same with --depth 32",
			Sentence: fmt.Sprintf("%s has one request under way at a time, and each takes %s: the rate is one over that "+
				"time, whatever the parts could carry.", c.what, requestTook(c.e)),
			Evidence: []record.Evidence{{Source: "settings", Counter: "depth", After: new(1.0), Unit: "requests",
				Text: "one request at a time was asked for"}}}
		if l := c.e.Latency; l != nil && l.P50 > 0 {
			m.Add(judge.Reading("", "clock", "time of a request", l.P50, "s", "half of the requests took %s or less",
				requestTook(c.e)))
		}
		return m
	},
}
