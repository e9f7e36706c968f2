package cause

import (
	"fmt"

	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// udpPaced is the cause where the requested rate of datagrams arrives. Without a connection there are no socket
// counters, so the identity of both rates is the only evidence.
var udpPaced = judge.Cause{
	ID: AppLimited.ID, Title: AppLimited.Title, Applies: judge.UDP,
	Test: func(c *judge.Case) *judge.Match {
		pace := c.Exp.Settings["pace"]
		if pace == "" {
			return nil
		}
		host := c.Sender.Host
		m := asPaced(c, host+": the sending program", fmt.Sprintf("the program on %s sends at %s a stream", host, pace), pace)
		if m == nil {
			return nil
		}
		m.Evidence = []record.Evidence{{Host: host, Source: "settings", Counter: "pace",
			Text: m.Identity.Left + ", and " + m.Identity.Right}}
		return m
	},
}
