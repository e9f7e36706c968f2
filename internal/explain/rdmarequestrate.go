package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

const (
	// largerRequests is how many times as large another size has to be for the number of requests at both to say something.
	largerRequests = 2
	// sameRequests is the part of the requests a second that has to be left at the larger size: what they cost is then theirs and not their bytes'.
	sameRequests = 0.6
)

// rdmaRequestRate: what a request costs (the thread that posts it, the card that works it off, its completion) holds small ones back, and not the
// bytes in them. What proves it is the same experiment with larger ones: about as many requests a second, and so much more goodput.
var rdmaRequestRate = Cause{
	ID: "rdma-request-rate", Title: "the number of requests a second", Transport: "rdma",
	Test: func(c *Case) *Match {
		size := c.requestSize()
		if size <= 0 || c.Share() >= atCeiling {
			return nil
		}
		perSecond := c.Goodput / 8 / float64(size)
		var next, best *step // the nearest larger size, and the one that carries most
		for _, s := range c.allBy("size") {
			other := s.c.requestSize()
			if other >= largerRequests*size && (next == nil || other < next.c.requestSize()) {
				next = s
			}
			if other > size && (best == nil || s.c.Goodput > best.c.Goodput) {
				best = s
			}
		}
		if next == nil {
			return nil
		}
		other := next.c.requestSize()
		there := next.c.Goodput / 8 / float64(other)
		if there < sameRequests*perSecond {
			return nil
		}
		m := &Match{
			Strength: Likely, Component: "the requests: what each costs",
			Sentence: fmt.Sprintf("%s is held back by the number of its requests: %s a second of %v each, and %s of %v: what a request costs counts, and not its bytes.", c.subject(), amount(perSecond), size, amount(there), other),
			Evidence: []record.Evidence{
				{Host: c.Sender.Host, Source: "the experiment", Counter: "requests", After: &perSecond, Unit: "requests/s", Text: fmt.Sprintf("%s requests a second of %v, in %d pairs", amount(perSecond), size, c.pairs())},
				next.evidence(c)},
			Fix:         fmt.Sprintf("larger requests: %v carry %s; else more pairs (pairs: %d), and more requests to one doorbell and one completion (batch, signal)", best.c.requestSize(), rate(best.c.Goodput), 2*c.pairs()),
			NextCeiling: best.c.nextCeiling(""),
		}
		if d, ok := closes(perSecond, there); ok {
			m.Strength = Proved
			m.Identity = &record.Identity{Left: fmt.Sprintf("%s requests a second of %v", amount(perSecond), size), Right: fmt.Sprintf("%s of %v", amount(there), other), Difference: d}
		}
		return m
	},
}

// amount prints a number of things: 20.9 thousand.
func amount(v float64) string {
	switch {
	case v >= 1e6:
		return unit.Significant(v/1e6) + " million"
	case v >= 1e4:
		return unit.Significant(v/1e3) + " thousand"
	}
	return unit.Significant(v)
}
