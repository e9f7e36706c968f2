package explain

import (
	"fmt"
	"math"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// localShaper: a queueing discipline on the sender's own interface holds the
// rate down (a leftover tbf or htb). The chain already says that it is the lowest
// ceiling; its overlimits counter and the bytes that wait in it say that it binds.
var localShaper = Cause{
	ID: "local-shaper", Title: "a shaper on the sender", RDMA: true,
	Test: func(c *Case) *Match {
		if c.Chain == nil {
			return nil
		}
		hop := c.Chain.Lowest()
		if hop == nil || hop.Kind != "shaper" || c.labLink(hop) {
			return nil
		}
		q, ok := c.limitingQdisc()
		if !ok {
			return nil
		}
		host, nic := c.Sender.Host, c.Sender.Port.Interface
		set, _ := q.Rate.Get()
		m := &Match{
			Component: hop.Component,
			Sentence: fmt.Sprintf("%s is held back by %s: a limit (%s) on %s lets %s through, of which data have %s.",
				c.subject(), host, q.Kind, nic, set, rate(c.Goodput)),
			Evidence: []record.Evidence{{Host: host, Source: "tc -s qdisc show dev " + nic, Counter: q.Kind + " rate", After: ptr(float64(set)), Unit: "bit/s",
				Text: fmt.Sprintf("%s %s on %s: rate %s, a ceiling of %s for %s", q.Kind, q.Handle, nic, set, rate(c.Ceiling), strings.ToUpper(c.Chain.Transport))}},
			Fix:         fmt.Sprintf("tc qdisc del dev %s root", nic),
			Undo:        q.Restore(nic),
			NextCeiling: c.nextCeiling("shaper"),
		}
		if c.Lab {
			// The lab's own link is such a shaper: taking it away would take the link away.
			m.Fix, m.Undo = "build the lab anew, and the link's own shaper comes back: linerate lab down, then linerate lab up", ""
		}
		if d, near := closes(c.Goodput, c.Ceiling); near {
			m.Identity = &record.Identity{Left: "goodput " + rate(c.Goodput), Right: "shaper's ceiling " + rate(c.Ceiling), Difference: d}
			m.Strength = Proved
		}
		waiting, known := c.sum(false, count(func(s *record.Socket) *int64 { return s.WmemAlloc }))
		if known && waiting > 0 {
			m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "SO_MEMINFO", Counter: "wmem_alloc", After: ptr(waiting), Unit: "bytes",
				Text: fmt.Sprintf("%s wait in the sender's own queue (wmem_alloc)", unit.Bytes(waiting))})
		}
		if over, ok := c.overlimits(q); ok && over > 0 {
			m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "tc -s qdisc show dev " + nic, Counter: "overlimits", Before: ptr(float64(q.Overlimits) - over), After: ptr(float64(q.Overlimits)), Unit: "packets",
				Text: fmt.Sprintf("overlimits grew by %.0f during the measurement", over)})
			// A goodput far below what the shaper lets through speaks against it.
			if m.Strength == 0 && known && waiting > 0 && c.Share() >= 0.9 {
				m.Strength = Likely
			}
		}
		if m.Strength == 0 {
			m.Strength = Candidate
		}
		return m
	},
}

// labLink says whether a hop is the token bucket that a lab gave the sender's end of a link, in a measurement that got at its hosts one by one: it stands
// for the wire there, and without it the link has no rate. The lab gives it the handle 11: at the root of the interface, and a depth of its own.
func (c *Case) labLink(hop *record.Hop) bool {
	if c.Lab || hop.Kind != "shaper" || !inLab(c.Reaches[c.Sender.Host]) {
		return false
	}
	n := c.Sender.NIC()
	return n != nil && ownBucket(n)
}

// ownBucket says whether the lowest rate of an interface is that of a lab's own token bucket.
func ownBucket(n *facts.Interface) bool {
	q, ok := n.Slowest()
	set, rated := q.Rate.Get()
	burst, known := q.Burst.Get()
	if !ok || !rated || !known || q.Kind != "tbf" || q.Handle != "11:" || q.Parent != "root" {
		return false
	}
	own, _ := ceiling.Bucket(set, n.MTU)
	return math.Abs(float64(burst)-float64(own)) <= 0.01*float64(own) // the kernel keeps it in its ticks
}

// inLab says whether a reach leads into a lab.
func inLab(reach string) bool { return strings.HasPrefix(reach, "lab ") }

// limitingQdisc is the queueing discipline with the lowest rate on the sender's interface.
func (c *Case) limitingQdisc() (facts.Qdisc, bool) {
	n := c.Sender.NIC()
	if n == nil {
		return facts.Qdisc{}, false
	}
	return n.Slowest()
}

// overlimits is how often the discipline held a packet back during the experiment.
func (c *Case) overlimits(after facts.Qdisc) (float64, bool) {
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
