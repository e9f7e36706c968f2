package explain

import (
	"fmt"
	"strings"

	"linerate/result"
)

// failed is the verdict on an experiment that gave no figure: what holds it back is not known, or, where connections were made and only their full
// segments are missing, candidates. nil: it is none that a verdict is given on.
func failed(c *Case) *result.Verdict {
	if c.Exp.Failed == "" || c.Exp.Method != "stream" {
		return nil
	}
	v := &result.Verdict{Limiter: NotKnown, Component: "not known", Unknown: c.unknowns(),
		Sentence: fmt.Sprintf("%s was not measured to its end: %s.", c.subject(), strings.TrimSuffix(c.Exp.Failed, "."))}
	a, b := c.Sender.NIC(), c.Receiver.NIC()
	if c.overUDP() || a == nil || b == nil || a.MTU <= 0 || b.MTU <= 0 {
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
	v.Candidates = []result.Candidate{{Limiter: mtuBlackHole.ID, Text: text}}
	v.NextExperiment = largestPing(c.Sender.Host, min(a.MTU, b.MTU))
	return v
}

// largestPing finds what the way carries by packets that may not be cut.
func largestPing(from string, mtu int) string {
	return fmt.Sprintf("ping -M do -s %d from %s, and with -s 1472: the largest that is answered is what the way carries", mtu-28, from)
}
