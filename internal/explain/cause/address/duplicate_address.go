package address

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/inspect/check"
	"linerate/internal/inspect/check/checks"
	"linerate/internal/record"
)

// DuplicateAddress is the cause where another machine answers for the receiver's address and gets its traffic.
// Connections then fail, so this cause is also tried for experiments without a figure. The check finds the answers. The
// effect is connections that were refused or reset, or bytes that were sent and did not arrive.
var DuplicateAddress = judge.Cause{ID: "duplicate-address", Title: "another machine has the receiver's address",
	Plain:   "Two machines have the same address on this network. What is meant for one of them arrives at the other.",
	Applies: judge.IP, Test: answeredElsewhere, Fails: answeredElsewhere}

func answeredElsewhere(c *judge.Case) *judge.Match {
	if c.Sender.Port == nil || c.Receiver.Port == nil || !c.Receiver.Port.Address.IsValid() {
		return nil
	}
	address := c.Receiver.Port.Address.Addr()
	f := stateOfBoth(c, "duplicate-address", record.Subject{Address: address})
	if f == nil {
		return nil
	}
	m := c.Candidate("address "+address.String(), "does not get through: %s.", f.Have)
	m.Fix = fmt.Sprintf("find the machine that answers; the switch's table of addresses says behind which port its "+
		"hardware address is (bridge fdb show); take %s away there: ip address del %s dev NAME\non %s: ip neigh flush "+
		"dev %s", address, c.Receiver.Port.Address, c.Sender.Host, c.Sender.Port.Interface)
	m.Undo = "put the address back on that machine"
	m.Add(judge.FindingEvidence(f, "lladdr")...)
	for _, k := range []struct{ counter, what string }{
		{"Tcp.AttemptFails", "connections that %s wanted were refused"},
		{"Tcp.EstabResets", "connections of %s were broken off"},
	} {
		if g, why := c.Delta(c.Sender, k.counter); why == "" && g.Net >= 1 {
			m.Likely(record.Evidence{Host: c.Sender.Host, Source: "/proc/net/snmp", Counter: k.counter, After: new(g.Net),
				IdlePerSecond: g.Idle, Unit: "connections", Text: fmt.Sprintf("%.0f "+k.what, g.Net, c.Sender.Host)})
		}
	}
	sent, why0 := c.Delta(c.Sender, "tx_bytes")
	came, why1 := c.Delta(c.Receiver, "rx_bytes")
	if why0 == "" && why1 == "" && sent.Net >= 1e5 && came.Net < 0.5*sent.Net {
		m.Likely(record.Evidence{Host: c.Receiver.Host, Source: "counters of " + c.Receiver.Port.Interface,
			Counter: "rx_bytes", After: new(came.Net), IdlePerSecond: came.Idle, Unit: "bytes",
			Text: fmt.Sprintf("%s left %s, and %s of it arrived at %s", unit.Bytes(sent.Net), c.Sender.Host,
				unit.Bytes(came.Net), c.Receiver.Host)})
	}
	return m
}

// stateOfBoth is what the check of an id finds of a subject when it looks at both ends together; nil: nothing, or
// one of them is not known.
func stateOfBoth(c *judge.Case, id string, subject record.Subject) *record.Finding {
	w := &check.World{Plan: c.Plan}
	for _, s := range []judge.Side{c.Sender, c.Receiver} {
		if s.Shots.After == nil || !w.Add(s.Host, s.Shots.After) {
			return nil
		}
	}
	got := check.Run(checks.All(), w, check.Choice{Only: []string{id}})
	for i, f := range got.Findings {
		if f.ID == id && f.Subject.Is(subject) {
			return &got.Findings[i]
		}
	}
	return nil
}
