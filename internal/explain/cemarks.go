package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// ceMarks: a switch marks packets (ECN) instead of dropping them, earlier than the path needs. TCP slows down at each mark as at a loss. Counted is
// what the receiver got: the sender's delivered_ce is more with classic ECN, where every acknowledgement until the answer says it again.
var ceMarks = Cause{
	ID: "ce-marks", Title: "congestion marks of a switch", Transport: "tcp",
	Test: func(c *Case) *Match {
		if c.Share() >= 0.95 {
			return nil
		}
		marks, why := c.delta(c.Receiver, "IpExt.InCEPkts")
		sent, ok := c.sum(false, count(func(s *record.Socket) *int64 { return s.SegsOut }))
		if why != "" || marks.Net < 3 || !ok || sent <= 0 {
			return nil
		}
		all, why := c.delta(c.Sender, "Tcp.OutSegs")
		if why != "" || all.Net <= 0 {
			return nil
		}
		share := marks.Net / all.Net
		host := c.Receiver.Host
		m := &Match{
			Strength: Candidate, Component: c.between() + ": congestion marks",
			Sentence: fmt.Sprintf("%s is held back by a switch on the way that marks packets as congested (ECN), %s of them: the sender slows down at each, and nothing is lost.",
				c.subject(), unit.Percent(share)),
			Evidence: []record.Evidence{{Host: host, Source: "/proc/net/netstat", Counter: "InCEPkts", Before: ptr(0), After: ptr(marks.Net), Unit: "packets",
				Text: fmt.Sprintf("%.0f packets arrived marked, %s of all", marks.Net, unit.Percent(share))}},
			Fix: "let the switch's queues grow longer before it marks: what the link carries in one round trip (Linux: min and max of tc red; Onyx: congestion-control ecn minimum-absolute ..)\n" +
				"as a test, without marks:\non " + c.Sender.Host + ": sysctl -w net.ipv4.tcp_ecn=0",
			Undo: "on " + c.Sender.Host + ": sysctl -w net.ipv4.tcp_ecn=" + c.ecn(), NextCeiling: c.nextCeiling(""),
		}
		if l := c.lost(); l != nil && l.Segments > 2*marks.Net {
			return m // losses slow it down more often
		}
		told, why := c.delta(c.Sender, "TcpExt.TCPDeliveredCE")
		if why == "" && told.Net > 0 {
			m.Evidence = append(m.Evidence, record.Evidence{Host: c.Sender.Host, Source: "/proc/net/netstat", Counter: "TCPDeliveredCE", Before: ptr(0), After: ptr(told.Net), Unit: "segments",
				Text: fmt.Sprintf("the sender was told of marks with %.0f segments", told.Net)})
			if c.free() {
				m.Strength = Likely
			}
		}
		if bound, ok := c.lossBound(share); ok {
			m.Evidence = append(m.Evidence, record.Evidence{Host: c.Sender.Host, Source: "TCP_INFO", Counter: "loss bound", After: ptr(bound), Unit: "bit/s",
				Text: fmt.Sprintf("with that share of marks TCP gets about %s (Mathis)", rate(bound))})
		}
		return m
	},
}

// ecn is what stands in the sender's net.ipv4.tcp_ecn; 2, the kernel's own value, where it is not known.
func (c *Case) ecn() string {
	if after := c.Sender.Shots.After; after != nil {
		if v, known := after.Sysctl("net.ipv4.tcp_ecn"); known {
			return v
		}
	}
	return "2"
}
