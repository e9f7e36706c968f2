package address

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// idleMember is the largest share of a bond's bytes on a member without a stream, which carries only LACP and ARP.
const idleMember = 0.05

// HashPolarisation is the cause where the streams of the experiment use fewer members of a bond than they could,
// because the hashed fields are the same in all of their packets (Linux: Documentation/networking/bonding.rst,
// xmit_hash_policy), or hash to the same member by chance. The identity compares goodput with the ceiling of those
// members.
var HashPolarisation = judge.Cause{
	ID: "hash-polarisation", Title: "a bond that uses too few of its members",
	Plain: "Several cables are joined to one here, and each connection goes over one of them. All of these chose the " +
		"same one, and the others have nothing to do.",
	Applies: judge.IP,
	Test: func(c *judge.Case) *judge.Match {
		_, n := member(c)
		if c.Repeat == nil || n < 2 || len(c.Streams) < 2 || c.Share() >= judge.AtCeiling {
			return nil
		}
		if m := polarised(c, c.Sender, "tx_bytes"); m != nil {
			return m
		}
		return polarised(c, c.Receiver, "rx_bytes")
	},
}

// polarised tests one end, by its counter of the bytes that the bond sent or received.
func polarised(c *judge.Case, side judge.Side, counter string) *judge.Match {
	one, n := member(c)
	b := bond(side)
	if b == nil || !b.Spreads() {
		return nil
	}
	loads, total := loads(side, b, counter), 0.0
	for _, l := range loads {
		total += l.Bytes
	}
	if moved := c.IntervalBytes(); moved <= 0 || total < 0.5*moved {
		return nil
	}
	var busy, idle []string
	for _, l := range loads {
		switch {
		case l.Bytes > idleMember*total:
			busy = append(busy, l.Name)
		case l.InUse:
			idle = append(idle, l.Name)
		}
	}
	full := one * float64(len(busy))
	if len(busy) >= min(n, len(c.Streams)) || len(idle) == 0 || c.Goodput < 0.9*full {
		return nil
	}
	nic := side.Port.Interface
	m := &judge.Match{Strength: judge.Likely, Component: fmt.Sprintf("%s: bond %s", side.Host, nic),
		NextCeiling: c.NextCeiling("")}
	way := map[string]string{"tx_bytes": "sent", "rx_bytes": "received"}[counter]
	for _, l := range loads {
		m.Add(NicEvidence(side, l.Name, counter, side.Shots.Before, side.Shots.After, fmt.Sprintf("%s of bond %s %s %s",
			l.Name, nic, way, unit.Bytes(l.Bytes))))
	}
	d, near := judge.Matches(c.Goodput, full)
	m.Identity = &record.Identity{Left: "goodput " + judge.Rate(c.Goodput),
		Right: fmt.Sprintf("%s of the bond, full: %s", unit.Counted(len(busy), "member"), judge.Rate(full)), Difference: d}
	if near {
		m.Strength = judge.Proved
	}
	what := fmt.Sprintf("%s goes over %s of bond %s alone, and %s is idle:", c.Subject(), strings.Join(busy, " and "),
		nic, strings.Join(idle, " and "))
	f := c.State("hash-polarisation", side, nic)
	switch hash := b.Hash.Or(""); {
	case counter == "rx_bytes":
		m.Sentence = what + " that is what the other end, or the switch there, chose."
		m.Fix, m.Undo = "have the switch, or the bond at the other end, choose the member of a packet by addresses and "+
			"ports (layer 3 and 4)", "the way in which it chose before"
	case f != nil:
		m.Sentence = fmt.Sprintf("%s %s chooses a member by what is the same in all packets between these two (%s).", what,
			side.Host, hash)
		m.Add(judge.FindingEvidence(f, "xmit_hash_policy")...)
		m.FromCheck(side.Host, f)
	default:
		m.Fix, m.Undo = "more connections, which spread better: "+c.With("streams", fmt.Sprint(4*len(c.Streams))),
			judge.NoSettingChanged
		switch {
		case strings.Contains(hash, "3+4"):
			m.Sentence = fmt.Sprintf("%s the ports of these connections happen to give all of them to the same.", what)
		case hash != "":
			m.Sentence = fmt.Sprintf("%s %s chooses a member by %s.", what, side.Host, hash)
		default:
			m.Sentence = fmt.Sprintf("%s what %s chooses a member by is not known (%s).", what, side.Host, b.Hash.Why())
			m.Fix = "have it choose by addresses and ports (FreeBSD: ifconfig " + nic +
				" lagghash l2,l3,l4), if it does not yet; " + m.Fix
			return m
		}
		m.Add(record.Evidence{Host: side.Host, Source: b.HashProof.Source, Counter: "xmit_hash_policy",
			Text: b.HashProof.Line})
	}
	return m
}
