package explain

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// wrongNIC: the bytes left the sender, or reached the receiver, on another
// interface than the one that the plan's link is plugged into (a name or route that points
// at the slow network). The identity is bytes measured against bytes on that interface.
var wrongNIC = Cause{
	ID: "wrong-nic", Title: "traffic on another interface",
	Test: func(c *Case) *Match {
		if c.Repeat == nil {
			return nil
		}
		if m := c.bytesElsewhere(c.Sender, "tx_bytes"); m != nil {
			return m
		}
		return c.bytesElsewhere(c.Receiver, "rx_bytes")
	},
}

// windowBytes is the least that the experiment moved in this direction: what
// was counted inside its steady windows.
func (c *Case) windowBytes() float64 {
	total := 0.0
	for _, r := range c.Exp.Repeats {
		for _, s := range r.Streams {
			if len(c.Streams) > 0 && s.Direction == c.Streams[0].Direction {
				total += s.Goodput / 8 * r.Seconds
			}
		}
	}
	return total
}

func (c *Case) bytesElsewhere(side Side, counter string) *Match {
	moved := c.windowBytes()
	before, after := side.Shots.Before, side.Shots.After
	if moved <= 0 || before == nil || after == nil || side.Port == nil {
		return nil
	}
	expected, ok := delta(before, after, side.Port.Interface, counter)
	if !ok || expected >= 0.5*moved {
		return nil
	}
	other, most := "", 0.0
	for _, n := range after.NICs {
		if n.Name == side.Port.Interface || n.Name == "lo" {
			continue
		}
		if d, ok := delta(before, after, n.Name, counter); ok && d > most {
			other, most = n.Name, d
		}
	}
	way := map[string]string{"tx_bytes": "sent", "rx_bytes": "received"}[counter]
	m := &Match{
		Strength: Candidate, Component: side.Host + ": " + side.Port.Interface,
		Sentence: fmt.Sprintf("%s did not use the planned link: %s %s only %s on %s.", c.subject(), side.Host, way, unit.Bytes(expected), side.Port.Interface),
		Evidence: []record.Evidence{nicEvidence(side, side.Port.Interface, counter, before, after,
			fmt.Sprintf("%s on %s grew by %s while %s were measured", counter, side.Port.Interface, unit.Bytes(expected), unit.Bytes(moved)))},
		Fix: c.routeFix(side),
	}
	if d, ok := delta(before, after, "lo", counter); ok && d >= 0.5*moved && most < 0.5*moved {
		m.Component, m.Strength = side.Host+": lo", Likely
		m.Sentence = fmt.Sprintf("%s did not leave the machine: both addresses are this host's own, so its kernel carried the data over the loopback.", c.subject())
		m.Evidence = append(m.Evidence, nicEvidence(side, "lo", counter, before, after, fmt.Sprintf("%s on lo grew by %s", counter, unit.Bytes(d))))
		m.Fix = "measure between two machines, or put the two cards into network namespaces of their own, with a cable between them"
		return m
	}
	if most < 0.5*moved {
		return m
	}
	m.Sentence = fmt.Sprintf("%s does not use the planned link: %s %s the data on %s instead of %s.", c.subject(), side.Host, way, other, side.Port.Interface)
	m.Evidence = append(m.Evidence, nicEvidence(side, other, counter, before, after,
		fmt.Sprintf("%s on %s grew by %s", counter, other, unit.Bytes(most))))
	m.Strength, m.Other = Likely, other
	peer := c.Receiver
	if side.Host == c.Receiver.Host {
		peer = c.Sender
	}
	if r, ok := after.RouteTo(peer.Port.Address.Addr()); ok && r.Interface == other {
		m.Evidence = append(m.Evidence, record.Evidence{Host: side.Host, Source: "ip route get " + peer.Port.Address.Addr().String(), Counter: "interface", Unit: "",
			Text: fmt.Sprintf("the route to %s leaves through %s", peer.Port.Address.Addr(), other)})
		m.Strength = Proved
		m.Undo = fmt.Sprintf("ip route add %s dev %s", r.Dst, r.Interface)
		if r.Gateway.IsValid() {
			m.Undo = fmt.Sprintf("ip route add %s via %s dev %s", r.Dst, r.Gateway, r.Interface)
		}
		m.Fix = fmt.Sprintf("ip route del %s dev %s", r.Dst, r.Interface)
	}
	if n := after.Rules.Or(0); n > 0 && m.Strength < Proved {
		m.Evidence = append(m.Evidence, record.Evidence{Host: side.Host, Source: "ip rule", Counter: "rules", After: ptr(float64(n)), Unit: "rules",
			Text: fmt.Sprintf("%s has %s of its own, each of which may choose another table of routes", side.Host, plural(n, "policy rule"))})
		m.Fix = fmt.Sprintf("ip route get %s\nthat names the table that is used; find the rule that leads to it, and take it away by its number:\nip rule show\nip rule del pref N", peer.Port.Address.Addr())
		m.Undo = "add the rule again, with the words that ip rule show had for it: ip rule add .."
	}
	m.NextCeiling = c.nextCeiling("")
	return m
}

func (c *Case) routeFix(side Side) string {
	return fmt.Sprintf("ip route get %s\nthat shows where the traffic goes; it should be dev %s", c.peer(side).Port.Address.Addr(), side.Port.Interface)
}

func (c *Case) peer(side Side) Side {
	if side.Host == c.Receiver.Host {
		return c.Sender
	}
	return c.Receiver
}

func delta(before, after *facts.Facts, nic, counter string) (float64, bool) {
	d, ok := facts.CounterDelta(before, after, nic, counter)
	return float64(d), ok
}

func nicEvidence(side Side, nic, counter string, before, after *facts.Facts, text string) record.Evidence {
	e := record.Evidence{Host: side.Host, Source: "/sys/class/net/" + nic + "/statistics/" + counter, Counter: counter, Unit: "bytes", Text: text}
	if strings.HasSuffix(counter, "_packets") {
		e.Unit = "packets"
	}
	if n := before.NIC(nic); n != nil {
		e.Before = ptr(float64(n.Counters[counter]))
	}
	if n := after.NIC(nic); n != nil {
		e.After = ptr(float64(n.Counters[counter]))
	}
	if i0, i1 := side.Shots.Idle0, side.Shots.Idle1; i0 != nil && i1 != nil {
		if d, ok := delta(i0, i1, nic, counter); ok {
			if s := i1.When.Sub(i0.When).Seconds(); s > 0 {
				e.IdlePerSecond = ptr(d / s)
			}
		}
	}
	return e
}
