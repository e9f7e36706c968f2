package cause

import (
	"fmt"

	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// The overhead of a segment of TCP over IPv4 on Ethernet: 52 for headers with timestamps, 38 for the frame and its
// gaps. A lab's shaper counts 14 of the latter.
const (
	segmentHeaders = 52
	wireHeaders    = 38
	shaperHeaders  = 14
)

// smallSegments is the cause where connections send smaller segments than both ends' MTU allows, because a route or
// something on the path announces a small maximum (advmss, MSS clamping). The identity compares the ceiling for that
// segment size with goodput.
var smallSegments = judge.Cause{
	ID: "small-segments", Title: "segments smaller than the MTU allows",
	Plain:   "Data go in smaller packets than the network was built for, so that more of it is packaging.",
	Applies: judge.TCP,
	Test: func(c *judge.Case) *judge.Match {
		a, b := c.Sender.NIC(), c.Receiver.NIC()
		mss, ok := c.Median(false, judge.Integer(func(s *record.Socket) *int64 { return s.MSS }))
		if a == nil || b == nil || a.MTU <= 0 || b.MTU <= 0 || !ok || mss <= 0 || c.Ceiling <= 0 ||
			c.Share() >= judge.AtCeiling {
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
		m := c.Candidate(c.Between()+": segment size", "is held back by small packets: each has %.0f bytes of data, "+
			"where the MTU of both ends allows %.0f, so that packaging takes more of the link.", mss, usual)
		m.Add(record.Evidence{Host: c.Sender.Host, Source: "TCP_INFO, ip link", Counter: "mss", Before: new(usual),
			After: new(mss), Unit: "bytes", Text: fmt.Sprintf("segments of %.0f bytes, with MTU %d and %d", mss, a.MTU, b.MTU)})
		m.Fix = fmt.Sprintf("look at the routes of both ends (ip route show): one that says advmss is set again without it "+
			"(ip route change ..)\nelse look for a firewall on the way that sets maxseg (nft: tcp option maxseg size set), "+
			"and for a limit in the program on %s (TCP_MAXSEG)", c.Receiver.Host)
		m.Undo = fmt.Sprintf("the same route with advmss %.0f", mss+12)
		if reported, ok := c.Median(true, judge.Integer(func(s *record.Socket) *int64 { return s.AdvMSS })); ok &&
			reported < 0.95*usual {
			m.Component = c.Receiver.Host + ": the segment size that it announces"
			m.Sentence = fmt.Sprintf("%s is held back by small packets. %s asks for at most %.0f bytes of data in each, "+
				"where the MTU of both ends allows %.0f. So headers take more of the link.",
				c.Subject(), c.Receiver.Host, reported, usual)
			m.Add(judge.Reading(c.Receiver.Host, "TCP_INFO", "advmss", reported, "bytes", "%s announced %.0f bytes as its "+
				"largest segment", c.Receiver.Host, reported))
		}
		m.Proves(c.Goodput, allowed, "goodput "+judge.Rate(c.Goodput), fmt.Sprintf("ceiling with segments of %.0f "+
			"bytes: %s", mss, judge.Rate(allowed)))
		return m
	},
}
