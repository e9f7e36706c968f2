package cause

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// switchDrops reports whether switch ports counted the losses. Then one of these ports is the component, and the
// cross-check is the proof.
func switchDrops(c *judge.Case, m *judge.Match, l *losses) bool {
	total, most := 0.0, judge.Drop{}
	for _, d := range l.At {
		if total += d.Count; d.Count > most.Count {
			most = d
		}
	}
	// A port counts super-packets where hosts have segmentation offload.
	if total <= 0 || total*c.Merged() < 0.5*l.Segments {
		return false
	}
	m.Strength = judge.Likely
	m.Component = fmt.Sprintf("%s: %s", most.Host, most.Subject)
	m.Sentence = fmt.Sprintf("%s is held back by %s: %s has no room for what comes faster than it sends, and dropped "+
		"%.0f packets.", c.Subject(), most.Host, most.Subject, total)
	m.Add(judge.Rise(most.Host, most.Source, most.Counter, total, "packets", "%s on %s grew by %.0f during the experiment",
		most.Label(), most.Host, most.Count))
	m.Proves(total, l.Segments, fmt.Sprintf("%.0f packets dropped by %s", total, most.Host),
		fmt.Sprintf("%.0f segments lost and retransmitted", l.Segments))
	slowerPort(c, m)
	return true
}

// slowerPort names the switch port on the path that a queueing discipline makes slower than planned, if one was read.
func slowerPort(c *judge.Case, m *judge.Match) {
	for _, s := range c.Switches {
		n := s.Shots.Nic(s.Out)
		if n == nil {
			continue
		}
		q, ok := n.Slowest()
		set, known := q.Rate.Get()
		if !ok || !known || set <= 0 {
			continue
		}
		allowed, ok := throughPort(c, n, set)
		if !ok || allowed >= 0.97*c.Ceiling {
			continue
		}
		m.Component = fmt.Sprintf("%s: %s", s.Name, n.Name)
		m.Sentence = fmt.Sprintf("%s is held back by %s: a %s on its port %s lets %s through.", c.Subject(), s.Name, q.Kind,
			n.Name, set)
		m.Add(judge.Reading(s.Name, "tc -s qdisc show dev "+n.Name, q.Kind+" rate", float64(set), "bit/s",
			"%s %s on %s of %s: rate %s, for %s %s", q.Kind, q.Handle, n.Name, s.Name, set, strings.ToUpper(c.Chain.Transport),
			judge.Rate(allowed)))
		m.Fix, m.Undo = fmt.Sprintf("tc qdisc del dev %s root", n.Name), q.Restore(n.Name)
		m.Proves(c.Goodput, allowed, "goodput "+judge.Rate(c.Goodput), "what its rate allows: "+judge.Rate(allowed))
		return
	}
}

// throughPort returns the goodput of the experiment's transport through a queueing discipline of this rate, bits per
// second.
func throughPort(c *judge.Case, n *facts.Interface, set unit.BitRate) (float64, bool) {
	if c.OverUDP() {
		size, err := unit.ParseBytes(c.Exp.InEffect["size"])
		if err != nil || n.MTU <= 0 {
			return 0, false
		}
		v, err := ceiling.UDPMessagesThroughShaper(set, ceiling.Ethernet{MTU: n.MTU}, int(size))
		return float64(v.Rate), err == nil
	}
	mss, ok := c.Median(false, judge.Integer(func(s *record.Socket) *int64 { return s.MSS }))
	if !ok || mss <= 0 {
		return 0, false
	}
	v, err := ceiling.TCPThroughShaper(set, ceiling.Ethernet{MTU: int(mss) + segmentHeaders, Timestamps: true})
	if err != nil {
		return 0, false
	}
	return float64(v.Rate), true
}
