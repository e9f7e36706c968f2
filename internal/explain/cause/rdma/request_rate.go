package rdma

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

const (
	// largerRequests is the factor between two sizes from which on their request rates can be compared.
	largerRequests = 2
	// sameRequests is the share of the request rate that must remain at the larger size, for the cost to be that of the
	// requests and not of their bytes.
	sameRequests = 0.6
)

// RequestRate is the cause where the cost of a request (the thread that posts it, the NIC that executes it, its
// completion) limits small requests, not their bytes. The same experiment with larger requests proves it: about as many
// requests per second, and so much more goodput.
var RequestRate = judge.Cause{
	ID: "rdma-request-rate", Title: "the number of requests a second", Applies: judge.RDMA,
	Test: func(c *judge.Case) *judge.Match {
		size := RequestSize(c)
		if size <= 0 || c.Share() >= judge.AtCeiling {
			return nil
		}
		perSecond := c.Goodput / 8 / float64(size)
		var next, best *judge.Step // the nearest larger size, and the one with the most goodput
		for _, s := range c.StepsBy("size") {
			other := RequestSize(s.Case)
			if other >= largerRequests*size && (next == nil || other < RequestSize(next.Case)) {
				next = s
			}
			if other > size && (best == nil || s.Case.Goodput > best.Case.Goodput) {
				best = s
			}
		}
		if next == nil {
			return nil
		}
		other := RequestSize(next.Case)
		there := next.Case.Goodput / 8 / float64(other)
		if there < sameRequests*perSecond {
			return nil
		}
		m := c.Candidate("the requests: what each costs", "is held back by the number of its requests: %s a second of %v "+
			"each, and %s of %v: what a request costs counts, and not its bytes.", amount(perSecond), size, amount(there), other)
		m.Likely(record.Evidence{Host: c.Sender.Host, Source: "the experiment", Counter: "requests", After: &perSecond,
			Unit: "requests/s", Text: fmt.Sprintf("%s requests a second of %v, in %d pairs", amount(perSecond), size, Pairs(c))},
			next.Evidence(c))
		m.Fix = fmt.Sprintf("larger requests: %v carry %s; else more pairs (pairs: %d), and more requests to one doorbell "+
			"and one completion (batch, signal)", RequestSize(best.Case), judge.Rate(best.Case.Goodput), 2*Pairs(c))
		m.NextCeiling = best.Case.NextCeiling("")
		m.Proves(perSecond, there, fmt.Sprintf("%s requests a second of %v", amount(perSecond), size), fmt.Sprintf("%s of %v",
			amount(there), other))
		return m
	},
}

// amount formats a count: 20.9 thousand.
func amount(v float64) string {
	switch {
	case v >= 1e6:
		return unit.Significant(v/1e6) + " million"
	case v >= 1e4:
		return unit.Significant(v/1e3) + " thousand"
	}
	return unit.Significant(v)
}
