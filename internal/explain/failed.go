package explain

import (
	"fmt"
	"strings"

	"linerate/internal/record"
)

// failed is the verdict on an experiment that gave no figure: a cause that can be told without one, or what holds it back is not known, or, where
// connections were made and only their full segments are missing, candidates. nil: it is none that a verdict is given on.
func failed(c *Case, all tables) *record.Verdict {
	if c.Exp.Failed == "" || c.Exp.Method != "stream" && !c.overRDMA() {
		return nil
	}
	v := &record.Verdict{Limiter: NotKnown, Component: "not known", Unknown: c.unknowns(),
		Sentence: fmt.Sprintf("%s was not measured to its end: %s.", c.subject(), strings.TrimSuffix(c.Exp.Failed, "."))}
	for _, cause := range all.causes {
		if cause.Fails == nil || !cause.possible(c) {
			continue
		}
		m := cause.Fails(c)
		switch {
		case m == nil:
		case m.Strength >= Likely:
			v.Limiter = cause.ID
			c.conclude(v, m)
			return v
		default:
			v.Candidates = append(v.Candidates, record.Candidate{Limiter: cause.ID, Text: m.Evidence[0].Text})
		}
	}
	a, b := c.Sender.NIC(), c.Receiver.NIC()
	if c.overUDP() || c.overRDMA() || a == nil || b == nil || a.MTU <= 0 || b.MTU <= 0 {
		return v
	}
	timeouts, why0 := c.delta(c.Sender, "TcpExt.TCPTimeouts")
	small, why1 := c.delta(c.Receiver, "TcpExt.TCPOFOQueue")
	r, why2 := c.retransmitted()
	if why0 != "" || why1 != "" || why2 != "" || timeouts.Net < 1 || r.All < 1 {
		return v
	}
	text := fmt.Sprintf("%.0f segments were sent again and %.0f timers ran out on %s", r.All, timeouts.Net, c.Sender.Host)
	if small.Net > 0 {
		text += fmt.Sprintf("; %.0f small segments that were sent behind the missing ones arrived at %s", small.Net, c.Receiver.Host)
	}
	v.Candidates = append(v.Candidates, record.Candidate{Limiter: mtuBlackHole.ID, Text: text})
	v.NextExperiment = c.largestPing(min(a.MTU, b.MTU))
	return v
}

// largestPing finds what the way carries by packets that may not be cut.
func (c *Case) largestPing(mtu int) string {
	to := "ADDRESS"
	if c.Receiver.Port != nil && c.Receiver.Port.Address.IsValid() {
		to = c.Receiver.Port.Address.Addr().String()
	}
	ask := func(size int) string {
		return c.typedAt("", fmt.Sprintf("on %s: ping -c 3 -M do -s %d %s", c.Sender.Host, size, to))
	}
	return ask(mtu-28) + "\n" + ask(1472) + "\nthe larger of the two that is answered is what the way carries"
}
