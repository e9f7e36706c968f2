package explain

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
)

// atCeiling is how near to the lowest ceiling goodput must come for the ceiling
// to be the answer.
const atCeiling = 0.97

// link: goodput is within 3 % of what the wire carries. Nothing is wrong.
var link = Cause{
	ID: "link", Title: "the link", RDMA: true,
	Test: func(c *Case) *Match {
		together, bothFull := c.bothAtCeiling()
		if c.Ceiling <= 0 || c.Share() < atCeiling && !bothFull {
			return nil
		}
		hop := c.Chain.Lowest()
		if hop == nil || hop.Kind != "cable" && hop.Kind != "port" && hop.Kind != path.Streams && !c.labLink(hop) {
			return nil
		}
		d, ok := closes(c.Goodput, c.Ceiling)
		s := Likely
		if ok {
			s = Proved
		}
		m := &Match{
			Strength: s, Component: hop.Component,
			Sentence: fmt.Sprintf("%s carries %s, %s of what %s allows: the link is full.", c.subject(), rate(c.Goodput), unit.Percent(c.Share()), hop.Component),
			Evidence: []record.Evidence{{Host: c.Receiver.Host, Source: "receiver's bytes", Counter: "goodput", After: ptr(c.Goodput), Unit: "bit/s",
				Text: fmt.Sprintf("goodput %s of a ceiling of %s (%s)", rate(c.Goodput), rate(c.Ceiling), hop.Formula)}},
			Identity:    &record.Identity{Left: "goodput " + rate(c.Goodput), Right: "ceiling " + rate(c.Ceiling), Difference: d},
			NextCeiling: "a faster link, or a second one",
		}
		if c.labLink(hop) {
			m.Sentence = fmt.Sprintf("%s carries %s, %s of what the lab's own shaper (%s) allows, which is the link's rate there: the link is full.", c.subject(), rate(c.Goodput), unit.Percent(c.Share()), hop.Component)
			m.NextCeiling = "a lab with a larger share of the planned rates (linerate lab up --scale), or with a faster link in its file"
		}
		if c.Share() < atCeiling {
			m.Sentence = strings.TrimSuffix(m.Sentence, ".") + fmt.Sprintf(", %s of both directions together.", unit.Percent(together))
		}
		if in := c.inPackets(); in != "" {
			m.Sentence = strings.TrimSuffix(m.Sentence, ".") + in + "."
			m.NextCeiling += c.atLargestMTU()
		}
		if hop.Kind == path.Streams {
			m.Sentence = fmt.Sprintf("%s carries %s, %s of what its connections can get: each of them goes over one cable of the bond, and those are full.", c.subject(), rate(c.Goodput), unit.Percent(c.Share()))
			m.NextCeiling = fmt.Sprintf("more connections, which may use the other cables as well: %s", c.nextCeiling(path.Streams))
		}
		return m
	},
}

// bothAtCeiling says whether both directions at once reach what the link carries in both, which is the rule for one alone, while the weaker, of which a
// case is, is within what an identity closes by. Share is that of both together.
func (c *Case) bothAtCeiling() (share float64, ok bool) {
	if c.Exp.Direction != "both" || c.Exp.Goodput == nil || c.Exp.Ceiling == nil || c.Exp.Ceiling.Limit <= 0 {
		return 0, false
	}
	share = c.Exp.Goodput.Median / float64(c.Exp.Ceiling.Limit)
	return share, share >= atCeiling && c.Share() >= 1-sameShare
}

// atLargestMTU says what the largest packets of RDMA would carry on the same wire; empty: they are that large, or it is not known.
func (c *Case) atLargestMTU() string {
	const largest = 4096
	have := c.pathMTU()
	if have <= 0 || have >= largest || c.rdmaLink() == "iwarp" {
		return ""
	}
	return fmt.Sprintf("; with packets of %d bytes (MTU 4200 and more on the way) %s", largest, rate(c.withPathMTU(largest)))
}
