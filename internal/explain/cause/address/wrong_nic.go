package address

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// WrongNIC is the cause where the bytes left the sender, or reached the receiver, on another interface than the planned
// one (a name or route that leads to the slow network). The identity compares the measured bytes with those on that
// interface.
var WrongNIC = judge.Cause{
	ID: "wrong-nic", Title: "traffic on another interface", Label: "wrong NIC",
	Plain: "The machine chose another of its network connections than the one that this link was built for. What was " +
		"measured is that other way.",
	Applies: judge.IP,
	Test: func(c *judge.Case) *judge.Match {
		if c.Repeat == nil {
			return nil
		}
		if m := bytesElsewhere(c, c.Sender, "tx_bytes"); m != nil {
			return m
		}
		return bytesElsewhere(c, c.Receiver, "rx_bytes")
	},
}

func bytesElsewhere(c *judge.Case, side judge.Side, counter string) *judge.Match {
	moved := c.IntervalBytes()
	before, after := side.Shots.Before, side.Shots.After
	if moved <= 0 || before == nil || after == nil || side.Port == nil {
		return nil
	}
	expected, ok := judge.Delta(before, after, side.Port.Interface, counter)
	if !ok || expected >= 0.5*moved {
		return nil
	}
	other, most := "", 0.0
	for _, n := range after.NICs {
		if n.Name == side.Port.Interface || n.Name == "lo" {
			continue
		}
		if d, ok := judge.Delta(before, after, n.Name, counter); ok && d > most {
			other, most = n.Name, d
		}
	}
	way := map[string]string{"tx_bytes": "sent", "rx_bytes": "received"}[counter]
	m := &judge.Match{
		Strength: judge.Candidate, Component: side.Host + ": " + side.Port.Interface,
		Sentence: fmt.Sprintf("%s did not use the planned link: %s %s only %s on %s.", c.Subject(), side.Host, way,
			unit.Bytes(expected), side.Port.Interface),
		Evidence: []record.Evidence{NicEvidence(side, side.Port.Interface, counter, before, after,
			fmt.Sprintf("%s on %s grew by %s while %s were measured", counter, side.Port.Interface,
				unit.Bytes(expected).Like(unit.Bytes(moved)), unit.Bytes(moved)))},
		Fix: routeFix(c, side),
	}
	if d, ok := judge.Delta(before, after, "lo", counter); ok && d >= 0.5*moved && most < 0.5*moved {
		m.Component, m.Strength = side.Host+": lo", judge.Likely
		m.Sentence = fmt.Sprintf("%s did not leave the machine: both addresses are this host's own, so its kernel carried "+
			"the data over the loopback.", c.Subject())
		m.Add(NicEvidence(side, "lo", counter, before, after, fmt.Sprintf("%s on lo grew by %s", counter, unit.Bytes(d))))
		m.Fix = "measure between two machines, or put the two NICs into network namespaces of their own, with a cable " +
			"between them"
		return m
	}
	if most < 0.5*moved {
		return m
	}
	m.Sentence = fmt.Sprintf("%s does not use the planned link: %s %s the data on %s instead of %s.", c.Subject(),
		side.Host, way, other, side.Port.Interface)
	m.Add(NicEvidence(side, other, counter, before, after, fmt.Sprintf("%s on %s grew by %s", counter, other,
		unit.Bytes(most))))
	m.Strength, m.Interface = judge.Likely, other
	peer := c.Receiver
	if side.Host == c.Receiver.Host {
		peer = c.Sender
	}
	if r, ok := after.RouteTo(peer.Port.Address.Addr()); ok && r.Interface == other {
		m.Add(record.Evidence{Host: side.Host, Source: "ip route get " + peer.Port.Address.Addr().String(),
			Counter: "interface", Unit: "", Text: fmt.Sprintf("the route to %s leaves through %s", peer.Port.Address.Addr(),
				other)})
		m.Strength = judge.Proved
		m.Undo = fmt.Sprintf("ip route add %s dev %s", r.Dst, r.Interface)
		if r.Gateway.IsValid() {
			m.Undo = fmt.Sprintf("ip route add %s via %s dev %s", r.Dst, r.Gateway, r.Interface)
		}
		m.Fix = fmt.Sprintf("ip route del %s dev %s", r.Dst, r.Interface)
	}
	if n := after.Rules.Or(0); n > 0 && m.Strength < judge.Proved {
		m.Add(judge.Reading(side.Host, "ip rule", "rules", float64(n), "rules", "%s has %s of its own, each of which may "+
			"choose another table of routes", side.Host, unit.Counted(n, "policy rule")))
		m.Fix = fmt.Sprintf("ip route get %s\nthat names the table that is used; find the rule that leads to it, and take "+
			"it away by its number:\nip rule show\nip rule del pref N", peer.Port.Address.Addr())
		m.Undo = "add the rule again, with the words that ip rule show had for it: ip rule add .."
	}
	m.NextCeiling = c.NextCeiling("")
	return m
}

func routeFix(c *judge.Case, side judge.Side) string {
	return fmt.Sprintf("ip route get %s\nthat shows where the traffic goes; it should be dev %s",
		Peer(c, side).Port.Address.Addr(), side.Port.Interface)
}

// Peer returns the other end of a side.
func Peer(c *judge.Case, side judge.Side) judge.Side {
	if side.Host == c.Receiver.Host {
		return c.Sender
	}
	return c.Receiver
}

// NicEvidence returns a counter of an interface, before and after, as evidence.
func NicEvidence(side judge.Side, nic, counter string, before, after *facts.Facts, text string) record.Evidence {
	e := record.Evidence{Host: side.Host, Source: "/sys/class/net/" + nic + "/statistics/" + counter, Counter: counter,
		Unit: "bytes", Text: text}
	if strings.HasSuffix(counter, "_packets") {
		e.Unit = "packets"
	}
	if n := before.NIC(nic); n != nil {
		e.Before = new(float64(n.Counters[counter]))
	}
	if n := after.NIC(nic); n != nil {
		e.After = new(float64(n.Counters[counter]))
	}
	if i0, i1 := side.Shots.Idle0, side.Shots.Idle1; i0 != nil && i1 != nil {
		if d, ok := judge.Delta(i0, i1, nic, counter); ok {
			if s := i1.When.Sub(i0.When).Seconds(); s > 0 {
				e.IdlePerSecond = new(d / s)
			}
		}
	}
	return e
}
