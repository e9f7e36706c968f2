package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// mostUnscaled is the largest window without the scale option (RFC 7323 section 2.1), in bytes.
const mostUnscaled = 65535

// windowScalingOff: the connection was made without window scaling, so that the receiver's window cannot be larger than 64 KiB,
// whatever its buffers hold. One end that does not offer it is enough; if both do, something between them took the option away.
var windowScalingOff = Cause{
	ID: "window-scaling-off", Title: "window scaling switched off", Transport: "tcp",
	Test: func(c *Case) *Match {
		scale, ok := c.each(false, count(func(s *record.Socket) *int64 { return s.WindowScale }))
		if !ok {
			return nil
		}
		for _, v := range scale {
			if v >= 0 {
				return nil
			}
		}
		m := &Match{
			Strength: Candidate, Component: c.Receiver.Host + ": receive window",
			Sentence: fmt.Sprintf("%s has no more than 64 KiB of each connection on its way at a time: they were made without window scaling.", c.subject()),
			Evidence: []record.Evidence{{Host: c.Sender.Host, Source: "TCP_INFO", Counter: "wscale", After: ptr(-1), Unit: "shift",
				Text: "the connections have no window scale, so that a window is 65,535 bytes at most"}},
			Fix:         "both ends offer larger windows, and something between them takes the offer out of the packets: look for a firewall or load balancer on the way, and let the option window scale pass (RFC 7323)",
			NextCeiling: c.nextCeiling(""),
		}
		for _, s := range []Side{c.Receiver, c.Sender} {
			if s.Shots.After == nil {
				m.Fix = "on both ends (Linux): sysctl -w net.ipv4.tcp_window_scaling=1"
				continue
			}
			if f := c.state("receive-window-cap", s, "tcp_window_scaling"); f != nil {
				m.Component = s.Host + ": window scaling"
				m.Sentence = fmt.Sprintf("%s is held back by %s: window scaling is off there, so that no more than 64 KiB of a connection may be on its way at a time.", c.subject(), s.Host)
				m.Evidence = append(m.Evidence, record.Evidence{Host: s.Host, Source: f.Evidence[0].Source, Counter: "tcp_window_scaling", After: ptr(0), Unit: "on",
					Text: "window scaling is off on " + s.Host + " (" + f.Evidence[0].Line + ")"})
				m.Fix, m.Undo = fromCheck(s.Host, f.Fix), fromCheck(s.Host, f.Undo)
				break
			}
		}
		share, clock := c.limitedShare(func(s *record.Socket) *float64 { return s.RwndLimited })
		window, known := c.median(false, count(func(s *record.Socket) *int64 { return s.SndWnd }))
		if clock && share >= 0.3 && known && window <= mostUnscaled {
			m.Strength = Likely
			m.Evidence = append(m.Evidence, record.Evidence{Host: c.Sender.Host, Source: "TCP_INFO", Counter: "rwnd_limited", After: ptr(share), Unit: "share of busy time",
				Text: fmt.Sprintf("the sender waited for the receiver's window %s of the time it was busy", unit.Percent(share))})
		}
		c.windowIdentity(m, "window", func(s *record.Socket) *int64 { return s.SndWnd })
		return m
	},
}
