package cause

import (
	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// socketPacing is the cause where the kernel paces the sender's sockets at a rate that the experiment did not request:
// a program, a wrapper or a control group's BPF program has set it (SO_MAX_PACING_RATE). The identity compares that
// rate, over all streams, with goodput.
var socketPacing = judge.Cause{
	ID: "socket-pacing", Title: "a rate set on the sockets",
	Plain:   "Something on the sending machine limits the connection. The network could do more.",
	Applies: judge.TCP, Settles: perStream,
	Test: func(c *judge.Case) *judge.Match {
		rates, ok := c.Each(false, func(s *record.Socket) *float64 { return s.MaxPacingRate })
		if !ok || c.Exp.Settings["pace"] != "" {
			return nil
		}
		all := 0.0
		for _, v := range rates {
			all += v
		}
		host := c.Sender.Host
		m := c.Candidate(host+": the pacing of its sockets", "is held back by %s: its sockets are paced to %s each, "+
			"which the experiment did not ask for.", host, judge.Rate(rates[0]))
		m.Add(record.Evidence{Host: host, Source: "TCP_INFO", Counter: "max_pacing_rate", After: new(rates[0]), Unit: "bit/s",
			Text: "the kernel lets each connection have " + judge.Rate(rates[0])})
		m.Fix = "find who limits them, and take it away there: the program itself (SO_MAX_PACING_RATE), what starts it, or " +
			"a program of its control group (bpftool cgroup tree shows those)"
		m.Undo = "the limit as it was, " + judge.Rate(rates[0]) + " a socket"
		// The rate in effect never exceeds the limit. With pacing, the program fills the send buffer.
		if now, known := c.Median(false, func(s *record.Socket) *float64 { return s.PacingRate }); known &&
			now >= 0.95*rates[0] {
			m.Add(record.Evidence{Host: host, Source: "TCP_INFO", Counter: "pacing_rate", After: new(now), Unit: "bit/s",
				Text: "they are paced at that limit: " + judge.Rate(now)})
		}
		if waiting, known := c.Sum(false, judge.Integer(func(s *record.Socket) *int64 { return s.NotSent })); known &&
			waiting > 0 {
			m.Add(record.Evidence{Host: host, Source: "TCP_INFO", Counter: "notsent", After: new(waiting), Unit: "bytes",
				Text: unit.Bytes(waiting).String() + " wait for it"})
		}
		// Pacing counts headers.
		m.Proves(all, c.Goodput, "pacing of all sockets "+judge.Rate(all), "goodput "+judge.Rate(c.Goodput))
		return m
	},
}
