package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// cwndClamp: a metric of the sender's route bounds how many segments a connection has in flight, however well it goes. The identity is
// that window over the round trip against goodput. Linux looks for it in what it remembers of an address (ip tcp_metrics): a first connection is not
// held, and the route without it changes nothing for an hour.
var cwndClamp = Cause{
	ID: "cwnd-clamp", Title: "a route's congestion window", Transport: "tcp",
	Test: func(c *Case) *Match {
		after := c.Sender.Shots.After
		if after == nil || c.Receiver.Port == nil {
			return nil
		}
		r, ok := after.RouteTo(c.Receiver.Port.Address.Addr())
		if !ok || r.Cwnd <= 0 {
			return nil
		}
		host := c.Sender.Host
		m := &Match{
			Strength: Candidate, Component: fmt.Sprintf("%s: the route to %s", host, r.Dst),
			Sentence: fmt.Sprintf("%s is held back by a route of %s: a connection over it may have no more than %d packets on its way.", c.subject(), host, r.Cwnd),
			Evidence: []record.Evidence{{Host: host, Source: "ip route get " + c.Receiver.Port.Address.Addr().String(), Counter: "cwnd", After: ptr(float64(r.Cwnd)), Unit: "segments",
				Text: fmt.Sprintf("the route to %s over %s has cwnd %d", r.Dst, r.Interface, r.Cwnd)}},
			Fix:         "ip route change " + routeWords(r) + "\nip tcp_metrics flush " + c.Receiver.Port.Address.Addr().String() + "\nwithout the second the kernel remembers it for an hour",
			Undo:        fmt.Sprintf("ip route change %s cwnd lock %d", routeWords(r), r.Cwnd),
			NextCeiling: c.nextCeiling(""),
		}
		windows, read := c.each(false, count(func(s *record.Socket) *int64 { return s.Cwnd }))
		rtts, timed := c.each(false, func(s *record.Socket) *float64 { return s.RTT })
		sizes, sized := c.each(false, count(func(s *record.Socket) *int64 { return s.MSS }))
		if !read {
			return m
		}
		allowed := 0.0
		for i, w := range windows {
			if w != float64(r.Cwnd) { // it never came so far, or is not held there
				return m
			}
			if timed && sized && rtts[i] > 0 {
				allowed += w * sizes[i] * 8 / rtts[i]
			}
		}
		m.Strength = Likely
		m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "TCP_INFO", Counter: "snd_cwnd", After: ptr(windows[0]), Unit: "segments",
			Text: fmt.Sprintf("the congestion window of every connection stands at %.0f", windows[0])})
		if d, near := closes(allowed, c.Goodput); near {
			m.Strength = Proved
			m.Identity = &record.Identity{Left: "congestion window / round trip = " + rate(allowed), Right: "goodput " + rate(c.Goodput), Difference: d}
		} else if allowed > 0 && timed {
			m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "TCP_INFO", Counter: "rtt", After: ptr(rtts[0]), Unit: "s",
				Text: fmt.Sprintf("%.0f segments in a round trip of %s are %s", windows[0], unit.Seconds(rtts[0]), rate(allowed))})
		}
		return m
	},
}

// routeWords is a route as ip takes it, without its metrics.
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
