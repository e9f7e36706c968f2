package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// mostOfCeiling is the share of a ceiling above which what was reckoned is not what is there.
const mostOfCeiling = 1.05

// storageAbove: more came than the lowest ceiling lets through. It is no cause, and says that the ceiling is not to be gone by.
var storageAbove = storageCause{
	ID: "above-ceiling", Title: "more than the lowest ceiling",
	Test: func(c *storageCase) *Match {
		if c.share == nil || *c.share <= mostOfCeiling {
			return nil
		}
		return &Match{Strength: Candidate, Sentence: fmt.Sprintf("%s came, %s of what %s was reckoned to let through: the plan, or how the data lies on its hosts, is not what is there", c.rate, unit.Percent(*c.share), c.e.Ceiling.Component)}
	},
}

// storageFull: what came is what the lowest ceiling lets through. A network that is full is full, wherever the data came from.
var storageFull = storageCause{
	ID: "link", Title: "the lowest ceiling",
	Test: func(c *storageCase) *Match {
		if c.share == nil || *c.share < fullShare || *c.share > mostOfCeiling {
			return nil
		}
		limit := unit.BytesPerSecond(float64(c.e.Ceiling.Limit) / 8)
		m := &Match{Strength: Proved, Component: c.e.Ceiling.Component, Sentence: fmt.Sprintf("%s reaches what %s allows: %s of %s.", c.what, c.e.Ceiling.Component, c.rate, limit),
			Identity: &record.Identity{Left: c.rate + " came", Right: limit + " are what " + c.e.Ceiling.Component + " lets through", Difference: max(0, 1-*c.share)}}
		if h := c.e.Ceiling.Lowest(); h != nil {
			m.Other = map[string]string{"drive": "media-limit", "layout": "media-limit", "pcie": "pcie", "shaper": "local-shaper"}[h.Kind]
			if h.Kind == "shaper" {
				m.Fix = "tc qdisc show, there; take it away where nobody needs it (tc qdisc del ..)"
			}
		}
		return m
	},
}
