package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// receiveWindowCap: the receiver's buffer limit keeps its advertised window
// below what the path needs. rwnd_limited alone says only "the peer's window";
// that the receive buffer stands at its limit and its reader keeps up says why. The
// identity is window / round trip = goodput.
var receiveWindowCap = Cause{
	ID: "receive-window-cap", Title: "receive window", Transport: "tcp",
	Test: func(c *Case) *Match {
		share, ok := c.limitedShare(func(s *record.Socket) *float64 { return s.RwndLimited })
		if !ok || share < 0.3 {
			return nil
		}
		host := c.Receiver.Host
		m := &Match{
			Strength: Candidate, Component: host + ": receive window",
			Evidence: []record.Evidence{{Host: c.Sender.Host, Source: "TCP_INFO", Counter: "rwnd_limited", After: ptr(share), Unit: "share of busy time",
				Text: fmt.Sprintf("the sender waited for the receiver's window %s of the time it was busy", unit.Percent(share))}},
			NextCeiling: c.nextCeiling(""),
		}
		m.Sentence = fmt.Sprintf("%s is held back by %s: it lets too little be on its way at a time (its receive window).", c.subject(), host)
		if after := c.Receiver.Shots.After; after != nil {
			limits, known := after.TCP.RMem.Get()
			have, haveOK := c.median(true, count(func(s *record.Socket) *int64 { return s.RcvBuf }))
			queued, queuedOK := c.median(true, count(func(s *record.Socket) *int64 { return s.RecvQ }))
			need := wanted(c)
			if known && haveOK && limits[2] < need && have >= 0.95*float64(limits[2]) && (!queuedOK || queued < 0.5*have) {
				m.Strength = Likely
				m.Sentence = fmt.Sprintf("%s is held back by %s: its receive buffer stops at %s (net.ipv4.tcp_rmem), and no more may be on its way at a time.", c.subject(), host, unit.Bytes(have))
				m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "SO_MEMINFO and net.ipv4.tcp_rmem", Counter: "rcvbuf", After: ptr(have), Unit: "bytes",
					Text: fmt.Sprintf("the receive buffer stands at %s, its limit (tcp_rmem %d %d %d)", unit.Bytes(have), limits[0], limits[1], limits[2])})
				m.Fix = fmt.Sprintf(`sysctl -w net.ipv4.tcp_rmem="%d %d %d"`, limits[0], max(limits[1], 131072), need)
				m.Undo = fmt.Sprintf(`sysctl -w net.ipv4.tcp_rmem="%d %d %d"`, limits[0], limits[1], limits[2])
			}
		}
		c.smallByDefault(m)
		c.smallByRoute(m)
		c.windowIdentity(m, "window", func(s *record.Socket) *int64 { return s.SndWnd })
		return m
	},
}

// smallByDefault: the buffer does not grow, because the receiver's kernel was told not to tune it.
func (c *Case) smallByDefault(m *Match) {
	host, after := c.Receiver.Host, c.Receiver.Shots.After
	have, haveOK := c.median(true, count(func(s *record.Socket) *int64 { return s.RcvBuf }))
	if after == nil || !haveOK || m.Strength >= Likely {
		return
	}
	limits, known := after.TCP.RMem.Get()
	if !known || after.TCP.AutoTuning.Or(true) || have > 1.05*float64(limits[1]) || limits[1] >= wanted(c) {
		return
	}
	m.Strength = Likely
	m.Sentence = fmt.Sprintf("%s is held back by %s: its receive buffer stays at the %s that it begins with, because tuning is off (net.ipv4.tcp_moderate_rcvbuf), and no more may be on its way at a time.", c.subject(), host, unit.Bytes(have))
	m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "SO_MEMINFO and net.ipv4.tcp_rmem", Counter: "rcvbuf", After: ptr(have), Unit: "bytes",
		Text: fmt.Sprintf("the receive buffer stands at %s, its default (tcp_rmem %d %d %d), and tcp_moderate_rcvbuf is 0", unit.Bytes(have), limits[0], limits[1], limits[2])})
	m.Fix, m.Undo = "sysctl -w net.ipv4.tcp_moderate_rcvbuf=1", "sysctl -w net.ipv4.tcp_moderate_rcvbuf=0"
}

