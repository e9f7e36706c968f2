package cause

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// mostUnscaled is the largest TCP window without the scale option (RFC 7323 section 2.1), in bytes.
const mostUnscaled = 65535

// WindowScaleOff is the cause where the connection was made without window scaling, so that the receive window cannot
// be larger than 64 KiB, whatever its buffers hold. One end that does not offer it is enough. If both do, something on
// the path removed the option.
var WindowScaleOff = judge.Cause{
	ID: "window-scaling-off", Title: "window scaling switched off",
	Plain: "The receiving machine limits how much may be on its way before it has to wait for an answer. That " +
		"is too little here, and the link is idle meanwhile.",
	Applies: judge.TCP, Settles: perStream,
	Test: func(c *judge.Case) *judge.Match {
		scale, ok := c.Each(false, judge.Integer(func(s *record.Socket) *int64 { return s.WindowScale }))
		if !ok {
			return nil
		}
		for _, v := range scale {
			if v >= 0 {
				return nil
			}
		}
		m := c.Candidate(c.Receiver.Host+": receive window", "has no more than 64 KiB of each connection on its way at a "+
			"time: they were made without window scaling.")
		m.Add(judge.Reading(c.Sender.Host, "TCP_INFO", "wscale", float64(-1), "shift", "the connections have no window "+
			"scale, so that a window is 65,535 bytes at most"))
		m.Fix = "both ends offer larger windows, and something between them takes the offer out of the packets; look " +
			"for a firewall or load balancer on the way, and let the option window scale pass (RFC 7323)"
		for _, s := range []judge.Side{c.Receiver, c.Sender} {
			if s.Shots.After == nil {
				m.Fix = "on both ends (Linux): sysctl -w net.ipv4.tcp_window_scaling=1"
				continue
			}
			if f := c.State("receive-window-cap", s, "net.ipv4.tcp_window_scaling"); f != nil {
				m.Component = s.Host + ": window scaling"
				m.Sentence = fmt.Sprintf("%s is held back by %s: window scaling is off there, so that no more than 64 KiB of a "+
					"connection may be on its way at a time.", c.Subject(), s.Host)
				m.Add(record.Evidence{Host: s.Host, Source: f.Evidence[0].Source, Counter: "tcp_window_scaling", After: new(0.0),
					Unit: "on", Text: "window scaling is off on " + s.Host + " (" + f.Evidence[0].Line + ")"})
				m.FromCheck(s.Host, f)
				break
			}
		}
		share, clock := limitedShare(c, func(s *record.Socket) *float64 { return s.RwndLimited })
		tcpWindow, known := c.Median(false, judge.Integer(func(s *record.Socket) *int64 { return s.SndWnd }))
		if clock && share >= 0.3 && known && tcpWindow <= mostUnscaled {
			m.Likely(judge.Reading(c.Sender.Host, "TCP_INFO", "rwnd_limited", share, "share of busy time", "the sender waited "+
				"for the receiver's window %s of the time it was busy", unit.Percent(share)))
		}
		tcpWindowIdentity(c, m, "window", func(s *record.Socket) *int64 { return s.SndWnd })
		return m
	},
}
