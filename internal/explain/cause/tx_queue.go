package cause

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// fewPackets is the largest length, in packets, of a queue that is too small for any connection.
const fewPackets = 16

// fewDrops is the smallest number of dropped packets that can be a cause.
const fewDrops = 10

// txQueue is the cause where the queue of the sender's own interface holds few packets and drops the rest. TCP learns
// of it at once and reduces its congestion window as after a loss, but nothing is lost on the path and nothing is
// retransmitted. The identity is congestion window / round trip = goodput.
var txQueue = judge.Cause{
	ID: "tx-queue", Title: "the queue before the sender's interface",
	Plain:   "The sending machine keeps only a few packets ready for its NIC, so that the NIC is idle between them.",
	Applies: judge.TCP,
	Test: func(c *judge.Case) *judge.Match {
		n := c.Sender.NIC()
		dropped, why := c.Delta(c.Sender, "qdisc.drops")
		_, emulated := c.Emulator()
		if n == nil || why != "" || dropped.Net-emulated < 1 { // TCP does not learn of netem's losses
			return nil
		}
		host := c.Sender.Host
		m := c.Candidate(host+": the queue of "+n.Name, "is held back by %s: the queue before its interface %s has no "+
			"room, and drops packets before they leave.", host, n.Name)
		m.Add(judge.Reading(host, "tc -s qdisc show dev "+n.Name, "dropped", dropped.Net, "packets", "the queue before "+
			"%s dropped %.0f packets, which never left", n.Name, dropped.Net))
		m.Fix = fmt.Sprintf("ip link set %s txqueuelen 1000\nif tc qdisc show dev %s shows a limit of its own, raise that: "+
			"tc qdisc change dev %s root .. limit 1000", n.Name, n.Name, n.Name)
		m.Undo = fmt.Sprintf("set both back to what ip link show dev %s and tc qdisc show dev %s say now", n.Name, n.Name)
		small := false
		for _, q := range n.Qdiscs {
			limit, known := q.Limit.Get()
			if q.Parent != "root" || !known || n.MTU <= 0 || float64(limit) > fewPackets*float64(n.MTU+14) {
				continue
			}
			small = true
			m.Sentence = fmt.Sprintf("%s is held back by %s: the queue before its interface %s holds %s, and drops the rest "+
				"before it leaves.", c.Subject(), host, n.Name, limit)
			m.Fix, m.Undo = longerQueue(q, n), q.Restore(n.Name)
			m.Add(judge.Reading(host, "tc qdisc show dev "+n.Name, "limit", float64(limit), "bytes", "%s on %s has room for "+
				"%s: %.0f packets of MTU %d", q.Kind, n.Name, limit, float64(limit)/float64(n.MTU+14), n.MTU))
		}
		// Losses further on reduce the congestion window, too.
		again, lost := c.Retransmitted()
		if lost != "" || again.Segments > dropped.Net*c.Merged() {
			return m
		}
		allowed, rttSamples, ok := tcpWindowRate(c)
		if !ok {
			return m
		}
		d, near := judge.Matches(allowed, c.Goodput)
		m.Add(judge.Reading(host, "TCP_INFO", "snd_cwnd", allowed, "bit/s", "what the connections have in flight a round "+
			"trip of %s is %s", unit.Seconds(rttSamples), judge.Rate(allowed)))
		switch {
		case near && small:
			m.Strength = judge.Proved
			m.Identity = &record.Identity{Left: "in flight / round trip = " + judge.Rate(allowed),
				Right: "goodput " + judge.Rate(c.Goodput), Difference: d}
		case near || small && allowed < 1.5*c.Goodput:
			m.Strength = judge.Likely
		}
		if dropped.Net-emulated < fewDrops { // any queue drops a few now and then, which is no reason to change a setting
			m.Strength = min(m.Strength, judge.Candidate)
		}
		return m
	},
}

// longerQueue returns the command that gives a queueing discipline room for usualQueue packets.
func longerQueue(q facts.Qdisc, n *facts.Interface) string {
	q.Limit = unit.Known(unit.Bytes(usualQueue * (n.MTU + 14)))
	if _, known := q.Rate.Get(); known {
		return q.Restore(n.Name)
	}
	return fmt.Sprintf("tc qdisc replace dev %s root pfifo limit %d", n.Name, usualQueue)
}

// usualQueue is the default queue length of an interface, in packets (txqueuelen of Ethernet).
const usualQueue = 1000

// tcpWindowRate returns the connections' data in flight over their round trips, in bits per second, and the median
// round trip. ok is false where the sockets do not have them, or a connection had less to send than its TCP window.
func tcpWindowRate(c *judge.Case) (bits, rtt float64, ok bool) {
	flight, ok0 := c.Each(false, judge.Integer(func(s *record.Socket) *int64 { return s.Unacked }))
	rtts, ok1 := c.Each(false, func(s *record.Socket) *float64 { return s.RTT })
	sizes, ok2 := c.Each(false, judge.Integer(func(s *record.Socket) *int64 { return s.MSS }))
	if !ok0 || !ok1 || !ok2 {
		return 0, 0, false
	}
	for i := range flight {
		if rtts[i] <= 0 || flight[i] <= 0 {
			return 0, 0, false
		}
		bits += flight[i] * sizes[i] * 8 / rtts[i]
	}
	rtt, _ = c.Median(false, func(s *record.Socket) *float64 { return s.RTT })
	return bits, rtt, true
}
