package cause

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// ReceiveWindowCap is the cause where the receiver's buffer limit keeps its receive window below what the path needs.
// rwnd_limited alone shows only that the receive window is small. The cause is a buffer at its limit with a reader that
// keeps up. The identity is receive window / round trip = goodput.
var ReceiveWindowCap = judge.Cause{
	ID: "receive-window-cap", Title: "receive window", Label: "receive window",
	Plain: "The receiving machine limits how much may be on its way before it has to wait for an answer. That " +
		"is too little here, and the link is idle meanwhile.",
	Applies: judge.TCP, Settles: perStream,
	Test: func(c *judge.Case) *judge.Match {
		share, ok := limitedShare(c, func(s *record.Socket) *float64 { return s.RwndLimited })
		if !ok || share < 0.3 {
			return nil
		}
		host := c.Receiver.Host
		m := &judge.Match{
			Strength: judge.Candidate, Component: host + ": receive window",
			Evidence: []record.Evidence{judge.Reading(c.Sender.Host, "TCP_INFO", "rwnd_limited", share, "share of busy time",
				"the sender waited for the receiver's window %s of the time it was busy", unit.Percent(share))},
			NextCeiling: c.NextCeiling(""),
		}
		m.Sentence = fmt.Sprintf("%s is held back by %s: it lets too little be on its way at a time (its receive window).",
			c.Subject(), host)
		if after := c.Receiver.Shots.After; after != nil {
			limits, known := after.TCP.RMem.Get()
			have, haveOK := c.Median(true, judge.Integer(func(s *record.Socket) *int64 { return s.RcvBuf }))
			queued, queuedOK := c.Median(true, judge.Integer(func(s *record.Socket) *int64 { return s.RecvQ }))
			need := wanted(c)
			if known && haveOK && limits[2] < need && have >= 0.95*float64(limits[2]) && (!queuedOK || queued < 0.5*have) {
				m.Strength = judge.Likely
				m.Sentence = fmt.Sprintf("%s is held back by %s: its receive buffer stops at %s (net.ipv4.tcp_rmem), and no "+
					"more may be on its way at a time.", c.Subject(), host, unit.Bytes(have))
				m.Add(judge.Reading(host, "SO_MEMINFO and net.ipv4.tcp_rmem", "rcvbuf", have, "bytes", "the receive buffer "+
					"is at %s, its limit (tcp_rmem %d %d %d)", unit.Bytes(have), limits[0], limits[1], limits[2]))
				m.Fix = fmt.Sprintf(`sysctl -w net.ipv4.tcp_rmem="%d %d %d"`, limits[0], max(limits[1], 131072), need)
				m.Undo = fmt.Sprintf(`sysctl -w net.ipv4.tcp_rmem="%d %d %d"`, limits[0], limits[1], limits[2])
			}
		}
		smallByDefault(c, m)
		smallByRoute(c, m)
		tcpWindowIdentity(c, m, "window", func(s *record.Socket) *int64 { return s.SndWnd })
		return m
	},
}

// smallByDefault adjusts the match where the buffer does not grow, because autotuning is off in the receiver's kernel.
func smallByDefault(c *judge.Case, m *judge.Match) {
	host, after := c.Receiver.Host, c.Receiver.Shots.After
	have, haveOK := c.Median(true, judge.Integer(func(s *record.Socket) *int64 { return s.RcvBuf }))
	if after == nil || !haveOK || m.Strength >= judge.Likely {
		return
	}
	limits, known := after.TCP.RMem.Get()
	if !known || after.TCP.AutoTuning.Or(true) || have > 1.05*float64(limits[1]) || limits[1] >= wanted(c) {
		return
	}
	m.Strength = judge.Likely
	m.Sentence = fmt.Sprintf("%s is held back by %s. Its receive buffer stays at the %s that it begins with, because "+
		"tuning is off (net.ipv4.tcp_moderate_rcvbuf), and no more may be in flight at a time.", c.Subject(), host,
		unit.Bytes(have))
	m.Add(judge.Reading(host, "SO_MEMINFO and net.ipv4.tcp_rmem", "rcvbuf", have, "bytes", "the receive buffer is "+
		"at %s, its default (tcp_rmem %d %d %d), and tcp_moderate_rcvbuf is 0", unit.Bytes(have), limits[0], limits[1],
		limits[2]))
	m.Fix, m.Undo = "sysctl -w net.ipv4.tcp_moderate_rcvbuf=1", "sysctl -w net.ipv4.tcp_moderate_rcvbuf=0"
}

