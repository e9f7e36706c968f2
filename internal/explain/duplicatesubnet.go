package explain

import (
	"linerate/internal/record"
)

// duplicateSubnet: the bytes went over another interface because it is in the same subnet as the planned one, and its route
// comes first. It is asked before wrong-nic, which has the same evidence and another remedy.
var duplicateSubnet = Cause{
	ID: "duplicate-subnet", Title: "two interfaces in one subnet",
	Test: func(c *Case) *Match {
		m := wrongNIC.Test(c)
		if m == nil || m.Strength < Likely {
			return nil
		}
		for _, s := range []Side{c.Sender, c.Receiver} {
			if s.Port == nil {
				continue
			}
			f := c.state("duplicate-subnet", s, s.Port.Interface)
			if f == nil {
				continue
			}
			for _, e := range f.Evidence {
				m.Evidence = append(m.Evidence, record.Evidence{Host: e.Host, Source: e.Source, Counter: "interface", Text: e.Line})
			}
			m.Sentence += " Both are in one subnet: " + f.Consequence + "."
			m.Fix, m.Undo = fromCheck(s.Host, f.Fix), fromCheck(s.Host, f.Undo)
			return m
		}
		return nil
	},
}
