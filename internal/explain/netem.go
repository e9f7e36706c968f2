package explain

import (
	"fmt"

	"linerate/internal/facts"
	"linerate/internal/record"
)

// netemLoss: a network emulator on the sender's own interface (tc-netem(8)) loses packets, as one that a test left behind does. TCP is not told,
// and takes them for losses on the way. The identity is what it dropped against the segments that were sent again.
var netemLoss = Cause{
	ID: "random-loss", Title: "losses that an emulator makes", Transport: "tcp",
	Test: func(c *Case) *Match {
		q, dropped := c.emulator()
		l := c.lost()
		if q == nil || l == nil || dropped < least || c.Share() >= atCeiling {
			return nil
		}
		host, nic := c.Sender.Host, c.Sender.Port.Interface
		// Without an inner discipline an outer one may pass nothing at all: another takes its place.
		at, fix := "parent "+q.Parent, fmt.Sprintf("tc qdisc replace dev %s parent %s pfifo limit 1000", nic, q.Parent)
		if q.Parent == "root" {
			at, fix = "root", fmt.Sprintf("tc qdisc del dev %s root", nic)
		}
		m := &Match{
			Strength: Candidate, Component: fmt.Sprintf("netem on %s of %s", nic, host),
			Sentence: fmt.Sprintf("%s is held back by losses that %s makes itself: a netem on %s threw away %.0f packets before they left.", c.subject(), host, nic, dropped),
			Evidence: []record.Evidence{{Host: host, Source: "tc -s qdisc show dev " + nic, Counter: "netem dropped", Before: ptr(0), After: ptr(dropped), Unit: "packets",
				Text: fmt.Sprintf("netem %s on %s dropped %.0f packets during the experiment", q.Handle, nic, dropped)}, l.evidence(c)},
			Fix:         fix,
			Undo:        fmt.Sprintf("netem again at %s of %s, with the words that tc qdisc show printed beforehand", at, nic),
			NextCeiling: c.nextCeiling(""),
		}
		c.accountFor(m, l, dropped, "packets dropped by netem")
		if m.Strength == Candidate && l.Segments > dropped && l.Dropped < 0.5*l.Segments {
			m.Strength = Likely // packets of several segments, as TCP hands them to a queue, count once
		}
		return m
	},
}

// emulator is the netem on the sender's interface that dropped most during the experiment; nil: there is none, or it was not there all of the time.
func (c *Case) emulator() (most *facts.Qdisc, dropped float64) {
	a, b := c.Sender.Shots.Before, c.Sender.NIC()
	if a == nil || b == nil || a.NIC(b.Name) == nil {
		return nil, 0
	}
	for i, q := range b.Qdiscs {
		if q.Kind != "netem" {
			continue
		}
		for _, p := range a.NIC(b.Name).Qdiscs {
			if p.Kind != q.Kind || p.Handle != q.Handle || p.Parent != q.Parent || q.Bytes < p.Bytes {
				continue
			}
			if n, why := grew(p.Drops, q.Drops, true); why == "" && n > dropped {
				most, dropped = &b.Qdiscs[i], n
			}
		}
	}
	return most, dropped
}