// smallByRoute adjusts the match where a metric of the receiver's route to the sender bounds the receive window of the
// first packet, and with it the window scale of the whole connection: the maximum is 65,535 bytes x 2^scale.
func smallByRoute(c *judge.Case, m *judge.Match) {
	host, after := c.Receiver.Host, c.Receiver.Shots.After
	if after == nil || c.Sender.Port == nil || m.Strength >= judge.Likely {
		return
	}
	r, ok := after.RouteTo(c.Sender.Port.Address.Addr())
	tcpWindow, read := c.Median(false, judge.Integer(func(s *record.Socket) *int64 { return s.SndWnd }))
	scale, scaled := c.Median(false, judge.Integer(func(s *record.Socket) *int64 { return s.WindowScale }))
	if !ok || r.TCPWindow <= 0 || !read || !scaled || scale < 0 || scale > 14 {
		return
	}
	most := float64(int(mostUnscaled) << int(scale))
	if tcpWindow < 0.9*min(most, float64(r.TCPWindow)) || tcpWindow > most || most >= float64(wanted(c)) {
		return
	}
	m.Strength, m.Component = judge.Likely, fmt.Sprintf("%s: the route to %s", host, r.Dst)
	m.Sentence = fmt.Sprintf("%s is held back by a route of %s: its window of %s lets no more than %s be on its way at "+
		"a time.", c.Subject(), host, unit.Bytes(r.TCPWindow), unit.Bytes(most))
	m.Add(judge.Reading(host, "ip route get "+c.Sender.Port.Address.Addr().String(), "window", float64(r.TCPWindow),
		"bytes", "the route to %s over %s has window %d; the receive window is at %.0f", r.Dst, r.Interface, r.TCPWindow,
		tcpWindow))
	m.Fix, m.Undo = "ip route change "+routeWords(r), fmt.Sprintf("ip route change %s window %d", routeWords(r),
		r.TCPWindow)
}

// SendBufferCap is the cause where the sender may not keep enough bytes in flight. sndbuf_limited alone may be too high
// or too low. The evidence is a send buffer at its limit that contains no unsent data.
var SendBufferCap = judge.Cause{
	ID: "send-buffer-cap", Title: "send buffer", Label: "send buffer",
	Plain: "The sending machine may keep only little data on its way before it has to wait for an answer. Meanwhile the " +
		"link is idle.",
	Applies: judge.TCP, Settles: perStream,
	Test: func(c *judge.Case) *judge.Match {
		b, small := sendBufferOf(c)
		if !small {
			// A buffer at its limit that is large enough for the path only fills a queue.
			return nil
		}
		limits, have, need := b.limits, b.have, b.need
		host := c.Sender.Host
		m := c.Candidate(host+": send buffer", "is held back by %s: its send buffer stops at %s (net.ipv4.tcp_wmem), and "+
			"no more may be on its way at a time.", host, unit.Bytes(have))
		m.Add(judge.Reading(host, "SO_MEMINFO and net.ipv4.tcp_wmem", "sndbuf", have, "bytes", "the send buffer is at "+
			"%s, its limit (tcp_wmem %d %d %d)", unit.Bytes(have), limits[0], limits[1], limits[2]))
		m.Fix = fmt.Sprintf(`sysctl -w net.ipv4.tcp_wmem="%d %d %d"`, limits[0], max(limits[1], 65536), need)
		m.Undo = fmt.Sprintf(`sysctl -w net.ipv4.tcp_wmem="%d %d %d"`, limits[0], limits[1], limits[2])
		// The limit itself is only a setting. The kernel's clock shows that it limits, or a buffer below one round trip at
		// the ceiling's rate, because the clock may wrongly read zero.
		share, clock := limitedShare(c, func(s *record.Socket) *float64 { return s.SndbufLimited })
		unsent, unsentOK := c.Median(false, judge.Integer(func(s *record.Socket) *int64 { return s.NotSent }))
		// Bytes in the buffer wait for the TCP window, not for room.
		binds := (clock && share >= 0.05 || b.short()) && !(unsentOK && unsent >= 0.1*have)
		if clock && share >= 0.05 {
			m.Add(judge.Reading(host, "TCP_INFO", "sndbuf_limited", share, "share of busy time", "the sender ran out of "+
				"buffer %s of the time it was busy", unit.Percent(share)))
		}
		if b.short() {
			m.Add(judge.Reading(host, "TCP_INFO", "rtt", b.rtt, "s", "it holds %s of the ceiling's rate, and a round "+
				"trip takes %s", unit.Seconds(b.holds), unit.Seconds(b.rtt)))
		}
		if binds && !otherSockets(c) {
			m.Strength = judge.Likely
		}
		return m
	},
}

