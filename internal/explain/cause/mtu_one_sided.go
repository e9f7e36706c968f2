package cause

import (
	"fmt"

	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// MTUOneSided is the cause where one end has a smaller MTU than the other and the plan, and TCP settles on it. Goodput
// at the ceiling of the smaller MTU is the proof. It is tried before the link, which is full at that MTU.
var MTUOneSided = judge.Cause{
	ID: "mtu-one-sided", Title: "a smaller MTU at one end",
	Plain:   "Data go in smaller packets than the network was built for, so that more of it is packaging.",
	Applies: judge.TCP,
	Test: func(c *judge.Case) *judge.Match {
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
			return nil // the other end has a larger MTU than planned, which costs nothing
		}
		mss, ok := c.Median(false, judge.Integer(func(s *record.Socket) *int64 { return s.MSS }))
		if !ok || mss > float64(small) {
			return nil
		}
		m := c.Candidate(fmt.Sprintf("%s: MTU of %s", side.Host, nic), "is held back by %s: its %s has MTU %d, the other "+
			"end %d, so every packet is small and costs its headers and CPU time.", side.Host, nic, small, large)
		m.Add(judge.Reading(side.Host, "ip link", "mtu", float64(small), "bytes", "%s has MTU %d, the other end %d, "+
			"planned are %d", nic, small, large, planned), judge.Reading(c.Sender.Host, "TCP_INFO", "mss", mss, "bytes",
			"TCP settled on segments of %.0f bytes", mss))
		m.Fix = fmt.Sprintf("ip link set %s mtu %d", nic, planned)
		m.Undo = fmt.Sprintf("ip link set %s mtu %d", nic, small)
		m.NextCeiling = fmt.Sprintf("the same link with MTU %d", planned)
		m.Proves(c.Goodput, c.Ceiling, "goodput "+judge.Rate(c.Goodput), fmt.Sprintf("ceiling with MTU %d: %s", small,
			judge.Rate(c.Ceiling)))
		return m
	},
}
