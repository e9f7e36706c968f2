package address

import (
	"cmp"
	"fmt"

	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// VlanMismatch is the cause where the ends of a cable tag their frames with different VLANs. The link is up, but no
// interface of the other end accepts the frames. The check knows the planned tag.
var VlanMismatch = judge.Cause{
	ID: "vlan-mismatch", Title: "different VLANs at the two ends",
	Plain: "Both machines write a number on what they send that says which network it is of, and they write different " +
		"numbers: neither takes up what the other says.",
	Applies: judge.IP,
	Fails: func(c *judge.Case) *judge.Match {
		a, b := tagged(c.Sender), tagged(c.Receiver)
		if a == nil || b == nil || a.VLAN == b.VLAN {
			return nil
		}
		side, have, want := c.Receiver, b, a.VLAN
		if c.Sender.Port.VLAN != 0 && c.Sender.Port.VLAN != a.VLAN {
			side, have, want = c.Sender, a, b.VLAN
		}
		want = cmp.Or(side.Port.VLAN, want)
		m := &judge.Match{
			Strength: judge.Candidate, Component: side.Host + ": VLAN of " + have.Name,
			Sentence: fmt.Sprintf("%s was not measured: %s sends in VLAN %d and %s listens in VLAN %d, so that neither hears "+
				"the other.", c.Subject(), c.Sender.Host, a.VLAN, c.Receiver.Host, b.VLAN),
			Evidence: []record.Evidence{
				{Host: c.Sender.Host, Source: "ip -d link show dev " + a.Name, Counter: "vlan id", After: new(float64(a.VLAN)),
					Text: fmt.Sprintf("%s on %s has VLAN %d", a.Name, c.Sender.Host, a.VLAN)},
				{Host: c.Receiver.Host, Source: "ip -d link show dev " + b.Name, Counter: "vlan id", After: new(float64(b.VLAN)),
					Text: fmt.Sprintf("%s on %s has VLAN %d", b.Name, c.Receiver.Host, b.VLAN)}},
			Fix: fmt.Sprintf("make an interface for VLAN %d on %s of %s, in place of %s and with its address", want,
				side.Port.Interface, side.Host, have.Name),
			Undo: fmt.Sprintf("on %s: ip link add link %s name %s type vlan id %d", side.Host, side.Port.Interface, have.Name,
				have.VLAN),
		}
		if f := c.State("vlan", side, have.Name); f != nil {
			m.FromCheck(side.Host, f)
		}
		// No counter has the frames that a NIC's VLAN filter drops. Only their absence is visible.
		sent, why0 := c.Sender.DeltaOn(a.Name, "tx_packets")
		taken, why1 := c.Receiver.DeltaOn(b.Name, "rx_packets")
		if why0 == "" && why1 == "" && sent.Gross >= 1 && taken.Gross < 0.5 {
			m.Likely(record.Evidence{Host: c.Receiver.Host, Source: "ip -s link show dev " + b.Name, Counter: "rx_packets",
				Before: new(0.0), After: new(taken.Gross), IdlePerSecond: taken.Idle, Unit: "packets",
				Text: fmt.Sprintf("%s sent %.0f packets by %s, and none came in by %s of %s", c.Sender.Host, sent.Gross, a.Name,
					b.Name, c.Receiver.Host)})
		}
		return m
	},
}

// tagged returns the VLAN interface on the planned one after the experiment: the one with the planned name, or else the
// only one. Nil: there is none.
func tagged(s judge.Side) *facts.Interface {
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