// smallByRoute: a metric of the receiver's route to the sender bounds the window that is offered at first, and with it the scale, which stays
// as it is for as long as the connection lasts: 65,535 bytes times two to that power are the most.
func (c *Case) smallByRoute(m *Match) {
	host, after := c.Receiver.Host, c.Receiver.Shots.After
	if after == nil || c.Sender.Port == nil || m.Strength >= Likely {
		return
	}
	r, ok := after.RouteTo(c.Sender.Port.Address.Addr())
	window, read := c.median(false, count(func(s *record.Socket) *int64 { return s.SndWnd }))
	scale, scaled := c.median(false, count(func(s *record.Socket) *int64 { return s.WindowScale }))
	if !ok || r.Window <= 0 || !read || !scaled || scale < 0 || scale > 14 {
		return
	}
	most := float64(int(mostUnscaled) << int(scale))
	if window < 0.9*min(most, float64(r.Window)) || window > most || most >= float64(wanted(c)) {
		return
	}
	m.Strength, m.Component = Likely, fmt.Sprintf("%s: the route to %s", host, r.Dst)
	m.Sentence = fmt.Sprintf("%s is held back by a route of %s: its window of %s lets no more than %s be on its way at a time.", c.subject(), host, unit.Bytes(r.Window), unit.Bytes(most))
	m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "ip route get " + c.Sender.Port.Address.Addr().String(), Counter: "window", After: ptr(float64(r.Window)), Unit: "bytes",
		Text: fmt.Sprintf("the route to %s over %s has window %d; the receive window stands at %.0f", r.Dst, r.Interface, r.Window, window)})
	m.Fix, m.Undo = "ip route change "+routeWords(r), fmt.Sprintf("ip route change %s window %d", routeWords(r), r.Window)
}

// sendBufferCap: the sender may not keep enough bytes in flight. sndbuf_limited
// alone errs both ways; what counts is a send buffer at its limit with nothing left
// unsent in it.
var sendBufferCap = Cause{
	ID: "send-buffer-cap", Title: "send buffer", Transport: "tcp",
	Test: func(c *Case) *Match {
		b, small := c.sendBuffer()
		if !small {
			// A buffer that stands at its limit but holds what the path needs only fills a queue.
			return nil
		}
		limits, have, need := b.limits, b.have, b.need
		host := c.Sender.Host
		m := &Match{
			Strength: Candidate, Component: host + ": send buffer",
			Sentence: fmt.Sprintf("%s is held back by %s: its send buffer stops at %s (net.ipv4.tcp_wmem), and no more may be on its way at a time.", c.subject(), host, unit.Bytes(have)),
			Evidence: []record.Evidence{{Host: host, Source: "SO_MEMINFO and net.ipv4.tcp_wmem", Counter: "sndbuf", After: ptr(have), Unit: "bytes",
				Text: fmt.Sprintf("the send buffer stands at %s, its limit (tcp_wmem %d %d %d)", unit.Bytes(have), limits[0], limits[1], limits[2])}},
			Fix:         fmt.Sprintf(`sysctl -w net.ipv4.tcp_wmem="%d %d %d"`, limits[0], max(limits[1], 65536), need),
			Undo:        fmt.Sprintf(`sysctl -w net.ipv4.tcp_wmem="%d %d %d"`, limits[0], limits[1], limits[2]),
			NextCeiling: c.nextCeiling(""),
		}
		// The limit itself is only a setting. That it binds takes the kernel's own clock, or a buffer that
		// holds less than a round trip of the ceiling's rate: the clock errs when it reads nothing.
		share, clock := c.limitedShare(func(s *record.Socket) *float64 { return s.SndbufLimited })
		unsent, unsentOK := c.median(false, count(func(s *record.Socket) *int64 { return s.NotSent }))
		// Bytes that wait in the buffer wait for a window, not for room.
		binds := (clock && share >= 0.05 || b.short()) && !(unsentOK && unsent >= 0.1*have)
		if clock && share >= 0.05 {
			m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "TCP_INFO", Counter: "sndbuf_limited", After: ptr(share), Unit: "share of busy time",
				Text: fmt.Sprintf("the sender ran out of buffer %s of the time it was busy", unit.Percent(share))})
		}
		if b.short() {
			m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "TCP_INFO", Counter: "rtt", After: ptr(b.rtt), Unit: "s",
				Text: fmt.Sprintf("it holds %s of the ceiling's rate, and a round trip takes %s", unit.Seconds(b.holds), unit.Seconds(b.rtt))})
		}
		if binds && !c.otherTraffic() {
			m.Strength = Likely
		}
		return m
	},
}

