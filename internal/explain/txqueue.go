package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// fewPackets is how many packets a queue holds at most to be called too small for any connection.
const fewPackets = 16

// fewDrops is how many packets a queue must drop at least to be the cause of anything.
const fewDrops = 10

// txQueue: the queue before the sender's own interface holds a few packets and drops the rest. TCP is told at once and makes its window
// smaller as after a loss, but nothing is lost on the way and nothing is sent again. The identity is that window over the round trip.
var txQueue = Cause{
	ID: "tx-queue", Title: "the queue before the sender's interface", Transport: "tcp",
	Test: func(c *Case) *Match {
		n := c.Sender.NIC()
		dropped, why := c.delta(c.Sender, "qdisc.drops")
		_, emulated := c.emulator()
		if n == nil || why != "" || dropped.Net-emulated < 1 { // what a netem loses TCP is not told of
			return nil
		}
		host := c.Sender.Host
		m := &Match{
			Strength: Candidate, Component: host + ": the queue of " + n.Name,
			Sentence: fmt.Sprintf("%s is held back by %s: the queue before its interface %s has no room, and drops packets before they leave.", c.subject(), host, n.Name),
			Evidence: []record.Evidence{{Host: host, Source: "tc -s qdisc show dev " + n.Name, Counter: "dropped", After: ptr(dropped.Net), Unit: "packets",
				Text: fmt.Sprintf("the queue before %s dropped %.0f packets, which never left", n.Name, dropped.Net)}},
			Fix:         fmt.Sprintf("ip link set %s txqueuelen 1000\nif tc qdisc show dev %s shows a limit of its own, raise that: tc qdisc change dev %s root .. limit 1000", n.Name, n.Name, n.Name),
			Undo:        fmt.Sprintf("set both back to what ip link show dev %s and tc qdisc show dev %s say now", n.Name, n.Name),
			NextCeiling: c.nextCeiling(""),
		}
		small := false
		for _, q := range n.Qdiscs {
			limit, known := q.Limit.Get()
			if q.Parent != "root" || !known || n.MTU <= 0 || float64(limit) > fewPackets*float64(n.MTU+14) {
				continue
			}
			small = true
			m.Sentence = fmt.Sprintf("%s is held back by %s: the queue before its interface %s holds %s, and drops the rest before it leaves.", c.subject(), host, n.Name, limit)
			m.Fix, m.Undo = longerQueue(q, n), q.Restore(n.Name)
			m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "tc qdisc show dev " + n.Name, Counter: "limit", After: ptr(float64(limit)), Unit: "bytes",
				Text: fmt.Sprintf("%s on %s has room for %s: %.0f packets of MTU %d", q.Kind, n.Name, limit, float64(limit)/float64(n.MTU+14), n.MTU)})
		}
		// What is lost further on makes windows small, too.
		again, lost := c.retransmitted()
		if lost != "" || again.Segments > dropped.Net*c.merged() {
			return m
		}
		allowed, trips, ok := c.windowRate()
		if !ok {
			return m
		}
		d, near := closes(allowed, c.Goodput)
		m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "TCP_INFO", Counter: "snd_cwnd", After: ptr(allowed), Unit: "bit/s",
			Text: fmt.Sprintf("what the connections have in flight a round trip of %s is %s", unit.Seconds(trips), rate(allowed))})
		switch {
		case near && small:
			m.Strength = Proved
			m.Identity = &record.Identity{Left: "in flight / round trip = " + rate(allowed), Right: "goodput " + rate(c.Goodput), Difference: d}
		case near || small && allowed < 1.5*c.Goodput:
			m.Strength = Likely
		}
		if dropped.Net-emulated < fewDrops { // that happens to any queue now and then: no evidence to change a setting by
			m.Strength = min(m.Strength, Candidate)
		}
		return m
	},
}

// longerQueue gives a queueing discipline room for usualQueue packets.
func longerQueue(q facts.Qdisc, n *facts.Interface) string {
	q.Limit = unit.Known(unit.Bytes(usualQueue * (n.MTU + 14)))
	if _, known := q.Rate.Get(); known {
		return q.Restore(n.Name)
	}
	return fmt.Sprintf("tc qdisc replace dev %s root pfifo limit %d", n.Name, usualQueue)
}

// usualQueue is how many packets an interface holds by default, txqueuelen of Ethernet.
const usualQueue = 1000

// windowRate is what the connections have in flight, over their round trips: bits per second, and the median round trip. Ok is false where the
// sockets do not say, or a connection had less to send than its window.
func (c *Case) windowRate() (bits, rtt float64, ok bool) {
	flight, ok0 := c.each(false, count(func(s *record.Socket) *int64 { return s.Unacked }))
	rtts, ok1 := c.each(false, func(s *record.Socket) *float64 { return s.RTT })
	sizes, ok2 := c.each(false, count(func(s *record.Socket) *int64 { return s.MSS }))
	if !ok0 || !ok1 || !ok2 {
		return 0, 0, false
	}
	for i := range flight {
		if rtts[i] <= 0 || flight[i] <= 0 {
			return 0, 0, false
		}
		bits += flight[i] * sizes[i] * 8 / rtts[i]
	}
	rtt, _ = c.median(false, func(s *record.Socket) *float64 { return s.RTT })
	return bits, rtt, true
}
