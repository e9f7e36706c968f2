package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// slowReceiver: the program that receives does not take what has arrived, so that its buffer fills and the window closes. A processor that
// is full is another limit with the same look, and is asked first.
var slowReceiver = Cause{
	ID: "slow-receiver", Title: "the program that receives", Transport: "tcp",
	Test: func(c *Case) *Match {
		host := c.Receiver.Host
		waited, ok := c.limitedShare(func(s *record.Socket) *float64 { return s.RwndLimited })
		have, haveOK := c.median(true, count(func(s *record.Socket) *int64 { return s.RcvBuf }))
		queued, queuedOK := c.median(true, count(func(s *record.Socket) *int64 { return s.RecvQ }))
		closed, why := c.delta(c.Receiver, "TcpExt.TCPToZeroWindowAdv")
		if why != "" {
			closed, why = c.delta(c.Receiver, "TcpExt.TCPWantZeroWindowAdv")
		}
		full := haveOK && queuedOK && queued >= 0.5*have
		waits, shut := ok && waited >= 0.3, why == "" && closed.Net >= 1
		// A large buffer hides the waiting for as long as it takes to fill.
		if !full && !(waits && shut) || !waits && !shut || c.starved(c.Receiver) || c.processorBound() != nil {
			return nil
		}
		m := &Match{
			Strength: Candidate, Component: host + ": the receiving program",
			Sentence:    fmt.Sprintf("%s is held back by the program that receives on %s: it does not take what has arrived, and the sender has to wait.", c.subject(), host),
			Fix:         fmt.Sprintf("look at what the receiving program on %s waits for: its drive (iostat -x 1), a processor core that is full (top -H), or other programs; if it has a thread for each connection, use more streams", host),
			Undo:        nothingSet,
			NextCeiling: c.nextCeiling(""),
		}
		if waits {
			m.Evidence = append(m.Evidence, record.Evidence{Host: c.Sender.Host, Source: "TCP_INFO", Counter: "rwnd_limited", After: ptr(waited), Unit: "share of busy time",
				Text: fmt.Sprintf("the sender waited for the receiver's window %s of the time it was busy", unit.Percent(waited))})
		}
		if full {
			m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "SO_MEMINFO", Counter: "recv_q", After: ptr(queued), Unit: "bytes",
				Text: fmt.Sprintf("%s wait for the reader, of a receive buffer of %s", unit.Bytes(queued), unit.Bytes(have))})
		}
		if shut {
			m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "/proc/net/netstat", Counter: "TCPToZeroWindowAdv", After: ptr(closed.Net), Unit: "times",
				Text: fmt.Sprintf("the receiver closed its window %.0f times", closed.Net)})
		}
		// A buffer that is small is emptied often, and closes the window as often, in front of a reader that keeps up.
		if !c.smallBuffers() || full {
			m.Strength = Likely
		}
		if _, known := c.processors(c.Receiver); c.Receiver.quotaUnread() || !known && len(c.Repeat.CPU) > 0 {
			m.Strength = Candidate // a reader without time looks the same, and what it had was kept and cannot be read
		}
		return m
	},
}
