package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// full is the share of a core from which on it has no time left for more packets.
const full = 0.85

// firewallCost: each packet meets so many rules that a core is full of them. How many are too many is said by the check.
var firewallCost = Cause{
	ID: "firewall-cost", Title: "firewall rules",
	Test: func(c *Case) *Match {
		for _, s := range []Side{c.Receiver, c.Sender} {
			f := c.state("firewall-cost", s, "")
			if f == nil {
				continue
			}
			rules, _ := s.Shots.After.Firewall.Get()
			most := rules.Most()
			m := &Match{
				Strength: Candidate, Component: s.Host + ": firewall",
				Sentence: fmt.Sprintf("%s is held back by the firewall of %s: each packet meets up to %d rules, one after another.", c.subject(), s.Host, most.Rules),
				Evidence: []record.Evidence{{Host: s.Host, Source: f.Evidence[0].Source, Counter: "rules", After: ptr(float64(most.Rules)), Unit: "rules", Text: f.Evidence[0].Line}},
				Fix: "keep the rules as they are now, then let packets of connections that stand already pass first:\n" +
					"on " + s.Host + ": nft list ruleset > rules.nft\n" +
					"on " + s.Host + ": nft insert rule " + most.Name() + " ct state established,related accept\n" +
					"addresses and ports in one rule with a set cost as much as one (nft add set ..)", Undo: "on " + s.Host + ": nft flush ruleset && nft -f rules.nft",
				NextCeiling: c.nextCeiling(""),
			}
			if core, used, known := c.busiestCore(s.Host); known && used >= full {
				m.Strength = Likely
				m.Evidence = append(m.Evidence, record.Evidence{Host: s.Host, Source: "/proc/stat", Counter: fmt.Sprintf("cpu%d", core), After: ptr(used), Unit: "share of a core",
					Text: fmt.Sprintf("core %d of %s is %s busy", core, s.Host, unit.Percent(used))})
			}
			return m
		}
		return nil
	},
}
