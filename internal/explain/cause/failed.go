package cause

import (
	"fmt"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// Failed returns the verdict on an experiment without a figure: a cause that needs no figure, or unknown. Where
// connections opened and only full segments do not arrive, it has candidates. Nil: there is no verdict.
func Failed(c *judge.Case, all Tables) *record.Verdict {
	if c.Exp.Failed == "" || !method.Named(c.Exp.Method).Bulk && !c.OverRDMA() {
		return nil
	}
	v := &record.Verdict{Limiter: record.LimiterUnknown, Component: "not known", Unknown: unknowns(c),
		Sentence: fmt.Sprintf("%s was not measured to its end: %s.", c.Subject(), strings.TrimSuffix(c.Exp.Failed, "."))}
	d := judge.Judge(c, 0, judge.Failing(all.Network), judge.FirstEvidence)
	if d.Match != nil {
		conclude(c, v, d.Match)
		return v
	}
	v.Candidates = d.Candidates
	a, b := c.Sender.NIC(), c.Receiver.NIC()
	if c.OverUDP() || c.OverRDMA() || a == nil || b == nil || a.MTU <= 0 || b.MTU <= 0 {
		return v
	}
	timeouts, why0 := c.Delta(c.Sender, "TcpExt.TCPTimeouts")
	small, why1 := c.Delta(c.Receiver, "TcpExt.TCPOFOQueue")
	r, why2 := c.Retransmitted()
	if why0 != "" || why1 != "" || why2 != "" || timeouts.Net < 1 || r.All < 1 {
		return v
	}
	text := fmt.Sprintf("%.0f segments were retransmitted and %.0f timers ran out on "+
		"%s", r.All, timeouts.Net, c.Sender.Host)
	if small.Net > 0 {
		text += fmt.Sprintf("; %.0f small segments that were sent behind the missing ones arrived at %s", small.Net,
			c.Receiver.Host)
	}
	v.Candidates = append(v.Candidates, record.Candidate{Limiter: mtuBlackHole.ID, Text: text})
	v.NextExperiment = largestPing(c, min(a.MTU, b.MTU))
	return v
}
