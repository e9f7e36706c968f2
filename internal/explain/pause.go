package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// often is how many of a second's worth of pause frames are no accident: fewer pass unnoticed.
const often = 100

// lossless is the share of what was sent below which losses hold nothing back.
const lossless = 1e-3

// pause: the port that the sender is cabled to tells it to wait (IEEE 802.3, annex 31B). Nothing is lost, and no other counter moves.
var pause = Cause{
	ID: "pause", Title: "pause frames", RDMA: true,
	Test: func(c *Case) *Match {
		got, why := c.delta(c.Sender, string(facts.PauseReceived))
		if why != "" || got.Seconds <= 0 || got.Net < often*got.Seconds {
			return nil
		}
		host, nic := c.Sender.Host, c.Sender.Port.Interface
		m := &Match{
			Strength: Candidate, Component: host + ": " + nic,
			Sentence: fmt.Sprintf("%s is held back by what is behind the cable of %s: its %s was told to wait %.0f times a second.", c.subject(), host, nic, got.Net/got.Seconds),
			Evidence: []record.Evidence{{Host: host, Source: "the driver's counters", Counter: string(facts.PauseReceived), Before: ptr(0), After: ptr(got.Net), IdlePerSecond: got.Idle, Unit: "frames",
				Text: fmt.Sprintf("%.0f pause frames received in %s", got.Net, unit.Seconds(got.Seconds))}},
			Fix:         fmt.Sprintf("look at the switch's port that the traffic leaves through, and on %s at the ring of its card (ethtool -g %s, ethtool -S %s) and its processor (top): one of them takes less than comes in", c.Receiver.Host, c.Receiver.Port.Interface, c.Receiver.Port.Interface),
			NextCeiling: c.nextCeiling(""),
		}
		if theirs, why := c.delta(c.Receiver, string(facts.PauseSent)); why == "" && theirs.Net >= often*theirs.Seconds {
			m.Component = c.Receiver.Host + ": " + c.Receiver.Port.Interface
			m.Sentence = fmt.Sprintf("%s is held back by %s: it cannot take more, and says so with pause frames.", c.subject(), c.Receiver.Host)
			m.Evidence = append(m.Evidence, record.Evidence{Host: c.Receiver.Host, Source: "the driver's counters", Counter: string(facts.PauseSent), After: ptr(theirs.Net), IdlePerSecond: theirs.Idle, Unit: "frames",
				Text: fmt.Sprintf("%.0f pause frames sent in %s", theirs.Net, unit.Seconds(theirs.Seconds))})
			m.Strength = Likely
		}
		if r, why := c.retransmitted(); why == "" && r.Segments*c.segment() < lossless*c.Goodput/8*got.Seconds && c.Share() < atCeiling {
			m.Strength = Likely
			m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: r.Source, Counter: "Tcp.RetransSegs", After: ptr(r.Segments), Unit: "segments",
				Text: fmt.Sprintf("next to nothing was lost (%.0f segments sent again) and yet goodput stays at %s of the ceiling", r.Segments, unit.Percent(c.Share()))})
		}
		return m
	},
}

// segment is what one segment of the connections carries, in bytes.
func (c *Case) segment() float64 {
	if mss, ok := c.median(false, count(func(s *record.Socket) *int64 { return s.MSS })); ok && mss > 0 {
		return mss
	}
	return 1448
}
