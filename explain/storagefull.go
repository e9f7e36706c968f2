package explain

import (
	"fmt"

	"linerate/result"
	"linerate/unit"
)

// storageFull: what came is what the lowest ceiling lets through. A network that is full is full, wherever the data came from.
var storageFull = storageCause{
	ID: "link", Title: "the lowest ceiling",
	Test: func(c *storageCase) *Match {
		if c.share == nil || *c.share < fullShare {
			return nil
		}
		limit := unit.BytesPerSecond(float64(c.e.Ceiling.Limit) / 8)
		m := &Match{Strength: Proved, Component: c.e.Ceiling.Component, Sentence: fmt.Sprintf("%s reaches what %s allows: %s of %s.", c.what, c.e.Ceiling.Component, c.rate, limit),
			Identity: &result.Identity{Left: c.rate + " came", Right: limit + " are what " + c.e.Ceiling.Component + " lets through", Difference: max(0, 1-*c.share)}}
		if h := c.e.Ceiling.Lowest(); h != nil {
			m.Other = map[string]string{"drive": "media-limit", "layout": "media-limit", "pcie": "pcie", "shaper": "local-shaper"}[h.Kind]
			if h.Kind == "shaper" {
				m.Fix = "tc qdisc show, there; take it away where nobody needs it (tc qdisc del ..)"
			}
		}
		return m
	},
}
