package rdma

import (
	"fmt"
	"math"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/facts/parse/rdma"
	"linerate/internal/record"
)

const (
	// tellingSequence and tellingSequenceShare are the number and the share of out-of-sequence packets from which on they
	// matter. NICs that retransmit everything from the lost packet on slow to a crawl with one loss in a few hundred
	// packets.
	tellingSequence      = 10
	tellingSequenceShare = 1e-4
	// Among few packets, fewer events matter if they are a large share.
	fewSequence      = 4
	fewSequenceShare = 1e-2
)

// Loss is the cause where packets of RDMA are lost on the path. Most NICs, and soft RoCE, then retransmit everything
// from the lost packet on, which is why RoCE needs a lossless class. The two pieces of evidence are the counters of the
// end that misses packets, and of the end that gets its reports.
var Loss = judge.Cause{
	ID: "rdma-loss", Title: "lost packets of RDMA", Applies: judge.RDMA,
	Test: func(c *judge.Case) *judge.Match {
		if c.Share() >= judge.AtCeiling {
			return nil
		}
		return lostRDMA(c)
	},
	Fails: func(c *judge.Case) *judge.Match {
		if m := refusedRDMA(c); m != nil {
			return m
		}
		m := lostRDMA(c)
		if m != nil {
			m.Sentence = fmt.Sprintf("%s was not measured to its end: packets of RDMA are lost on the way, until those that "+
				"send them again give up.", c.Subject())
		}
		return m
	},
}

// isSequence reports whether a counter counts packets out of sequence, or the consequences.
func isSequence(name string) bool {
	return rdma.CountedOfRDMA(name) == facts.OutOfSequence || name == "duplicate_request"
}

// saysMissing reports whether a counter grows only where a packet is missing. Timeouts also grow where a CPU is late.
func saysMissing(name string) bool {
	switch name {
	case "completer_retry_err", "local_ack_timeout_err", "to_retransmits", "duplicate_request":
		return false
	}
	return true
}

// sequenceErrors returns the sequence errors of both ends' RDMA devices. most is the largest counter of missing
// packets.
func sequenceErrors(c *judge.Case) (list []rdmaCount, most float64, ends int) {
	for _, side := range []judge.Side{c.Receiver, c.Sender} {
		all, _ := rdmaCounts(c, side, isSequence)
		some := false
		for _, k := range all {
			if saysMissing(k.name) {
				most = max(most, k.Net)
			}
			some = some || k.name != "duplicate_request"
		}
		if some {
			ends++
		}
		list = append(list, all...)
	}
	return list, most, ends
}

