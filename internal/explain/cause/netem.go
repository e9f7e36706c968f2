package cause

import (
	"fmt"

	"linerate/internal/explain/judge"
)

// netemLoss is the cause where a network emulator on the sender's own interface (tc-netem(8)) loses packets, such as a
// leftover of a test. TCP takes these for losses on the path. The identity compares its drops with the retransmitted
// segments.
var netemLoss = judge.Cause{
	ID: "random-loss", Title: "losses that an emulator makes", Applies: judge.TCP, Settles: goneAtLowerRate,
	Test: func(c *judge.Case) *judge.Match {
		q, dropped := c.Emulator()
		l := lost(c)
		if q == nil || l == nil || dropped < minLosses || c.Share() >= judge.AtCeiling {
			return nil
		}
		host, nic := c.Sender.Host, c.Sender.Port.Interface
		// Without an inner discipline an outer one may pass nothing at all, so the inner one is replaced.
		at, fix := "parent "+q.Parent, fmt.Sprintf("tc qdisc replace dev %s parent %s pfifo limit 1000", nic, q.Parent)
		if q.Parent == "root" {
			at, fix = "root", fmt.Sprintf("tc qdisc del dev %s root", nic)
		}
		m := c.Candidate(fmt.Sprintf("netem on %s of %s", nic, host), "is held back by losses that %s makes itself: a "+
			"netem on %s threw away %.0f packets before they left.", host, nic, dropped)
		m.Add(judge.Rise(host, "tc -s qdisc show dev "+nic, "netem dropped", dropped, "packets", "netem %s on %s dropped "+
			"%.0f packets during the experiment", q.Handle, nic, dropped), l.evidence(c))
		m.Fix = fix
		m.Undo = fmt.Sprintf("netem again at %s of %s, with the words that tc qdisc show printed beforehand", at, nic)
		accountFor(c, m, l, dropped, "packets dropped by netem")
		if m.Strength == judge.Candidate && l.Segments > dropped && l.Dropped < 0.5*l.Segments {
			m.Strength = judge.Likely // a packet of several segments, as TCP passes it to a queue, counts once
		}
		return m
	},
}
