package cause

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// FirewallCost is the cause where each packet passes so many rules that they fill a core. The check knows how many are
// too many.
var FirewallCost = judge.Cause{
	ID: "firewall-cost", Title: "firewall rules",
	Plain:   "Every packet is compared with a long list of rules, one after another, and the CPU is busy with that.",
	Applies: judge.IP,
	Test: func(c *judge.Case) *judge.Match {
		for _, s := range []judge.Side{c.Receiver, c.Sender} {
			f := c.State("firewall-cost", s, "")
			if f == nil {
				continue
			}
			rules, _ := s.Shots.After.Firewall.Get()
			most := rules.Most()
			m := c.Candidate(s.Host+": firewall", "is held back by the firewall of %s: each packet meets up to %d rules, "+
				"one after another.", s.Host, most.Rules)
			m.Add(record.Evidence{Host: s.Host, Source: f.Evidence[0].Source, Counter: "rules", After: new(float64(most.Rules)),
				Unit: "rules", Text: f.Evidence[0].Line})
			m.Fix = "keep the rules as they are now, then let packets of existing connections pass first:\non " +
				s.Host + ": nft list ruleset > rules.nft\non " + s.Host + ": nft insert rule " + most.Name() +
				" ct state established,related accept\naddresses and ports in one rule with a set cost as much as one (nft " +
				"add set ..)"
			m.Undo = "on " + s.Host + ": nft flush ruleset && nft -f rules.nft"
			if core, used, known := c.BusiestCore(s.Host); known && used >= judge.CoreFull {
				m.Likely(judge.Reading(s.Host, "/proc/stat", fmt.Sprintf("cpu%d", core), used, "share of a core",
					"core %d of %s is %s busy", core, s.Host, unit.Percent(used)))
			}
			return m
		}
		return nil
	},
}
