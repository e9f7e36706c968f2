package cause

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// lossless is the share of lost packets below which losses limit nothing.
const lossless = 1e-3

// pause is the cause where the port at the other end of the sender's cable asks it to wait (IEEE 802.3, annex 31B).
// Nothing is lost, and no other counter moves.
var pause = judge.Cause{
	ID: "pause", Title: "pause frames",
	Plain:   "The other end of the cable keeps telling this machine to wait. What is slow is behind it.",
	Applies: judge.AnyTransport,
	Test: func(c *judge.Case) *judge.Match {
		got, why := c.Delta(c.Sender, string(facts.PauseReceived))
		if why != "" || got.Seconds <= 0 || got.Net < judge.ManyPauses*got.Seconds {
			return nil
		}
		host, nic := c.Sender.Host, c.Sender.Port.Interface
		m := c.Candidate(host+": "+nic, "is held back by what is behind the cable of %s: its %s had to wait %.0f "+
			"times a second.", host, nic, got.Net/got.Seconds)
		m.Add(got.Evidence(host, "the driver's counters", string(facts.PauseReceived), "frames", "%.0f pause frames "+
			"received in %s", got.Net, unit.Seconds(got.Seconds)))
		m.Fix = fmt.Sprintf("look at the switch's port that the traffic leaves through, and on %s at the ring of its "+
			"NIC (ethtool -g %s, ethtool -S %s) and its CPU (top); one of them takes less than comes in", c.Receiver.Host,
			c.Receiver.Port.Interface, c.Receiver.Port.Interface)
		if theirs, why := c.Delta(c.Receiver, string(facts.PauseSent)); why == "" &&
			theirs.Net >= judge.ManyPauses*theirs.Seconds {
			m.Component = c.Receiver.Host + ": " + c.Receiver.Port.Interface
			m.Sentence = fmt.Sprintf("%s is held back by %s: it cannot take more, and says so with pause frames.", c.Subject(),
				c.Receiver.Host)
			m.Likely(record.Evidence{Host: c.Receiver.Host, Source: "the driver's counters", Counter: string(facts.PauseSent),
				After: new(theirs.Net), IdlePerSecond: theirs.Idle, Unit: "frames", Text: fmt.Sprintf("%.0f pause frames "+
					"sent in %s", theirs.Net, unit.Seconds(theirs.Seconds))})
		}
		if r, why := c.Retransmitted(); why == "" && r.Segments*segment(c) < lossless*c.Goodput/8*got.Seconds &&
			c.Share() < judge.AtCeiling {
			m.Likely(judge.Reading(host, r.Source, "Tcp.RetransSegs", r.Segments, "segments", "next to nothing was lost (%.0f "+
				"segments retransmitted) and yet goodput stays at %s of the ceiling", r.Segments, unit.Percent(c.Share())))
		}
		return m
	},
}

// segment returns the payload of one segment, in bytes.
func segment(c *judge.Case) float64 {
	if mss, ok := c.Median(false, judge.Integer(func(s *record.Socket) *int64 { return s.MSS })); ok && mss > 0 {
		return mss
	}
	return 1448
}
