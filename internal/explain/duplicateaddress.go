package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// duplicateAddress: another machine answers for the receiver's address, and what is sent to it arrives there. Connections fail then, so that it is
// asked of experiments, too, that gave no figure. The answers are said by the check; connections that were refused or broken off, or bytes that
// left and did not arrive, are the effect.
var duplicateAddress = Cause{ID: "duplicate-address", Title: "another machine has the receiver's address", Test: answeredElsewhere, Fails: answeredElsewhere}

func answeredElsewhere(c *Case) *Match {
	if c.Sender.Port == nil || c.Receiver.Port == nil || !c.Receiver.Port.Address.IsValid() {
		return nil
	}
	address := c.Receiver.Port.Address.Addr()
	f := c.stateOfBoth("duplicate-address", "address "+address.String())
	if f == nil {
		return nil
	}
	m := &Match{
		Strength: Candidate, Component: "address " + address.String(),
		Sentence: fmt.Sprintf("%s does not get through: %s.", c.subject(), f.Have),
		Fix: fmt.Sprintf("find the machine that answers (the switch's table of addresses says behind which port its hardware address is: bridge fdb show) and take %s away there: ip address del %s dev NAME\non %s: ip neigh flush dev %s",
			address, c.Receiver.Port.Address, c.Sender.Host, c.Sender.Port.Interface),
		Undo: "put the address back on that machine", NextCeiling: c.nextCeiling(""),
	}
	m.Evidence = append(m.Evidence, said(f, "lladdr")...)
	for _, k := range []struct{ counter, what string }{
		{"Tcp.AttemptFails", "connections that %s wanted were refused"}, {"Tcp.EstabResets", "connections of %s were broken off"},
	} {
		if g, why := c.delta(c.Sender, k.counter); why == "" && g.Net >= 1 {
			m.Strength = Likely
			m.Evidence = append(m.Evidence, record.Evidence{Host: c.Sender.Host, Source: "/proc/net/snmp", Counter: k.counter, After: ptr(g.Net), IdlePerSecond: g.Idle, Unit: "connections",
				Text: fmt.Sprintf("%.0f "+k.what, g.Net, c.Sender.Host)})
		}
	}
	sent, why0 := c.delta(c.Sender, "tx_bytes")
	came, why1 := c.delta(c.Receiver, "rx_bytes")
	if why0 == "" && why1 == "" && sent.Net >= 1e5 && came.Net < 0.5*sent.Net {
		m.Strength = Likely
		m.Evidence = append(m.Evidence, record.Evidence{Host: c.Receiver.Host, Source: "counters of " + c.Receiver.Port.Interface, Counter: "rx_bytes", After: ptr(came.Net), IdlePerSecond: came.Idle, Unit: "bytes",
			Text: fmt.Sprintf("%s left %s, and %s of it arrived at %s", unit.Bytes(sent.Net), c.Sender.Host, unit.Bytes(came.Net), c.Receiver.Host)})
	}
	return m
}

// stateOfBoth is what the check of an id finds of a subject when it looks at both ends together; nil: nothing, or one of them is not known.
func (c *Case) stateOfBoth(id, subject string) *record.Finding {
	w := &check.World{Plan: c.Plan}
	for _, s := range []Side{c.Sender, c.Receiver} {
		if s.Shots.After == nil || !w.Add(s.Host, s.Shots.After) {
			return nil
		}
	}
	got := check.Run(w, check.Choice{Only: []string{id}})
	for i, f := range got.Findings {
		if f.ID == id && f.Subject == subject {
			return &got.Findings[i]
		}
	}
	return nil
}