// sendBuffer is a send buffer at a limit below what the path needs.
type sendBuffer struct {
	limits     [3]int64 // net.ipv4.tcp_wmem
	have       float64  // bytes, the median of the streams
	need       int64    // bytes, as a limit
	holds, rtt float64  // s: what all buffers hold at the ceiling's rate, and a round trip; 0: not known
}

// sendBufferOf returns the send buffers; ok is false if they are not at such a limit.
func sendBufferOf(c *judge.Case) (b sendBuffer, ok bool) {
	after := c.Sender.Shots.After
	if after == nil {
		return b, false
	}
	limits, known := after.TCP.WMem.Get()
	have, haveOK := c.Median(false, judge.Integer(func(s *record.Socket) *int64 { return s.SndBuf }))
	b = sendBuffer{limits: limits, have: have, need: wanted(c)}
	if !known || !haveOK || have < 0.95*float64(limits[2]) || limits[2] >= b.need {
		return b, false
	}
	if onlyQueues(c, have) {
		return b, false
	}
	if rtt, known := c.Median(false, func(s *record.Socket) *float64 { return s.RTT }); known && c.Ceiling > 0 {
		b.holds, b.rtt = have*float64(len(c.Streams))*8/c.Ceiling, rtt
	}
	return b, true
}

// overhead is the largest share of a send buffer that is not payload: the kernel counts the memory of a packet
// (skb->truesize), which is a page for a few bytes.
const overhead = 0.5

// onlyQueues reports whether a send buffer only fills the queue of a full CPU. Over the shortest round trip, that of
// the path without queues, the buffer would allow more than the goodput, so round trips grew until it was full. A
// larger buffer makes them longer.
func onlyQueues(c *judge.Case, have float64) bool {
	least, ok := c.Median(false, func(s *record.Socket) *float64 { return s.MinRTT })
	return ok && least > 0 && cpuBound(c) != nil && (1-overhead)*have*float64(len(c.Streams))*8/least > c.Goodput
}

// short reports whether the buffer holds less than one round trip at the ceiling's rate. The sender then waits for
// room, which looks like a program with nothing to send.
func (b sendBuffer) short() bool { return b.holds < b.rtt }

// otherSockets reports whether the sender's interface carried much more than was measured. Goodput is that of the
// steady intervals; warm-up, end and headers add up to half as much again.
func otherSockets(c *judge.Case) bool {
	before, after := c.Sender.Shots.Before, c.Sender.Shots.After
	if before == nil || after == nil || c.Sender.Port == nil {
		return false
	}
	sent, ok := judge.Delta(before, after, c.Sender.Port.Interface, "tx_bytes")
	return ok && sent > 2*c.IntervalBytes() && c.IntervalBytes() > 0
}

// limitedShare returns the share of the sender's busy time that one of the kernel's clocks counted, over all streams.
func limitedShare(c *judge.Case, field func(*record.Socket) *float64) (float64, bool) {
	limited, ok1 := c.Sum(false, field)
	busy, ok2 := c.Sum(false, func(s *record.Socket) *float64 { return s.BusySeconds })
	if !ok1 || !ok2 || busy <= 0 {
		return 0, false
	}
	return min(limited/busy, 1), true
}

// tcpWindowIdentity compares bytes in flight / round trip with goodput.
func tcpWindowIdentity(c *judge.Case, m *judge.Match, what string, field func(*record.Socket) *int64) {
	windows, ok1 := c.Each(false, judge.Integer(field))
	rtts, ok2 := c.Each(false, func(s *record.Socket) *float64 { return s.RTT })
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
	if d, ok := judge.Matches(allowed, c.Goodput); ok {
		m.Identity = &record.Identity{Left: what + " / round trip = " + judge.Rate(allowed),
			Right: "goodput " + judge.Rate(c.Goodput), Difference: d}
		if m.Strength == judge.Likely {
			m.Strength = judge.Proved
		}
	}
}

// enough is the smallest buffer limit, in bytes, that is recommended: the default maximum of Linux's net.ipv4.tcp_wmem.
const enough = 4 << 20

// wanted returns a buffer limit for the ceiling at the path's round trip without the queues that a full buffer causes.
// It is twice the product, because the kernel includes its overhead, and at least Linux's default.
func wanted(c *judge.Case) int64 {
	limit := int64(enough)
	rtt, ok := c.Median(false, func(s *record.Socket) *float64 { return s.MinRTT })
	for ok && limit < 1<<30 && float64(limit) < 2*c.Ceiling/8*rtt {
		limit *= 2
	}
	return limit
}
