package storage

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// mostOfCeiling is the share of a ceiling above which the computed ceiling is wrong.
const mostOfCeiling = 1.05

// storageAbove is the entry for a rate above the lowest ceiling. It is not a cause, and reports that the ceiling is
// unreliable.
var storageAbove = Cause{
	ID: "above-ceiling", Title: "more than the lowest ceiling",
	Test: func(c *Case) *judge.Match {
		if c.share == nil || *c.share <= mostOfCeiling {
			return nil
		}
		return &judge.Match{Strength: judge.Candidate, Sentence: fmt.Sprintf("%s came, %s of what %s was reckoned to let "+
			"through: the plan, or how the data lies on its hosts, is not what is there", c.rate, unit.Percent(*c.share),
			c.e.Ceiling.Component)}
	},
}

// storageFull is the cause where the rate is at the lowest ceiling. A full network is the bottleneck wherever the data
// comes from.
var storageFull = Cause{
	ID: "link", Title: "the lowest ceiling",
	Test: func(c *Case) *judge.Match {
		if c.share == nil || *c.share < fullShare || *c.share > mostOfCeiling {
			return nil
		}
		limit := unit.BytesPerSecond(float64(c.e.Ceiling.Limit) / 8)
		m := &judge.Match{Strength: judge.Proved, Component: c.e.Ceiling.Component,
			Sentence: fmt.Sprintf("%s reaches what %s allows: %s of %s.", c.what, c.e.Ceiling.Component, c.rate, limit),
			Identity: &record.Identity{Left: c.rate + " came", Right: limit + " are what " + c.e.Ceiling.Component +
				" lets through", Difference: max(0, 1-*c.share)}}
		if h := c.e.Ceiling.Lowest(); h != nil {
			m.Limiter = map[string]string{"drive": "media-limit", "layout": "media-limit", "pcie": "pcie",
				"shaper": "local-shaper"}[h.Kind]
			if h.Kind == "shaper" {
				m.Fix = "tc qdisc show, there; remove it if it is not needed (tc qdisc del ..)"
			}
		}
		return m
	},
}
