package cause

import (
	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// ceMarks is the cause where a switch marks packets (ECN) instead of dropping them, earlier than the path needs. TCP
// slows down at each mark as at a loss. The receiver's marks are counted: with classic ECN the sender's delivered_ce is
// larger, because every acknowledgement repeats the mark until it is answered.
var ceMarks = judge.Cause{
	ID: "ce-marks", Title: "congestion marks of a switch",
	Plain:   "A switch asks the sender to slow down before the link is full.",
	Applies: judge.TCP,
	Test: func(c *judge.Case) *judge.Match {
		if c.Share() >= 0.95 {
			return nil
		}
		marks, why := c.Delta(c.Receiver, "IpExt.InCEPkts")
		sent, ok := c.Sum(false, judge.Integer(func(s *record.Socket) *int64 { return s.SegsOut }))
		if why != "" || marks.Net < 3 || !ok || sent <= 0 {
			return nil
		}
		all, why := c.Delta(c.Sender, "Tcp.OutSegs")
		if why != "" || all.Net <= 0 {
			return nil
		}
		share := marks.Net / all.Net
		host := c.Receiver.Host
		m := c.Candidate(c.Between()+": congestion marks", "is held back by a switch on the way that marks packets as "+
			"congested (ECN), %s of them: the sender slows down at each, and nothing is lost.", unit.Percent(share))
		m.Add(judge.Rise(host, "/proc/net/netstat", "InCEPkts", marks.Net, "packets", "%.0f packets arrived marked, "+
			"%s of all", marks.Net, unit.Percent(share)))
		m.Fix = "let the switch's queues grow longer before it marks: what the link carries in one round trip (Linux: min " +
			"and max of tc red; Onyx: congestion-control ecn minimum-absolute ..)\nas a test, without marks:\non " +
			c.Sender.Host + ": sysctl -w net.ipv4.tcp_ecn=0"
		m.Undo = "on " + c.Sender.Host + ": sysctl -w net.ipv4.tcp_ecn=" + ecn(c)
		if l := lost(c); l != nil && l.Segments > 2*marks.Net {
			return m // losses slow it down more often
		}
		reported, why := c.Delta(c.Sender, "TcpExt.TCPDeliveredCE")
		if why == "" && reported.Net > 0 {
			m.Add(judge.Rise(c.Sender.Host, "/proc/net/netstat", "TCPDeliveredCE", reported.Net, "segments",
				"the sender got marks with %.0f segments", reported.Net))
			if free(c) {
				m.Strength = judge.Likely
			}
		}
		if bound, ok := lossBound(c, share); ok {
			m.Add(judge.Reading(c.Sender.Host, "TCP_INFO", "loss bound", bound, "bit/s", "with that share of marks TCP gets "+
				"about %s (Mathis)", judge.Rate(bound)))
		}
		return m
	},
}

// ecn returns the sender's net.ipv4.tcp_ecn, or 2, the kernel's default, where it is not known.
func ecn(c *judge.Case) string {
	if after := c.Sender.Shots.After; after != nil {
		if v, known := after.Sysctl("net.ipv4.tcp_ecn"); known {
			return v
		}
	}
	return "2"
}
