package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// socketPacing: the kernel keeps the sender's sockets to a rate that nobody asked this experiment for: a program, a wrapper or a control
// group's program has set it on them (SO_MAX_PACING_RATE). The identity is that rate, over all streams, against goodput.
var socketPacing = Cause{
	ID: "socket-pacing", Title: "a rate set on the sockets", Transport: "tcp",
	Test: func(c *Case) *Match {
		rates, ok := c.each(false, func(s *record.Socket) *float64 { return s.MaxPacingRate })
		if !ok || c.Exp.Settings["pace"] != "" {
			return nil
		}
		all := 0.0
		for _, v := range rates {
			all += v
		}
		host := c.Sender.Host
		m := &Match{
			Strength: Candidate, Component: host + ": the pacing of its sockets",
			Sentence: fmt.Sprintf("%s is held back by %s: its sockets are paced to %s each, which the experiment did not ask for.", c.subject(), host, rate(rates[0])),
			Evidence: []record.Evidence{{Host: host, Source: "TCP_INFO", Counter: "max_pacing_rate", After: ptr(rates[0]), Unit: "bit/s", Text: "the kernel lets each connection have " + rate(rates[0])}},
			Fix:      "find who limits them, and take it away there: the program itself (SO_MAX_PACING_RATE), what starts it, or a program of its control group (bpftool cgroup tree shows those)",
			Undo:     "the limit as it was, " + rate(rates[0]) + " a socket", NextCeiling: c.nextCeiling(""),
		}
		// What is in effect is never above the limit; paced, the program hands over all that there is room for.
		if now, known := c.median(false, func(s *record.Socket) *float64 { return s.PacingRate }); known && now >= 0.95*rates[0] {
			m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "TCP_INFO", Counter: "pacing_rate", After: ptr(now), Unit: "bit/s", Text: "they are paced at that limit: " + rate(now)})
		}
		if waiting, known := c.sum(false, count(func(s *record.Socket) *int64 { return s.NotSent })); known && waiting > 0 {
			m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "TCP_INFO", Counter: "notsent", After: ptr(waiting), Unit: "bytes", Text: unit.Bytes(waiting).String() + " wait for it"})
		}
		// Frames are paced, of which headers are a part.
		if d, near := closes(all, c.Goodput); near {
			m.Strength = Proved
			m.Identity = &record.Identity{Left: "pacing of all sockets " + rate(all), Right: "goodput " + rate(c.Goodput), Difference: d}
		}
		return m
	},
}
