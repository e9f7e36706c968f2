package address

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// MemberDown is the cause where a bond has lost a member, and the remaining members are full. The ceiling is that of
// the members in use.
var MemberDown = judge.Cause{
	ID: "lag-member-down", Title: "a bond that has lost a member",
	Plain: "Several cables are joined to one here, and one of them is out. The others are full with what it should " +
		"carry.",
	Applies: judge.IP,
	Test: func(c *judge.Case) *judge.Match {
		one, n := member(c)
		if n == 0 || c.Share() < judge.AtCeiling || c.Plan == nil {
			return nil
		}
		for _, side := range []judge.Side{c.Sender, c.Receiver} {
			b := bond(side)
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
				return withoutMember(c, side, member.Name, member.Up, member.Line, member.Source, one, n, len(planned.Links))
			}
		}
		return nil
	},
}

func withoutMember(c *judge.Case, side judge.Side, name string, up bool, line, source string, one float64, n,
	planned int) *judge.Match {
	nic := side.Port.Interface
	m := c.Candidate(fmt.Sprintf("%s: %s of bond %s", side.Host, name, nic), "fills what is left of bond %s: %s of %s "+
		"has no link, and %d of %d cables carry all.", nic, name, side.Host, n, planned)
	m.Add(record.Evidence{Host: side.Host, Source: source, Counter: "MII Status", Text: name + " of bond " + nic + ": " +
		line})
	m.Fix = fmt.Sprintf("ethtool %s\nif it says that no link is detected: look at the cable, at both of its ends; if "+
		"the port is switched off there or here:\nip link set %[1]s up", name)
	m.Undo = "ip link set " + name + " down"
	m.NextCeiling = fmt.Sprintf("all %d cables of the bond, at %s", planned, judge.Rate(one*float64(planned)))
	if up {
		m.Sentence = fmt.Sprintf("%s fills what is left of bond %s: the other end has not taken %s of %s into the group, "+
			"and %d of %d cables carry all.", c.Subject(), nic, name, side.Host, n, planned)
		m.Undo = judge.NoSettingChanged
		m.Fix = fmt.Sprintf("see that both ends of the cable of %s belong to the same bond and speak LACP, and that it "+
			"ends at the same switch as the others", name)
	}
	sent, why0 := side.DeltaOn(name, "tx_bytes")
	taken, why1 := side.DeltaOn(name, "rx_bytes")
	if why0 == "" && why1 == "" && sent.Gross+taken.Gross <= idleMember*c.IntervalBytes() {
		m.Likely(NicEvidence(side, name, "tx_bytes", side.Shots.Before, side.Shots.After, fmt.Sprintf("%s sent %.0f bytes "+
			"and received %.0f during the experiment", name, sent.Gross, taken.Gross)))
		m.Proves(c.Goodput, one*float64(n), "goodput "+judge.Rate(c.Goodput), fmt.Sprintf("%s of the bond, full: %s",
			unit.Counted(n, "member"), judge.Rate(one*float64(n))))
	}
	return m
}
