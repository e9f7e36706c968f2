package address

import (
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// DuplicateSubnet is the cause where the bytes went over another interface because it is in the same subnet as the
// planned one, and its route comes first. It is tried before wrong-nic, which has the same evidence and a different
// fix.
var DuplicateSubnet = judge.Cause{
	ID: "duplicate-subnet", Title: "two interfaces in one subnet",
	Plain: "The machine chose another of its network connections than the one that this link was built for. What was " +
		"measured is that other way.",
	Applies: judge.IP,
	Test: func(c *judge.Case) *judge.Match {
		m := WrongNIC.Test(c)
		if m == nil || m.Strength < judge.Likely {
			return nil
		}
		for _, s := range []judge.Side{c.Sender, c.Receiver} {
			if s.Port == nil {
				continue
			}
			f := c.State("duplicate-subnet", s, s.Port.Interface)
			if f == nil {
				continue
			}
			for _, e := range f.Evidence {
				m.Add(record.Evidence{Host: e.Host, Source: e.Source, Counter: "interface", Text: e.Line})
			}
			m.Sentence += " Both are in one subnet: " + f.Consequence + "."
			m.FromCheck(s.Host, f)
			return m
		}
		return nil
	},
}
