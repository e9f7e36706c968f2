package cause

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// cwndClamp is the cause where a metric of the sender's route bounds the segments that a connection has in flight. The
// identity is congestion window / round trip = goodput. Linux takes the bound from its cached metrics of an address (ip
// tcp_metrics). A first connection is therefore not bound, and removing the metric from the route has no effect for an
// hour.
var cwndClamp = judge.Cause{
	ID: "cwnd-clamp", Title: "a route's congestion window",
	Plain:   "Something on the sending machine limits the connection. The network could do more.",
	Applies: judge.TCP,
	Test: func(c *judge.Case) *judge.Match {
		after := c.Sender.Shots.After
		if after == nil || c.Receiver.Port == nil {
			return nil
		}
		r, ok := after.RouteTo(c.Receiver.Port.Address.Addr())
		if !ok || r.Cwnd <= 0 {
			return nil
		}
		host := c.Sender.Host
		m := c.Candidate(fmt.Sprintf("%s: the route to %s", host, r.Dst), "is held back by a route of %s: a connection "+
			"over it may have no more than %d packets on its way.", host, r.Cwnd)
		m.Add(judge.Reading(host, "ip route get "+c.Receiver.Port.Address.Addr().String(), "cwnd", float64(r.Cwnd),
			"segments", "the route to %s over %s has cwnd %d", r.Dst, r.Interface, r.Cwnd))
		m.Fix = "ip route change " + routeWords(r) + "\nip tcp_metrics flush " + c.Receiver.Port.Address.Addr().String() +
			"\nwithout the second the kernel remembers it for an hour"
		m.Undo = fmt.Sprintf("ip route change %s cwnd lock %d", routeWords(r), r.Cwnd)
		windows, read := c.Each(false, judge.Integer(func(s *record.Socket) *int64 { return s.Cwnd }))
		rtts, timed := c.Each(false, func(s *record.Socket) *float64 { return s.RTT })
		sizes, sized := c.Each(false, judge.Integer(func(s *record.Socket) *int64 { return s.MSS }))
		if !read {
			return m
		}
		allowed := 0.0
		for i, w := range windows {
			if w != float64(r.Cwnd) { // it never got that far, or is not bound there
				return m
			}
			if timed && sized && rtts[i] > 0 {
				allowed += w * sizes[i] * 8 / rtts[i]
			}
		}
		m.Likely(judge.Reading(host, "TCP_INFO", "snd_cwnd", windows[0], "segments", "the congestion window of every "+
			"connection is at %.0f", windows[0]))
		if d, near := judge.Matches(allowed, c.Goodput); near {
			m.Strength = judge.Proved
			m.Identity = &record.Identity{Left: "congestion window / round trip = " + judge.Rate(allowed),
				Right: "goodput " + judge.Rate(c.Goodput), Difference: d}
		} else if allowed > 0 && timed {
			m.Add(judge.Reading(host, "TCP_INFO", "rtt", rtts[0], "s", "%.0f segments in a round trip of %s are %s", windows[0],
				unit.Seconds(rtts[0]), judge.Rate(allowed)))
		}
		return m
	},
}

// routeWords returns a route as arguments of ip, without its metrics.
func routeWords(r facts.Route) string {
	s := r.Dst.String()
	if r.Gateway.IsValid() {
		s += " via " + r.Gateway.String()
	}
	s += " dev " + r.Interface
	if r.Source.IsValid() {
		s += " src " + r.Source.String()
	}
	if r.Metric > 0 {
		s += fmt.Sprintf(" metric %d", r.Metric)
	}
	return s
}
