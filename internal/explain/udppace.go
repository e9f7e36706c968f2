package explain

import (
	"fmt"

	"linerate/internal/record"
)

// udpPaced: a sender of datagrams was asked for a rate, and that rate arrives. There is no connection that could say
// how it waits; the identity of both rates is the whole evidence.
var udpPaced = Cause{
	ID: appLimited.ID, Title: appLimited.Title, Transport: "udp",
	Test: func(c *Case) *Match {
		pace := c.Exp.Settings["pace"]
		if pace == "" {
			return nil
		}
		host := c.Sender.Host
		m := c.asPaced(host+": the sending program", fmt.Sprintf("the program on %s sends at %s a stream", host, pace), pace)
		if m == nil {
			return nil
		}
		m.Evidence = []record.Evidence{{Host: host, Source: "settings", Counter: "pace", Text: m.Identity.Left + ", and " + m.Identity.Right}}
		return m
	},
}