// sendBuffer is a send buffer that stands at its limit, which is less than the path wants.
type sendBuffer struct {
	limits     [3]int64 // net.ipv4.tcp_wmem
	have       float64  // bytes, the median of the streams
	need       int64    // bytes, as a limit
	holds, rtt float64  // s: how long all buffers feed the ceiling's rate, and a round trip; 0: not known
}

// sendBuffer is ok when the buffers stand at such a limit.
func (c *Case) sendBuffer() (b sendBuffer, ok bool) {
	after := c.Sender.Shots.After
	if after == nil {
		return b, false
	}
	limits, known := after.TCP.WMem.Get()
	have, haveOK := c.median(false, count(func(s *record.Socket) *int64 { return s.SndBuf }))
	b = sendBuffer{limits: limits, have: have, need: wanted(c)}
	if !known || !haveOK || have < 0.95*float64(limits[2]) || limits[2] >= b.need {
		return b, false
	}
	if c.onlyQueues(have) {
		return b, false
	}
	if rtt, known := c.median(false, func(s *record.Socket) *float64 { return s.RTT }); known && c.Ceiling > 0 {
		b.holds, b.rtt = have*float64(len(c.Streams))*8/c.Ceiling, rtt
	}
	return b, true
}

// overhead is the share of a send buffer that is not payload, at most: the kernel counts what a packet takes of memory (skb->truesize), and a
// page for a few bytes.
const overhead = 0.5

// onlyQueues says whether a send buffer only fills a queue behind a processor that is full: over the shortest round trip, which is that of the
// path without queues, it would carry more than was carried, so that round trips have grown until it was full. More room makes them longer.
func (c *Case) onlyQueues(have float64) bool {
	least, ok := c.median(false, func(s *record.Socket) *float64 { return s.MinRTT })
	return ok && least > 0 && c.processorBound() != nil && (1-overhead)*have*float64(len(c.Streams))*8/least > c.Goodput
}

// short says whether it holds less than a round trip of the ceiling's rate: the sender then waits for room, which looks
// from the outside like a program that has nothing to send.
func (b sendBuffer) short() bool { return b.holds < b.rtt }

// otherTraffic says whether the sender's interface carried much more than was
// measured. What is measured is the steady windows; warm-up, end and headers around
// them make up to half as much again.
func (c *Case) otherTraffic() bool {
	before, after := c.Sender.Shots.Before, c.Sender.Shots.After
	if before == nil || after == nil || c.Sender.Port == nil {
		return false
	}
	sent, ok := delta(before, after, c.Sender.Port.Interface, "tx_bytes")
	return ok && sent > 2*c.windowBytes() && c.windowBytes() > 0
}

// limitedShare is the share of the sender's busy time that one of the kernel's
// clocks counted, over all streams.
func (c *Case) limitedShare(field func(*record.Socket) *float64) (float64, bool) {
	limited, ok1 := c.sum(false, field)
	busy, ok2 := c.sum(false, func(s *record.Socket) *float64 { return s.BusySeconds })
	if !ok1 || !ok2 || busy <= 0 {
		return 0, false
	}
	return min(limited/busy, 1), true
}

// windowIdentity holds bytes in flight / round trip against goodput.
func (c *Case) windowIdentity(m *Match, what string, field func(*record.Socket) *int64) {
	windows, ok1 := c.each(false, count(field))
	rtts, ok2 := c.each(false, func(s *record.Socket) *float64 { return s.RTT })
	if !ok1 || !ok2 {
		return
	}
	allowed := 0.0
	for i := range windows {
		if rtts[i] <= 0 {
			return
		}
		allowed += windows[i] * 8 / rtts[i]
	}
	if d, ok := closes(allowed, c.Goodput); ok {
		m.Identity = &record.Identity{Left: what + " / round trip = " + rate(allowed), Right: "goodput " + rate(c.Goodput), Difference: d}
		if m.Strength == Likely {
			m.Strength = Proved
		}
	}
}

// enough is a buffer limit in bytes below which Linux itself does not go by
// default (net.ipv4.tcp_wmem's largest, 4 MiB): no less is ever recommended.
const enough = 4 << 20

// wanted is a buffer limit that holds the ceiling at the path's own round trip,
// without the queues that a full buffer itself makes: twice the product, because the kernel
// counts its own overhead in, and at least what Linux has by default.
func wanted(c *Case) int64 {
	limit := int64(enough)
	rtt, ok := c.median(false, func(s *record.Socket) *float64 { return s.MinRTT })
	for ok && limit < 1<<30 && float64(limit) < 2*c.Ceiling/8*rtt {
		limit *= 2
	}
	return limit
}
