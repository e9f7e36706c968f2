package explain

import (
	"fmt"
	"math"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// otherTraffic: the wire is full, but not of what was measured. The identity is what was measured with what else passed the interface in the
// same time, against what the link carries.
var otherTraffic = Cause{
	ID: "other-traffic", Title: "other traffic on the link",
	Test: func(c *Case) *Match {
		if c.Ceiling <= 0 {
			return nil
		}
		for _, at := range []struct {
			side         Side
			counter, way string
		}{{c.Receiver, "rx", "to"}, {c.Sender, "tx", "from"}} {
			all, idle, seconds, ok := c.passed(at.side, at.counter)
			if !ok || len(c.Exp.Repeats) == 0 {
				continue
			}
			ours, steady := c.most(seconds)
			other := all - ours
			if other < 0.1*all || all < 0.8*c.Ceiling {
				continue // what headers and the ends of the window leave open, or a link that is not full
			}
			nic := at.side.Port.Interface
			m := &Match{
				Strength: Candidate, Component: fmt.Sprintf("%s: %s", at.side.Host, nic),
				Sentence: fmt.Sprintf("%s shares its link with other traffic: %s more went %s %s at the same time.", c.subject(), rate(other), at.way, at.side.Host),
				Evidence: []record.Evidence{{Host: at.side.Host, Source: "counters of " + nic, Counter: "payload", After: ptr(all), Unit: "bit/s",
					Text: fmt.Sprintf("%s of payload passed %s in %s of the steady window, and %s of it were measured", rate(all), nic, unit.Seconds(seconds), rate(ours))}},
				Fix:         fmt.Sprintf("find who else uses the link (on %s: ss -tunp shows its own connections, tcpdump -ni %s those of others), and measure again when it is free", at.side.Host, nic),
				Undo:        nothingSet,
				NextCeiling: c.nextCeiling(""),
			}
			if d, near := closes(all, c.Ceiling); near && steady {
				m.Strength = Proved
				m.Identity = &record.Identity{Left: fmt.Sprintf("measured %s + other %s = %s", rate(ours), rate(other), rate(all)), Right: "ceiling " + rate(c.Ceiling), Difference: d}
			}
			if idle > 0.05*all {
				m.Evidence = append(m.Evidence, record.Evidence{Host: at.side.Host, Source: "counters of " + nic, Counter: "payload without load", After: ptr(idle), Unit: "bit/s",
					Text: fmt.Sprintf("%s pass %s also while nothing is measured", rate(idle), nic)})
			}
			return m
		}
		return nil
	},
}

// passed is the payload that an interface carried in the steady window, in bits per second, whoever's it was: what it carries without load is
// not taken off. Idle is that, as far as it is known.
func (c *Case) passed(side Side, counter string) (all, idle, seconds float64, ok bool) {
	if side.Port == nil {
		return 0, 0, 0, false
	}
	first, last, why := c.inWindow(side)
	if why != "" {
		return 0, 0, 0, false
	}
	bytes, why0 := side.Shots.growthOf(side.Port.Interface, counter+"_bytes", first, last)
	packets, why1 := side.Shots.growthOf(side.Port.Interface, counter+"_packets", first, last)
	if why0 != "" || why1 != "" || bytes.Seconds <= 0 {
		return 0, 0, 0, false
	}
	header := frameHeaders(side.Port.Address.Addr().String())
	all = max(0, bytes.Gross-packets.Gross*header)
	if !c.overUDP() {
		all -= c.twice(side, counter)
	}
	if bytes.Idle != nil && packets.Idle != nil {
		idle = max(0, *bytes.Idle-*packets.Idle*header) * 8
	}
	return all * 8 / bytes.Seconds, idle, bytes.Seconds, true
}

// twice is the payload in bytes that a counter of an interface has and goodput has not, because it was sent again: at the sender all that was,
// at the receiver what it dropped behind that counter (receive-drops: the queue of its card or of its cores was full).
func (c *Case) twice(side Side, counter string) float64 {
	mss, known := c.median(false, count(func(s *record.Socket) *int64 { return s.MSS }))
	grown := func(s Side, nic, counter string) (float64, bool) {
		first, last, why := c.inWindow(s)
		if why != "" {
			return 0, false
		}
		g, why := s.Shots.growthOf(nic, counter, first, last)
		return g.Gross, why == ""
	}
	n, sent := grown(c.Sender, "", "Tcp.RetransSegs")
	if counter == "rx" {
		dropped, ok := grown(side, side.Port.Interface, "receive-drops")
		n, sent = min(n, dropped), sent && ok
	}
	if !known || !sent {
		return 0
	}
	return n * mss
}

// most is the most that any part of the steady window of so many seconds carried, in bits per second. Captures are made in a part of the window
// that is not known to the slice, and a connection that stood still elsewhere carries more there than on average. Ok is false if goodput over
// time was not kept.
func (c *Case) most(seconds float64) (bits float64, ok bool) {
	mean := along(&c.Exp.Repeats[0], c.direction)
	_, most, ok := c.parts(seconds)
	if !ok {
		return mean, false
	}
	return max(most, mean), true
}

// parts is the least and the most that any part of the steady window of so many seconds carried, in bits per second.
func (c *Case) parts(seconds float64) (least, most float64, ok bool) {
	r := &c.Exp.Repeats[0]
	series := r.SeriesOut
	if c.direction == "in" {
		series = r.SeriesIn
	}
	n := int(seconds / max(r.Slice, 1e-3))
	if r.Slice <= 0 || n < 2 || n > len(series) {
		return 0, 0, false
	}
	least = math.Inf(1)
	for i := range len(series) - n + 1 {
		sum := 0.0
		for _, v := range series[i : i+n] {
			sum += v
		}
		least, most = min(least, sum/float64(n)), max(most, sum/float64(n))
	}
	return least, most, true
}
