package cause

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/explain/cause/rdma"
	"linerate/internal/explain/judge"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
)

// Link is the verdict on a goodput within 3 % of the link's ceiling. Nothing is wrong.
var Link = judge.Cause{
	ID: "link", Title: "the link", Label: "the link",
	Plain: "The cable and its ports are full. That is what they are for: nothing is wrong.",
	Test: func(c *judge.Case) *judge.Match {
		together, bothFull := bothAtCeiling(c)
		if c.Ceiling <= 0 || c.Share() < judge.AtCeiling && !bothFull {
			return nil
		}
		hop := c.Chain.Lowest()
		if hop == nil || hop.Kind != "cable" && hop.Kind != "port" && hop.Kind != path.Streams && !labLink(c, hop) {
			return nil
		}
		d, ok := judge.Matches(c.Goodput, c.Ceiling)
		s := judge.Likely
		if ok {
			s = judge.Proved
		}
		m := c.Candidate(hop.Component, "carries %s, %s of what %s allows: the link is full.", judge.Rate(c.Goodput),
			unit.Percent(c.Share()), hop.Component)
		m.Add(judge.Reading(c.Receiver.Host, "receiver's bytes", "goodput", c.Goodput, "bit/s", "goodput %s of a ceiling "+
			"of %s (%s)", judge.Rate(c.Goodput), judge.Rate(c.Ceiling), hop.Formula))
		m.Strength = s
		m.Identity = &record.Identity{Left: "goodput " + judge.Rate(c.Goodput), Right: "ceiling " + judge.Rate(c.Ceiling),
			Difference: d}
		m.NextCeiling = "a faster link, or a second one"
		if labLink(c, hop) {
			m.Sentence = fmt.Sprintf("%s carries %s, %s of what the lab's own shaper (%s) allows, which is the link's rate "+
				"there: the link is full.", c.Subject(), judge.Rate(c.Goodput), unit.Percent(c.Share()), hop.Component)
			m.NextCeiling = "a lab with a larger share of the planned rates (linerate lab up --scale), or with a faster link " +
				"in its file"
		}
		if c.Share() < judge.AtCeiling {
			m.Sentence = strings.TrimSuffix(m.Sentence, ".") + fmt.Sprintf(", %s of both directions together.",
				unit.Percent(together))
		}
		if in := rdma.InPackets(c); in != "" {
			m.Sentence = strings.TrimSuffix(m.Sentence, ".") + in + "."
			m.NextCeiling += atLargestMTU(c)
		}
		if hop.Kind == path.Streams {
			m.Sentence = fmt.Sprintf("%s carries %s, %s of what its connections can get: each of them goes over one cable of "+
				"the bond, and those are full.", c.Subject(), judge.Rate(c.Goodput), unit.Percent(c.Share()))
			m.NextCeiling = fmt.Sprintf("more connections, which may use the other cables as well: %s",
				c.NextCeiling(path.Streams))
		}
		return m
	},
}

// bothAtCeiling reports whether both directions at once reach the link's ceiling for both, within the tolerance for one
// direction, while the weaker one, which the case is about, is within the tolerance of an identity. share is that of
// both together.
func bothAtCeiling(c *judge.Case) (share float64, ok bool) {
	if c.Exp.Direction != "both" || c.Exp.Goodput == nil || c.Exp.Ceiling == nil || c.Exp.Ceiling.Limit <= 0 {
		return 0, false
	}
	share = c.Exp.Goodput.Median / float64(c.Exp.Ceiling.Limit)
	return share, share >= judge.AtCeiling && c.Share() >= 1-judge.AccountTolerance
}

// atLargestMTU returns a note about the goodput with the largest packets of RDMA on the same link; empty: they are that
// large, or it is not known.
func atLargestMTU(c *judge.Case) string {
	const largest = 4096
	have := rdma.PathMTU(c)
	if have <= 0 || have >= largest || rdma.Link(c) == "iwarp" {
		return ""
	}
	return fmt.Sprintf("; with packets of %d bytes (MTU 4200 and more on the way) %s", largest,
		judge.Rate(rdma.WithPathMTU(c, largest)))
}
