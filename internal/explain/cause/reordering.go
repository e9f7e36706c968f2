package cause

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// reordering is the cause where packets overtake each other, and TCP takes late ones for losses: it retransmits them
// and slows down, although the receiver has them. The identity compares the retransmits with the duplicates that the
// receiver reported. Segments that arrived before earlier ones exclude timeouts.
var reordering = judge.Cause{
	ID: "reordering", Title: "packets that overtake each other",
	Plain:   "Packets overtake each other on the way, and the sender takes the late ones for lost and slows down.",
	Applies: judge.TCP,
	Test: func(c *judge.Case) *judge.Match {
		r, why := c.Retransmitted()
		late, why1 := c.Delta(c.Receiver, "TcpExt.TCPOFOQueue")
		if why != "" || why1 != "" || r.All < minLosses || c.Share() >= judge.AtCeiling || r.Spurious < 0.5*r.All ||
			late.Net < 3*r.All {
			return nil
		}
		m := c.Candidate(c.Between()+": the order of packets", "is held back by packets that overtake each other on the "+
			"way: the sender takes what is late for lost, and slows down.")
		m.Add(judge.Rise(c.Sender.Host, r.Source, "TCPDSACKRecvSegs", r.Spurious, "segments", "%.0f segments were sent "+
			"again, %s of which the receiver had already", r.All, unit.Percent(r.Spurious/r.All)))
		m.Fix = "have every connection keep to one link of a bundle (bond: xmit_hash_policy layer3+4 in place of " +
			"balance-rr; switch: no balancing by packets), and every link of it be alike"
		m.Undo = "the policy that the bundle had"
		m.Add(judge.Rise(c.Receiver.Host, "/proc/net/netstat", "TCPOFOQueue", late.Net, "segments", "%.0f segments arrived "+
			"before one that was sent earlier", late.Net))
		if d, ok := judge.Matches(r.All, r.Spurious); ok {
			m.Identity = &record.Identity{Left: fmt.Sprintf("%.0f segments retransmitted", r.All),
				Right: fmt.Sprintf("%.0f that the receiver had already", r.Spurious), Difference: d}
			m.Strength = judge.Proved
		} else if r.Spurious >= 0.8*r.All {
			m.Strength = judge.Likely
		}
		if cpuBound(c) != nil || starved(c, c.Sender) || starved(c, c.Receiver) {
			// packets on several cores overtake each other, and the full cores are the cause
			m.Strength = judge.Candidate
		}
		return m
	},
}
