package figures

import (
	"fmt"
	"math"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// Cause is an explanation of a figure by its chain alone.
type Cause = judge.CauseOf[*Claim]

// Causes returns the causes in the order in which they are tried. The first that applies is the verdict.
func Causes() []Cause {
	return []Cause{
		{ID: "bound", Title: "a bound alone", Applies: (*Claim).isBound, Test: (*Claim).bound},
		{ID: "layer-mixed", Title: "the name of a link", Applies: (*Claim).isFigure, Test: (*Claim).nameOfLink},
		{ID: "layer-mixed", Title: "frames in place of data", Applies: (*Claim).isFigure, Test: (*Claim).countsFrames},
		{ID: record.LimiterAboveCeiling, Title: "above the ceiling", Applies: (*Claim).isFigure, Test: (*Claim).above},
		{ID: "pcie", Title: "the bus", Applies: (*Claim).isFigure, Test: (*Claim).fillsBus},
		{ID: record.LimiterLink, Title: "the ceiling", Applies: (*Claim).isFigure, Test: (*Claim).reached},
	}
}

// grouped is a figure with the other figures of its output.
type grouped struct {
	*Claim
	all    []*Claim
	cost   claimCost // cost of a packet and a byte, from two of them
	fitted bool      // whether there is a cost
}

// GroupCause is an explanation of a figure that its ceiling does not explain, by the other figures and the tool's
// output about itself.
type GroupCause = judge.CauseOf[*grouped]

// GroupCauses returns the causes in the order in which they are tried.
func GroupCauses() []GroupCause {
	return []GroupCause{
		{ID: "tool-single-thread", Title: "a thread of the tool", Test: (*grouped).thread},
		{ID: record.LimiterOneConnection, Title: "too few requests at once", Test: (*grouped).queue},
	}
}

// share returns the rate as a share of the ceiling.
func (c *Claim) share() float64 { return float64(c.Rate / c.Chain.Limit) }

// isBound reports whether a figure is only an upper bound ("less than").
func (c *Claim) isBound() bool { return c.LessThan }

func (c *Claim) isFigure() bool { return !c.LessThan }

// judge compares a figure with its own chain.
func (c *Claim) judge(causes []Cause) *record.Verdict {
	limit, low := c.Chain.Limit, c.lowest()
	share := c.share()
	if !c.hasCeiling() || c.Stalled != "" {
		return c.alone()
	}
	v := &record.Verdict{Evidence: []record.Evidence{
		c.evidence("rate", float64(c.Rate), "bit/s", c.Line), c.evidence("ceiling", float64(limit), "bit/s",
			ceilingOf(low))}}
	if c.LessThan {
		v.Evidence[0].Text = "less than " + c.Rate.String()
	} else {
		v.ShareOfCeiling = new(share)
		v.Identity = &record.Identity{Left: "figure " + c.Rate.String(), Right: "ceiling " + limit.String(),
			Difference: math.Abs(share-1) / max(share, 1)}
		if c.Meant != "" {
			v.Evidence[0].Text += " (" + c.Meant + ")"
		}
	}
	if d := judge.Judge(c, len(v.Evidence), causes, judge.OwnSentence); d.Match != nil {
		d.Conclude(v)
		return v
	}
	v.Limiter, v.Component = record.LimiterUnexplained, c.Chain.Component
	if c.LessThan {
		v.Sentence = fmt.Sprintf("%s allows %v. Less than %v does not show why it is not more.",
			capital(c.component()), limit,
			c.Rate)
		v.NextExperiment = c.next()
		return v
	}
	v.Sentence = fmt.Sprintf("%s is %s of the maximum of %s (%s). One number cannot show why.",
		c.amount(c.Rate), unit.Percent(share), c.component(), c.amount(limit))
	if t, ok := c.Latency.Get(); ok && c.OneByOne {
		wire := float64(c.Block) * 8 / float64(limit)
		v.Sentence = fmt.Sprintf("A message of %v takes %s. %s needs %s of it, and adapters, buses, switches and programs "+
			"the rest.", c.Block, unit.Seconds(t), capital(c.component()), unit.Seconds(wire))
	}
	if low.Kind == "pcie" && c.least > 0 && c.Rate >= c.least*0.8 {
		v.Candidates = append(v.Candidates, record.Candidate{Limiter: "pcie", Text: fmt.Sprintf("%s of the %v that %s "+
			"carries with a MaxPayload of 128 bytes; descriptors and doorbells, which the formula does not count, take some "+
			"of it",
			unit.Percent(float64(c.Rate/c.least)), c.least, c.Chain.Component)})
	}
	if low.Kind == "drive" && strings.HasPrefix(c.asked.Drive, "sa") && share >= 0.88 {
		v.Candidates = append(v.Candidates, record.Candidate{Limiter: "drive",
			Text: "drives get some 90 % through a SATA or SAS lane"})
	}
	return v
}

// alone judges a figure without a ceiling, as far as its sentence.
func (c *Claim) alone() *record.Verdict {
	v := &record.Verdict{Limiter: record.LimiterUnexplained,
		Evidence: []record.Evidence{c.evidence("rate", float64(c.Rate), "bit/s", c.Line)}}
	if c.Meant != "" {
		v.Evidence[0].Text += " (" + c.Meant + ")"
	}
	v.Sentence = fmt.Sprintf("%s was measured. The maximum is unknown.", c.amount(c.Rate))
	if t, ok := c.Latency.Get(); ok && c.OneByOne {
		v.Sentence = fmt.Sprintf("A message of %v takes %s.", c.Block, unit.Seconds(t))
	}
	v.NextExperiment = c.next()
	return v
}

// onLoopback judges a figure of a machine that was connected to itself. No ceiling of a link holds for it.
func (c *Claim) onLoopback() *record.Verdict {
	return &record.Verdict{Limiter: record.LimiterUnexplained,
		Sentence: fmt.Sprintf("This is loopback: %s is the machine itself. %s says nothing about a link.", c.Loopback,
			c.amount(c.Rate)),
		Evidence:       []record.Evidence{c.evidence("rate", float64(c.Rate), "bit/s", c.Line)},
		Candidates:     []record.Candidate{},
		Unknown:        []string{},
		NextExperiment: "linerate quick HOST   with the other machine's address on the link"}
}

// match returns a match for the chain's lowest ceiling.
func (c *Claim) match(strength judge.Strength, format string, args ...any) *judge.Match {
	return &judge.Match{Strength: strength, Component: c.Chain.Component, Sentence: fmt.Sprintf(format, args...)}
}

// bound matches an upper bound that is above the ceiling.
func (c *Claim) bound() *judge.Match {
	limit, low := c.Chain.Limit, c.lowest()
	if max(limit, c.most) > c.Rate {
		return nil
	}
	m := c.match(judge.Likely, "%v was impossible: %s allows at most %v.", c.Rate, c.component(), limit)
	if c.most > limit {
		m.Sentence = fmt.Sprintf("%v was impossible: %s allows at most %v (%v with the largest packets of the bus).",
			c.Rate, c.component(), limit, c.most)
	}
	m.Limiter = c.named()
	m.Evidence = append(m.Evidence, c.evidence("next ceiling", float64(c.Rate), "bit/s",
		"nothing else on the path is below it: next is "+c.after()))
	m.NextCeiling = c.after()
	if low.Kind == "pcie" {
		m.Fix = pcieFix
	}
	return m
}
