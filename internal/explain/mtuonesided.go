package explain

import (
	"fmt"

	"linerate/internal/record"
)

// mtuOneSided: one end has a smaller MTU than the other and the plan, and TCP settles on it. The ceiling is then that of the smaller one:
// goodput at it is the proof. Asked before the link, which is full at that MTU.
var mtuOneSided = Cause{
	ID: "mtu-one-sided", Title: "a smaller MTU at one end", Transport: "tcp",
	Test: func(c *Case) *Match {
		a, b := c.Sender.NIC(), c.Receiver.NIC()
		if a == nil || b == nil || a.MTU <= 0 || b.MTU <= 0 || a.MTU == b.MTU {
			return nil
		}
		small, large, side, nic := a.MTU, b.MTU, c.Sender, a.Name
		if b.MTU < a.MTU {
			small, large, side, nic = b.MTU, a.MTU, c.Receiver, b.Name
		}
		planned := large
		if side.Port != nil && side.Port.MTU > 0 {
			planned = side.Port.MTU
		}
		if planned <= small {
			return nil // the other end has more than planned, and nothing is missing
		}
		mss, ok := c.median(false, count(func(s *record.Socket) *int64 { return s.MSS }))
		if !ok || mss > float64(small) {
			return nil
		}
		m := &Match{
			Strength: Candidate, Component: fmt.Sprintf("%s: MTU of %s", side.Host, nic),
			Sentence: fmt.Sprintf("%s is held back by %s: its %s has MTU %d, the other end %d, so every packet is small and costs its headers and processor time.", c.subject(), side.Host, nic, small, large),
			Evidence: []record.Evidence{
				{Host: side.Host, Source: "ip link", Counter: "mtu", After: ptr(float64(small)), Unit: "bytes", Text: fmt.Sprintf("%s has MTU %d, the other end %d, planned are %d", nic, small, large, planned)},
				{Host: c.Sender.Host, Source: "TCP_INFO", Counter: "mss", After: ptr(mss), Unit: "bytes", Text: fmt.Sprintf("TCP settled on segments of %.0f bytes", mss)}},
			Fix:         fmt.Sprintf("ip link set %s mtu %d", nic, planned),
			Undo:        fmt.Sprintf("ip link set %s mtu %d", nic, small),
			NextCeiling: fmt.Sprintf("the same link with MTU %d", planned),
		}
		if d, near := closes(c.Goodput, c.Ceiling); near {
			m.Strength = Proved
			m.Identity = &record.Identity{Left: "goodput " + rate(c.Goodput), Right: fmt.Sprintf("ceiling with MTU %d: %s", small, rate(c.Ceiling)), Difference: d}
		}
		return m
	},
}
