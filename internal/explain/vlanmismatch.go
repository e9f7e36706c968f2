package explain

import (
	"cmp"
	"fmt"

	"linerate/internal/facts"
	"linerate/internal/record"
)

// vlanMismatch: the ends of a cable tag their frames with different VLANs. Links are up, and no interface of the other end takes up what
// arrives. What tag is planned is said by the check.
var vlanMismatch = Cause{
	ID: "vlan-mismatch", Title: "different VLANs at the two ends",
	Fails: func(c *Case) *Match {
		a, b := c.Sender.tagged(), c.Receiver.tagged()
		if a == nil || b == nil || a.VLAN == b.VLAN {
			return nil
		}
		side, have, want := c.Receiver, b, a.VLAN
		if c.Sender.Port.VLAN != 0 && c.Sender.Port.VLAN != a.VLAN {
			side, have, want = c.Sender, a, b.VLAN
		}
		want = cmp.Or(side.Port.VLAN, want)
		m := &Match{
			Strength: Candidate, Component: side.Host + ": VLAN of " + have.Name,
			Sentence: fmt.Sprintf("%s was not measured: %s sends in VLAN %d and %s listens in VLAN %d, so that neither hears the other.", c.subject(), c.Sender.Host, a.VLAN, c.Receiver.Host, b.VLAN),
			Evidence: []record.Evidence{
				{Host: c.Sender.Host, Source: "ip -d link show dev " + a.Name, Counter: "vlan id", After: ptr(float64(a.VLAN)), Text: fmt.Sprintf("%s on %s has VLAN %d", a.Name, c.Sender.Host, a.VLAN)},
				{Host: c.Receiver.Host, Source: "ip -d link show dev " + b.Name, Counter: "vlan id", After: ptr(float64(b.VLAN)), Text: fmt.Sprintf("%s on %s has VLAN %d", b.Name, c.Receiver.Host, b.VLAN)}},
			Fix:  fmt.Sprintf("make an interface for VLAN %d on %s of %s, in place of %s and with its address", want, side.Port.Interface, side.Host, have.Name),
			Undo: fmt.Sprintf("on %s: ip link add link %s name %s type vlan id %d", side.Host, side.Port.Interface, have.Name, have.VLAN),
		}
		if f := c.state("vlan", side, have.Name); f != nil {
			m.Fix, m.Undo = fromCheck(side.Host, f.Fix), fromCheck(side.Host, f.Undo)
		}
		// What a card's own filter of VLANs throws away is counted nowhere: that nothing came is what can be seen.
		sent, why0 := c.Sender.deltaOn(a.Name, "tx_packets")
		taken, why1 := c.Receiver.deltaOn(b.Name, "rx_packets")
		if why0 == "" && why1 == "" && sent.Gross >= 1 && taken.Gross < 0.5 {
			m.Strength = Likely
			m.Evidence = append(m.Evidence, record.Evidence{Host: c.Receiver.Host, Source: "ip -s link show dev " + b.Name, Counter: "rx_packets", Before: ptr(0), After: ptr(taken.Gross), IdlePerSecond: taken.Idle, Unit: "packets",
				Text: fmt.Sprintf("%s sent %.0f packets by %s, and none came in by %s of %s", c.Sender.Host, sent.Gross, a.Name, b.Name, c.Receiver.Host)})
		}
		return m
	},
}

// tagged is the interface of a VLAN on the planned one, as it was afterwards: that of the plan's name, else the only one. Nil: there is none.
func (s Side) tagged() *facts.Interface {
	if s.Shots.After == nil || s.Port == nil {
		return nil
	}
	var found []*facts.Interface
	for i := range s.Shots.After.NICs {
		n := &s.Shots.After.NICs[i]
		if n.VLAN == 0 || n.Lower != s.Port.Interface {
			continue
		}
		if n.Name == s.Port.VLANInterface {
			return n
		}
		found = append(found, n)
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}
