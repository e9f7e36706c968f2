package explain

import (
	"fmt"

	"linerate/internal/record"
)

// segmentOverhead is what a segment of TCP over IPv4 takes besides its payload on Ethernet: headers with timestamps 52, frame and its gaps 38.
// A lab's shaper counts 14 of the latter.
const (
	segmentHeaders = 52
	wireHeaders    = 38
	shaperHeaders  = 14
)

// smallSegments: connections send smaller segments than both ends' MTU allows, because a route or something on the way announces a small
// maximum (advmss, MSS clamping). The identity is the ceiling with that segment size against goodput.
var smallSegments = Cause{
	ID: "small-segments", Title: "segments smaller than the MTU allows", Transport: "tcp",
	Test: func(c *Case) *Match {
		a, b := c.Sender.NIC(), c.Receiver.NIC()
		mss, ok := c.median(false, count(func(s *record.Socket) *int64 { return s.MSS }))
		if a == nil || b == nil || a.MTU <= 0 || b.MTU <= 0 || !ok || mss <= 0 || c.Ceiling <= 0 || c.Share() >= atCeiling {
			return nil
		}
		usual := float64(min(a.MTU, b.MTU) - segmentHeaders)
		if mss >= 0.95*usual {
			return nil
		}
		around := float64(segmentHeaders + wireHeaders)
		if c.Lab {
			around = segmentHeaders + shaperHeaders
		}
		allowed := c.Ceiling * mss / (mss + around) / (usual / (usual + around))
		m := &Match{
			Strength: Candidate, Component: c.between() + ": segment size",
			Sentence: fmt.Sprintf("%s is held back by small packets: each has %.0f bytes of data, where the MTU of both ends allows %.0f, so that packaging takes more of the link.", c.subject(), mss, usual),
			Evidence: []record.Evidence{{Host: c.Sender.Host, Source: "TCP_INFO, ip link", Counter: "mss", Before: ptr(usual), After: ptr(mss), Unit: "bytes",
				Text: fmt.Sprintf("segments of %.0f bytes, with MTU %d and %d", mss, a.MTU, b.MTU)}},
			Fix: fmt.Sprintf("look at the routes of both ends (ip route show): one that says advmss is set anew without it (ip route change ..)\n"+
				"else look for a firewall on the way that sets maxseg (nft: tcp option maxseg size set), and for a limit in the program on %s (TCP_MAXSEG)", c.Receiver.Host),
			Undo:        fmt.Sprintf("the same route with advmss %.0f", mss+12),
			NextCeiling: c.nextCeiling(""),
		}
		if told, ok := c.median(true, count(func(s *record.Socket) *int64 { return s.AdvMSS })); ok && told < 0.95*usual {
			m.Component = c.Receiver.Host + ": the segment size that it announces"
			m.Sentence = fmt.Sprintf("%s is held back by small packets: %s asks for at most %.0f bytes of data in each, where the MTU of both ends allows %.0f, so that packaging takes more of the link.",
				c.subject(), c.Receiver.Host, told, usual)
			m.Evidence = append(m.Evidence, record.Evidence{Host: c.Receiver.Host, Source: "TCP_INFO", Counter: "advmss", After: ptr(told), Unit: "bytes",
				Text: fmt.Sprintf("%s announced %.0f bytes as its largest segment", c.Receiver.Host, told)})
		}
		if d, near := closes(c.Goodput, allowed); near {
			m.Strength = Proved
			m.Identity = &record.Identity{Left: "goodput " + rate(c.Goodput), Right: fmt.Sprintf("ceiling with segments of %.0f bytes: %s", mss, rate(allowed)), Difference: d}
		}
		return m
	},
}
