package figures

import (
	"fmt"
	"math"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// underWay returns the number of requests in flight, and the rate that follows from their latency: 8 x depth x block /
// latency.
func (c *Claim) underWay() (asked float64, rate unit.BitRate, ok bool) {
	depth, ok1 := c.Depth.Get()
	threads := c.Threads.Or(1)
	if !ok1 {
		return 0, 0, false
	}
	asked = float64(depth) * float64(threads)
	if l, ok := c.Latency.Get(); ok && c.Block > 0 && l > 0 {
		rate = unit.BitRate(8 * asked * float64(c.Block) / l)
	}
	return asked, rate, true
}

// inFlight compares the requests in flight and their latency with the rate (Little's law), and records both numbers. It
// omits tools whose time is not that of a request (RDMA's latency tools).
func (c *Claim) inFlight() {
	asked, want, ok := c.underWay()
	if !ok || want <= 0 || c.OneByOne {
		return
	}
	latency := c.Latency.Or(0)
	d := math.Abs(float64(want-c.Rate)) / math.Max(float64(want), float64(c.Rate))
	v := c.Verdict
	v.Identity = &record.Identity{Left: fmt.Sprintf("%.0f x %v / %s = %v", asked, c.Block, unit.Seconds(latency), want),
		Right: "measured " + c.Rate.String(), Difference: d}
	mean := float64(c.Rate) / 8 / float64(c.Block) * latency
	text := fmt.Sprintf("%s, %s each, make %s; %s was measured (%s)", c.requests(asked), unit.Seconds(latency),
		want.BytesPerSecond(), c.Rate.BytesPerSecond(), unit.Apart(d))
	if d > 0.05 {
		text += fmt.Sprintf(": of %.0f requests %s were in flight on average", asked, unit.Significant(mean))
	}
	v.Evidence = append(v.Evidence, c.evidence("under way", mean, "requests", text))
}

// requests describes the number and the size of the requests in flight.
func (c *Claim) requests(n float64) string {
	if n == 1 {
		return fmt.Sprintf("one request of %v at a time", c.Block)
	}
	return fmt.Sprintf("%.0f requests of %v in parallel", n, c.Block)
}

// queue matches a figure that more requests in flight would have raised, according to the other rows of the output.
func (g *grouped) queue() *judge.Match {
	c := g.Claim
	asked, _, ok := c.underWay()
	v := c.Verdict
	if !ok || c.Way == "" || c.Block == 0 {
		return nil
	}
	var more *Claim
	for _, o := range g.all {
		n, _, ok := o.underWay()
		if o == c || !ok || o.Tool != c.Tool || o.Way != c.Way || o.Block != c.Block || o.Pattern != c.Pattern ||
			c.Pattern == "" || n <= asked {
			continue
		}
		if more == nil || o.Rate > more.Rate {
			more = o
		}
	}
	per := c.requests(asked)
	switch {
	case more != nil && more.Rate >= c.Rate*1.1:
		n, _, _ := more.underWay()
		return &judge.Match{
			Strength: judge.Proved, Component: "requests under way",
			Sentence: fmt.Sprintf("Too few requests in parallel: %s (%s). More in parallel carry more.", c.ofMaximum(), per),
			Evidence: []record.Evidence{more.evidence("rate", float64(more.Rate), "bit/s",
				fmt.Sprintf("with %.0f in parallel it was %s: %s times as much", n, more.Rate.BytesPerSecond(),
					unit.Significant(float64(more.Rate/c.Rate))))},
			Fix: "more requests in parallel (a deeper queue, more threads), larger requests, or a shorter time of " +
				"each",
			NextCeiling: fmt.Sprintf("%.0f requests in parallel: %s", n, more.Rate.BytesPerSecond()),
		}
	case more != nil:
		n, _, _ := more.underWay()
		return perhaps("media-limit",
			"with %.0f requests in parallel it was not more (%s): the drive is full, or the CPU that sends them", n,
			more.Rate.BytesPerSecond())
	case c.Latency.IsKnown() && v.Identity != nil && v.Identity.Difference <= 0.05 && asked <= 32:
		return perhaps("", "%s, %s each: the queue was always full, so more in parallel may carry more", per,
			unit.Seconds(c.Latency.Or(0)))
	case asked <= 1:
		return perhaps("", "%s: each waits for the previous one", per)
	}
	return nil
}

// perhaps returns a candidate. An empty limiter is that of its cause.
func perhaps(limiter, format string, args ...any) *judge.Match {
	return &judge.Match{Strength: judge.Candidate, Limiter: limiter, Sentence: fmt.Sprintf(format, args...)}
}
