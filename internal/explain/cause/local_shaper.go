package cause

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// LocalShaper is the cause where a queueing discipline on the sender's own interface limits the rate (a leftover tbf or
// htb). In the chain it is the lowest ceiling. Its overlimits counter and its queued bytes show that it limits.
var LocalShaper = judge.Cause{
	ID: "local-shaper", Title: "a shaper on the sender", Label: "a shaper",
	Plain:   "The sending machine is limited to this rate. The NICs and the cable could do more.",
	Applies: judge.AnyTransport,
	Test: func(c *judge.Case) *judge.Match {
		if c.Chain == nil {
			return nil
		}
		hop := c.Chain.Lowest()
		if hop == nil || hop.Kind != "shaper" || labLink(c, hop) {
			return nil
		}
		q, ok := limitingQdisc(c)
		if !ok {
			return nil
		}
		host, nic := c.Sender.Host, c.Sender.Port.Interface
		if !strings.HasSuffix(hop.Component, " of "+host) {
			return nil // both directions at once: it limits the other one
		}
		set, _ := q.Rate.Get()
		m := &judge.Match{
			Component: hop.Component,
			Sentence: fmt.Sprintf("%s is held back by %s: a limit (%s) on %s lets %s through, of which data have %s.",
				c.Subject(), host, q.Kind, nic, set, judge.Rate(c.Goodput)),
			Evidence: []record.Evidence{judge.Reading(host, "tc -s qdisc show dev "+nic, q.Kind+" rate", float64(set),
				"bit/s", "%s %s on %s: rate %s, a ceiling of %s for %s", q.Kind, q.Handle, nic, set, judge.Rate(c.Ceiling),
				strings.ToUpper(c.Chain.Transport))},
			Fix:         fmt.Sprintf("tc qdisc del dev %s root", nic),
			Undo:        q.Restore(nic),
			NextCeiling: c.NextCeiling("shaper"),
		}
		if c.Lab {
			// The lab's own link is such a shaper: removing it would remove the link.
			m.Fix, m.Undo = "build the lab again, and the link's own shaper comes back: linerate lab down, then linerate lab up",
				""
		}
		m.Proves(c.Goodput, c.Ceiling, "goodput "+judge.Rate(c.Goodput), "shaper's ceiling "+judge.Rate(c.Ceiling))
		waiting, known := c.Sum(false, judge.Integer(func(s *record.Socket) *int64 { return s.WmemAlloc }))
		if known && waiting > 0 {
			m.Add(judge.Reading(host, "SO_MEMINFO", "wmem_alloc", waiting, "bytes", "%s wait in the sender's own queue "+
				"(wmem_alloc)", unit.Bytes(waiting)))
		}
		if over, ok := overlimits(c, q); ok && over > 0 {
			m.Add(record.Evidence{Host: host, Source: "tc -s qdisc show dev " + nic, Counter: "overlimits",
				Before: new(float64(q.Overlimits) - over), After: new(float64(q.Overlimits)), Unit: "packets",
				Text: fmt.Sprintf("overlimits grew by %.0f during the measurement", over)})
			// A goodput far below the shaper's rate is evidence against it.
			if m.Strength == 0 && known && waiting > 0 && c.Share() >= 0.9 {
				m.Strength = judge.Likely
			}
		}
		m.Strength = cmp.Or(m.Strength, judge.Candidate)
		return m
	},
}

// labLink reports whether a hop is the token bucket of a lab at the sender's end of a link, in a measurement that
// connects to its hosts one by one. It represents the wire, and without it the link has no rate. It is recognized by
// the handle 11: at the root of the interface, and by its depth.
func labLink(c *judge.Case, hop *record.Hop) bool {
	if c.Lab || hop.Kind != "shaper" || !InLab(c.Connections[c.Sender.Host]) {
		return false
	}
	n := c.Sender.NIC()
	return n != nil && OwnBucket(n)
}

// OwnBucket reports whether the lowest rate of an interface is that of a lab's own token bucket.
func OwnBucket(n *facts.Interface) bool {
	q, ok := n.Slowest()
	set, rated := q.Rate.Get()
	burst, known := q.Burst.Get()
	if !ok || !rated || !known || q.Kind != "tbf" || q.Handle != "11:" || q.Parent != "root" {
		return false
	}
	own, _ := ceiling.Bucket(set, n.MTU)
	return math.Abs(float64(burst)-float64(own)) <= 0.01*float64(own) // the kernel rounds it to its ticks
}

// InLab reports whether a connection is to a host of a lab.
func InLab(connection string) bool { return strings.HasPrefix(connection, "lab ") }

// limitingQdisc returns the queueing discipline with the lowest rate on the sender's interface.
func limitingQdisc(c *judge.Case) (facts.Qdisc, bool) {
	n := c.Sender.NIC()
	if n == nil {
		return facts.Qdisc{}, false
	}
	return n.Slowest()
}

// overlimits returns how often the discipline delayed a packet during the experiment.
func overlimits(c *judge.Case, after facts.Qdisc) (float64, bool) {
	if c.Sender.Shots.Before == nil {
		return 0, false
	}
	n := c.Sender.Shots.Before.NIC(c.Sender.Port.Interface)
	if n == nil {
		return 0, false
	}
	for _, q := range n.Qdiscs {
		if q.Kind == after.Kind && q.Handle == after.Handle && after.Overlimits >= q.Overlimits {
			return float64(after.Overlimits - q.Overlimits), true
		}
	}
	return 0, false
}
