package explain

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// idleMember is the largest part of a bond's bytes that a member carries which carries no stream: what the bond says of itself (LACP), ARP.
const idleMember = 0.05

// hashPolarisation: the streams of the experiment go over fewer members of a bond than there are of both, because what the members are chosen by is the
// same in all of their packets (Linux: Documentation/networking/bonding.rst, xmit_hash_policy), or falls on the same member by chance. The
// identity is goodput against what those members carry.
var hashPolarisation = Cause{
	ID: "hash-polarisation", Title: "a bond that uses too few of its members",
	Test: func(c *Case) *Match {
		_, n := c.member()
		if c.Repeat == nil || n < 2 || len(c.Streams) < 2 || c.Share() >= atCeiling {
			return nil
		}
		if m := c.polarised(c.Sender, "tx_bytes"); m != nil {
			return m
		}
		return c.polarised(c.Receiver, "rx_bytes")
	},
}

// polarised is the cause at one end, by its counter of what the bond sent or received.
func (c *Case) polarised(side Side, counter string) *Match {
	one, n := c.member()
	b := side.bond()
	if b == nil || !b.Spreads() {
		return nil
	}
	loads, total := side.loads(b, counter), 0.0
	for _, l := range loads {
		total += l.Bytes
	}
	if moved := c.windowBytes(); moved <= 0 || total < 0.5*moved {
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
	m := &Match{Strength: Likely, Component: fmt.Sprintf("%s: bond %s", side.Host, nic), NextCeiling: c.nextCeiling("")}
	way := map[string]string{"tx_bytes": "sent", "rx_bytes": "received"}[counter]
	for _, l := range loads {
		m.Evidence = append(m.Evidence, nicEvidence(side, l.Name, counter, side.Shots.Before, side.Shots.After, fmt.Sprintf("%s of bond %s %s %s", l.Name, nic, way, unit.Bytes(l.Bytes))))
	}
	d, near := closes(c.Goodput, full)
	m.Identity = &record.Identity{Left: "goodput " + rate(c.Goodput), Right: fmt.Sprintf("%s of the bond, full: %s", plural(len(busy), "member"), rate(full)), Difference: d}
	if near {
		m.Strength = Proved
	}
	what := fmt.Sprintf("%s goes over %s of bond %s alone, and %s stands idle:", c.subject(), strings.Join(busy, " and "), nic, strings.Join(idle, " and "))
	f := c.state("hash-polarisation", side, nic)
	switch hash := b.Hash.Or(""); {
	case counter == "rx_bytes":
		m.Sentence = what + " that is what the other end, or the switch there, chose."
		m.Fix, m.Undo = "have the switch, or the bond at the other end, choose the member of a packet by addresses and ports (layer 3 and 4)", "the way in which it chose before"
	case f != nil:
		m.Sentence = fmt.Sprintf("%s %s chooses a member by what is the same in all packets between these two (%s).", what, side.Host, hash)
		m.Evidence = append(m.Evidence, said(f, "xmit_hash_policy")...)
		m.Fix, m.Undo = fromCheck(side.Host, f.Fix), fromCheck(side.Host, f.Undo)
	default:
		m.Fix, m.Undo = "more connections, which spread better: "+c.with("streams", fmt.Sprint(4*len(c.Streams))), nothingSet
		switch {
		case strings.Contains(hash, "3+4"):
			m.Sentence = fmt.Sprintf("%s the ports of these connections happen to give all of them to the same.", what)
		case hash != "":
			m.Sentence = fmt.Sprintf("%s %s chooses a member by %s.", what, side.Host, hash)
		default:
			m.Sentence = fmt.Sprintf("%s what %s chooses a member by is not known (%s).", what, side.Host, b.Hash.Why())
			m.Fix = "have it choose by addresses and ports (FreeBSD: ifconfig " + nic + " lagghash l2,l3,l4), if it does not yet; " + m.Fix
			return m
		}
		m.Evidence = append(m.Evidence, record.Evidence{Host: side.Host, Source: b.HashProof.Source, Counter: "xmit_hash_policy", Text: b.HashProof.Line})
	}
	return m
}
