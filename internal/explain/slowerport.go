package explain

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// switchDrops is true when the losses are those that ports of switches counted: then one of them is the component, and the account is the proof.
func (c *Case) switchDrops(m *Match, l *losses) bool {
	total, most := 0.0, drop{}
	for _, d := range l.At {
		if total += d.Count; d.Count > most.Count {
			most = d
		}
	}
	// A port counts super-packets where hosts have segmentation offload.
	if total <= 0 || total*c.merged() < 0.5*l.Segments {
		return false
	}
	m.Strength = Likely
	m.Component = fmt.Sprintf("%s: %s", most.Host, most.Subject)
	m.Sentence = fmt.Sprintf("%s is held back by %s: %s has no room for what comes faster than it sends, and dropped %.0f packets.", c.subject(), most.Host, most.Subject, total)
	m.Evidence = append(m.Evidence, record.Evidence{Host: most.Host, Source: most.Source, Counter: most.Counter, Before: ptr(0), After: ptr(total), Unit: "packets",
		Text: fmt.Sprintf("%s on %s grew by %.0f during the experiment", most.what(), most.Host, most.Count)})
	if d, ok := closes(total, l.Segments); ok {
		m.Identity = &record.Identity{Left: fmt.Sprintf("%.0f packets dropped by %s", total, most.Host), Right: fmt.Sprintf("%.0f segments lost and sent again", l.Segments), Difference: d}
		m.Strength = Proved
	}
	c.slowerPort(m)
	return true
}

// slowerPort names the port of a switch on the way that a queueing discipline makes slower than what it is planned for, if one was read.
func (c *Case) slowerPort(m *Match) {
	for _, s := range c.Switches {
		n := s.Shots.nic(s.Out)
		if n == nil {
			continue
		}
		q, ok := n.Slowest()
		set, known := q.Rate.Get()
		if !ok || !known || set <= 0 {
			continue
		}
		allowed, ok := c.throughPort(n, set)
		if !ok || allowed >= 0.97*c.Ceiling {
			continue
		}
		m.Component = fmt.Sprintf("%s: %s", s.Name, n.Name)
		m.Sentence = fmt.Sprintf("%s is held back by %s: a %s on its port %s lets %s through.", c.subject(), s.Name, q.Kind, n.Name, set)
		m.Evidence = append(m.Evidence, record.Evidence{Host: s.Name, Source: "tc -s qdisc show dev " + n.Name, Counter: q.Kind + " rate", After: ptr(float64(set)), Unit: "bit/s",
			Text: fmt.Sprintf("%s %s on %s of %s: rate %s, for %s %s", q.Kind, q.Handle, n.Name, s.Name, set, strings.ToUpper(c.Chain.Transport), rate(allowed))})
		m.Fix, m.Undo = fmt.Sprintf("tc qdisc del dev %s root", n.Name), q.Restore(n.Name)
		if d, near := closes(c.Goodput, allowed); near {
			m.Strength = Proved
			m.Identity = &record.Identity{Left: "goodput " + rate(c.Goodput), Right: "what its rate allows: " + rate(allowed), Difference: d}
		}
		return
	}
}

// throughPort is what the experiment's transport gets through a queueing discipline of a rate, bits per second.
func (c *Case) throughPort(n *facts.Interface, set unit.BitRate) (float64, bool) {
	if c.overUDP() {
		size, err := unit.ParseBytes(c.Exp.InEffect["size"])
		if err != nil || n.MTU <= 0 {
			return 0, false
		}
		v, err := ceiling.UDPMessagesThroughShaper(set, ceiling.Ethernet{MTU: n.MTU}, int(size))
		return float64(v.Rate), err == nil
	}
	mss, ok := c.median(false, count(func(s *record.Socket) *int64 { return s.MSS }))
	if !ok || mss <= 0 {
		return 0, false
	}
	v, err := ceiling.TCPThroughShaper(set, ceiling.Ethernet{MTU: int(mss) + segmentHeaders, Timestamps: true})
	if err != nil {
		return 0, false
	}
	return float64(v.Rate), true
}
