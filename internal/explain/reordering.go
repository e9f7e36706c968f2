package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// reordering: packets overtake each other, and TCP takes those that come late for losses: it sends them again and slows down, although the
// receiver has them. The identity is what was sent again against what the receiver said it had already; that many segments came
// before one that was sent earlier tells it from timers that run out.
var reordering = Cause{
	ID: "reordering", Title: "packets that overtake each other", Transport: "tcp",
	Test: func(c *Case) *Match {
		r, why := c.retransmitted()
		late, why1 := c.delta(c.Receiver, "TcpExt.TCPOFOQueue")
		if why != "" || why1 != "" || r.All < least || c.Share() >= atCeiling || r.Spurious < 0.5*r.All || late.Net < 3*r.All {
			return nil
		}
		m := &Match{
			Strength: Candidate, Component: c.between() + ": the order of packets",
			Sentence: fmt.Sprintf("%s is held back by packets that overtake each other on the way: the sender takes what is late for lost, and slows down.", c.subject()),
			Evidence: []record.Evidence{{Host: c.Sender.Host, Source: r.Source, Counter: "TCPDSACKRecvSegs", Before: ptr(0), After: ptr(r.Spurious), Unit: "segments",
				Text: fmt.Sprintf("%.0f segments were sent again, %s of which the receiver had already", r.All, unit.Percent(r.Spurious/r.All))}},
			Fix:  "have every connection keep to one link of a bundle (bond: xmit_hash_policy layer3+4 in place of balance-rr; switch: no balancing by packets), and every link of it be alike",
			Undo: "the policy that the bundle had", NextCeiling: c.nextCeiling(""),
		}
		m.Evidence = append(m.Evidence, record.Evidence{Host: c.Receiver.Host, Source: "/proc/net/netstat", Counter: "TCPOFOQueue", Before: ptr(0), After: ptr(late.Net), Unit: "segments",
			Text: fmt.Sprintf("%.0f segments arrived before one that was sent earlier", late.Net)})
		if d, ok := closes(r.All, r.Spurious); ok {
			m.Identity = &record.Identity{Left: fmt.Sprintf("%.0f segments sent again", r.All), Right: fmt.Sprintf("%.0f that the receiver had already", r.Spurious), Difference: d}
			m.Strength = Proved
		} else if r.Spurious >= 0.8*r.All {
			m.Strength = Likely
		}
		if c.processorBound() != nil || c.starved(c.Sender) || c.starved(c.Receiver) {
			m.Strength = Candidate // packets that several cores handle overtake each other, and it is the cores that are full
		}
		return m
	},
}
