package explain

import (
	"fmt"

	"linerate/internal/record"
)

// memberDown: a bond has lost a member, and what is left of it is full. The ceiling is that of the members in use.
var memberDown = Cause{
	ID: "lag-member-down", Title: "a bond that has lost a member",
	Test: func(c *Case) *Match {
		one, n := c.member()
		if n == 0 || c.Share() < atCeiling || c.Plan == nil {
			return nil
		}
		for _, side := range []Side{c.Sender, c.Receiver} {
			b := side.bond()
			if b == nil || side.Port == nil || !b.Spreads() {
				continue
			}
			planned := c.Plan.Bundle(side.Port)
			if planned == nil || min(len(planned.Links), len(c.Streams)) <= n {
				continue
			}
			for _, member := range b.Members {
				if b.Carries(member) {
					continue
				}
				return c.withoutMember(side, member.Name, member.Up, member.Line, member.Source, one, n, len(planned.Links))
			}
		}
		return nil
	},
}

func (c *Case) withoutMember(side Side, name string, up bool, line, source string, one float64, n, planned int) *Match {
	nic := side.Port.Interface
	m := &Match{
		Strength: Candidate, Component: fmt.Sprintf("%s: %s of bond %s", side.Host, name, nic),
		Sentence: fmt.Sprintf("%s fills what is left of bond %s: %s of %s has no link, and %d of %d cables carry all.", c.subject(), nic, name, side.Host, n, planned),
		Evidence: []record.Evidence{{Host: side.Host, Source: source, Counter: "MII Status", Text: name + " of bond " + nic + ": " + line}},
		Fix:      fmt.Sprintf("ethtool %s\nif it says that no link is detected: look at the cable, at both of its ends; if the port is switched off there or here:\nip link set %[1]s up", name), Undo: "ip link set " + name + " down",
		NextCeiling: fmt.Sprintf("all %d cables of the bond, at %s", planned, rate(one*float64(planned))),
	}
	if up {
		m.Sentence = fmt.Sprintf("%s fills what is left of bond %s: the other end has not taken %s of %s into the group, and %d of %d cables carry all.", c.subject(), nic, name, side.Host, n, planned)
		m.Undo = nothingSet
		m.Fix = fmt.Sprintf("see that both ends of the cable of %s belong to the same bond and speak LACP, and that it ends at the same switch as the others", name)
	}
	sent, why0 := side.deltaOn(name, "tx_bytes")
	taken, why1 := side.deltaOn(name, "rx_bytes")
	if why0 == "" && why1 == "" && sent.Gross+taken.Gross <= idleMember*c.windowBytes() {
		m.Strength = Likely
		m.Evidence = append(m.Evidence, nicEvidence(side, name, "tx_bytes", side.Shots.Before, side.Shots.After, fmt.Sprintf("%s sent %.0f bytes and received %.0f during the experiment", name, sent.Gross, taken.Gross)))
		if d, near := closes(c.Goodput, one*float64(n)); near {
			m.Strength = Proved
			m.Identity = &record.Identity{Left: "goodput " + rate(c.Goodput), Right: fmt.Sprintf("%s of the bond, full: %s", plural(n, "member"), rate(one*float64(n))), Difference: d}
		}
	}
	return m
}