// lostRDMA returns the match of both ends' counters of lost packets; nil: there are none that matter.
func lostRDMA(c *judge.Case) *judge.Match {
	list, most, ends := sequenceErrors(c)
	sent, known := rdmaPackets(c)
	known = known && sent > 0
	if most < tellingSequence && !(known && most >= fewSequence && most/sent >= fewSequenceShare) {
		return nil
	}
	if known && most/sent < tellingSequenceShare {
		return nil
	}
	m := c.Candidate(fmt.Sprintf("between %s and %s", c.Sender.Host, c.Receiver.Host), "is held back by losses: packets "+
		"of RDMA are lost between %s and %s, and each time what came behind them is retransmitted.", c.Sender.Host,
		c.Receiver.Host)
	m.Undo = judge.NoSettingChanged
	for _, k := range list {
		m.Add(k.evidence())
	}
	if known {
		m.Evidence[0].Text += fmt.Sprintf(" (%s of the %.0f packets that %s sent)", unit.Percent(math.Min(1, most/sent)),
			sent, c.Sender.Host)
	}
	if ends == 2 {
		m.Strength = judge.Likely
	}
	drops, _ := c.Dropped()
	for _, d := range drops {
		if d.Twice != "" || d.Count < tellingSequence/2 {
			continue
		}
		m.Strength = judge.Likely
		m.Component = d.Host
		m.Add(record.Evidence{Host: d.Host, Source: d.Source, Counter: d.Counter, Before: new(0.0), After: new(d.Count),
			IdlePerSecond: d.Idle, Unit: "packets", Text: fmt.Sprintf("%s dropped %.0f packets (%s)", d.Host, d.Count,
				d.Label())})
	}
	m.Fix = fmt.Sprintf("give RDMA a class in which nothing is dropped: PFC for its priority, and ECN, at both NICs "+
		"and at every switch between (linerate check says what is not so)\n"+
		"look for bad cables and modules on the way: the error counters of each port\non %s: ethtool -S %s", c.Receiver.Host,
		portName(c.Receiver))
	if q, dropped := c.Emulator(); q != nil && dropped >= tellingSequence/2 {
		host, nic := c.Sender.Host, c.Sender.Port.Interface
		m.Component = fmt.Sprintf("netem on %s of %s", nic, host)
		m.Sentence = fmt.Sprintf("%s is held back by losses that %s makes itself: a netem on %s threw away %.0f packets "+
			"before they left, and RDMA sends again what came behind them.", c.Subject(), host, nic, dropped)
		m.Fix = fmt.Sprintf("tc qdisc replace dev %s parent %s pfifo limit 1000", nic, q.Parent)
		if q.Parent == "root" {
			m.Fix = fmt.Sprintf("tc qdisc del dev %s root", nic)
		}
		m.Undo = fmt.Sprintf("netem again at %s of %s, with the words that tc qdisc show printed beforehand", q.Parent, nic)
	}
	m.Next = SameByTCP(c, "TCP sends only what was lost again. If it fills the link, the losses are few, and it is a "+
		"lossless class that RDMA does not get. If not, look for what drops")
	return m
}

// rdmaPackets returns the number of packets that the sender's RDMA device sent over the experiment; known is false
// where it does not count them.
func rdmaPackets(c *judge.Case) (sent float64, known bool) {
	device, _ := rdmaDevice(c, c.Sender, c.Sender.Shots.After)
	for _, name := range []string{"sent_pkts", "tx_pkts", "port_xmit_packets"} {
		if g, why := c.Sender.DeltaOn(device, "rdma."+name); why == "" && g.Net > 0 {
			return g.Net, true
		}
	}
	return 0, false
}

// portName returns the planned interface of a side, or INTERFACE if it is not known.
func portName(s judge.Side) string {
	if s.Port == nil || s.Port.Interface == "" {
		return "INTERFACE"
	}
	return s.Port.Interface
}

// refusedRDMA returns the match for a full interface queue under soft RoCE: a queue pair fails at once when the queue
// has no room for its packet (drivers/infiniband/sw/rxe/rxe_req.c). Nil: that did not happen.
func refusedRDMA(c *judge.Case) *judge.Match {
	for _, side := range []judge.Side{c.Sender, c.Receiver} {
		list, _ := rdmaCounts(c, side, func(name string) bool { return name == "send_err" })
		if len(list) == 0 {
			continue
		}
		g, why := c.Delta(side, "qdisc.drops")
		if why != "" || g.Gross < 1 {
			continue
		}
		nic := side.Port.Interface
		e := list[0].evidence()
		e.Text += ": packets that could not be handed over"
		m := c.Candidate(fmt.Sprintf("%s: the queue of %s", side.Host, nic), "was not measured to its end. The queue of "+
			"%s on %s was full, and soft RoCE takes a packet that finds no room there for the end of its queue pair.", nic,
			side.Host)
		m.Likely(e, record.Evidence{Host: side.Host, Source: "tc -s qdisc show dev " + nic, Counter: "drops",
			Before: new(0.0), After: new(g.Gross), IdlePerSecond: g.Idle, Unit: "packets",
			Text: fmt.Sprintf("the queue of %s dropped %.0f packets", nic, g.Gross)})
		m.Fix = c.With("depth", "4") + "\nor a queue with more room, or none: tc qdisc show dev " + nic
		m.Undo = c.Without("depth")
		m.NextCeiling = "not known"
		return m
	}
	return nil
}
