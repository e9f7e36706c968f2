package figures

import (
	"fmt"
	"math"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/explain/judge"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
)

// claimCost is the cost of a packet and of a byte on one core, from two figures.
type claimCost struct {
	ceiling.Cost
	of [2]*Claim
}

// costOfClaims derives the cost of a packet and of a byte from two figures of one tool at two MTUs, neither of which a
// ceiling explains. With s bytes of payload a packet and a rate r, a packet takes 8 s / r = a + b s.
func costOfClaims(all []*Claim) (claimCost, bool) {
	var of []*Claim
	for _, c := range all {
		if c.segment <= 0 || c.LessThan || c.Rate <= 0 || c.Verdict.Limiter != record.LimiterUnexplained {
			continue
		}
		if len(of) > 0 && (of[0].Tool != c.Tool || of[0].transport.Name != c.transport.Name ||
			slices.ContainsFunc(of, func(o *Claim) bool { return o.segment == c.segment })) {
			return claimCost{}, false // it is not clear which of them belong together
		}
		of = append(of, c)
	}
	if len(of) != 2 {
		return claimCost{}, false
	}
	var payload, seconds [2]float64
	for i, c := range of {
		payload[i] = float64(c.segment)
		seconds[i] = 8 * payload[i] / float64(c.Rate)
	}
	b := (seconds[1] - seconds[0]) / (payload[1] - payload[0])
	a := seconds[0] - b*payload[0]
	return claimCost{ceiling.Cost{PerPacket: a, PerByte: b}, [2]*Claim{of[0], of[1]}}, a > 0 && b > 0 &&
		!math.IsInf(a/b, 0)
}

// thread matches a figure that one full thread of the tool limits. Equal streams within 1 % are one piece of evidence,
// a full core and costs that fit at two MTUs are others. With one stream, the match is about its packets.
func (g *grouped) thread() *judge.Match {
	c, cost, fitted := g.Claim, g.cost, g.fitted
	if fitted && !slices.Contains(cost.of[:], c) {
		return nil
	}
	one, known := c.OneThread.Get()
	pieces := 0
	var evidence []record.Evidence
	several := len(c.Streams) > 1
	if several && known && !one || c.Way != "" {
		return nil
	}
	with := []*Claim{c}
	if fitted {
		with = cost.of[:]
	}
	for _, of := range with { // one of two figures of a tool is enough
		if even := of.spread(); even <= 0.01 && pieces == 0 {
			pieces++
			evidence = append(evidence, of.evidence("streams", even, "share",
				fmt.Sprintf("the %d streams of %s are equal to %s: they share one thread", len(of.Streams), of.Name,
					unit.Percent(even))))
		}
	}
	for _, x := range []struct {
		who string
		cpu unit.Opt[float64]
	}{{"sender", c.SenderCPU}, {"receiver", c.ReceiverCPU}} {
		if cores, ok := x.cpu.Get(); ok && cores >= 0.95 && cores < 1.1 {
			pieces++
			evidence = append(evidence, c.evidence("cpu_utilization", cores, "cores",
				fmt.Sprintf("the process of the %s used %s of one core", x.who, unit.Percent(cores))))
		}
	}
	if fitted {
		pieces++
		a, b := cost.of[0], cost.of[1]
		rate := func(c *Claim) string { return unit.Count(float64(c.Rate) / 8 / float64(c.segment)) }
		evidence = append(evidence, c.evidence("cost", cost.PerPacket, "s", fmt.Sprintf("both MTUs fit one core that "+
			"spends %s on a packet and %s on a byte: %s packets a second at MTU %d, %s at %d",
			unit.Seconds(cost.PerPacket), unit.Seconds(cost.PerByte), rate(a), a.MTU, rate(b), b.MTU)))
		c.predict(cost)
	}
	limiter, component := "tool-single-thread", "one thread of "+c.Tool
	if !several {
		limiter, component = "cpu-per-packet", "one core"
	}
	if pieces < 2 {
		if pieces == 1 {
			return perhaps(limiter, "%s", evidence[0].Text)
		}
		return nil
	}
	n := max(2, len(c.Streams))
	m := &judge.Match{Strength: judge.Likely, Limiter: limiter, Component: component, Evidence: evidence}
	of := c.ofMaximum()
	m.Sentence = fmt.Sprintf("All %d streams of %s run in one thread, which is full at %s.", len(c.Streams), c.Tool,
		of)
	m.Fix = fmt.Sprintf("%s 3.16 or later, which has a thread a stream; or %d processes on ports of their own", c.Tool, n)
	if !several {
		m.Sentence = fmt.Sprintf("One core is full at %s.", of)
		m.Fix = fmt.Sprintf("larger packets (a larger MTU), offloads that put several into one, or %d processes on cores "+
			"of their own", n)
	}
	if fitted {
		m.Sentence += fmt.Sprintf(" Each packet costs %s. With larger packets it would carry %v at most.",
			unit.Seconds(cost.PerPacket), unit.BitRate(8/cost.PerByte))
		m.Unknown = append(m.Unknown,
			"whether there are cores, adapter queues and memory for more processes: these are the costs of "+
				"one thread",
			"how far the figures spread: each was measured once", "whether the sender or the receiver is full")
	}
	if !c.hasCeiling() {
		return m
	}
	m.NextCeiling = fmt.Sprintf("%d processes on cores of their own: %v, then %s at %v", n,
		min(c.Rate*unit.BitRate(n), c.Chain.Limit), c.Chain.Component, c.Chain.Limit)
	return m
}

// predict adds predictions for the same core at MTUs other than the two measured, and for more processes.
func (c *Claim) predict(cost claimCost) {
	for _, mtu := range []int{1500, 4000, 9000, 16000} {
		payload := c.segment + mtu - c.MTU
		limit := c.limit(func(a *path.Asked) { a.Frame.MTU, a.IO = mtu, 0 })
		p, err := ceiling.CPUCeiling(cost.Cost, float64(payload))
		if mtu == cost.of[0].MTU || mtu == cost.of[1].MTU || payload <= 0 || limit <= 0 || err != nil {
			continue
		}
		c.Predictions = append(c.Predictions, Prediction{If: fmt.Sprintf("MTU %d, the same thread", mtu),
			Rate: min(p.Rate, limit), Formula: p.Formula})
	}
	for _, n := range []int{2, 4, 8} {
		if !c.hasCeiling() {
			return
		}
		c.Predictions = append(c.Predictions, Prediction{If: fmt.Sprintf("%d processes on cores of their own", n),
			Rate: min(c.Rate*unit.BitRate(n), c.Chain.Limit), Formula: "rate x processes, at most the ceiling"})
		if c.Rate*unit.BitRate(n) >= c.Chain.Limit {
			break
		}
	}
}

// spread returns how much faster the fastest stream is than the slowest, as a share; infinite with fewer than two.
func (c *Claim) spread() float64 {
	if len(c.Streams) < 2 || slices.Min(c.Streams) <= 0 {
		return math.Inf(1)
	}
	return float64(slices.Max(c.Streams)/slices.Min(c.Streams)) - 1
}
