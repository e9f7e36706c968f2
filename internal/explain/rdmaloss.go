package explain

import (
	"fmt"
	"math"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

const (
	// tellingSequence is from how many events on packets out of sequence mean something, and tellingSequenceShare from which share of the packets
	// on: cards that send everything again from the lost packet on get next to nothing done with one lost in a few hundred.
	tellingSequence      = 10
	tellingSequenceShare = 1e-4
	// Of few packets fewer events mean something, where they are a large part.
	fewSequence      = 4
	fewSequenceShare = 1e-2
)

// rdmaLoss: packets of RDMA are lost on the way. Most cards, and soft RoCE, then send everything again from the lost packet on, which is why RoCE
// wants a class in which nothing is dropped. The two pieces of evidence are the counters of the end that missed packets and of the end that was told.
var rdmaLoss = Cause{
	ID: "rdma-loss", Title: "lost packets of RDMA", Transport: "rdma",
	Test: func(c *Case) *Match {
		if c.Share() >= atCeiling {
			return nil
		}
		return c.lostRDMA()
	},
	Fails: func(c *Case) *Match {
		if m := c.refusedRDMA(); m != nil {
			return m
		}
		m := c.lostRDMA()
		if m != nil {
			m.Sentence = fmt.Sprintf("%s was not measured to its end: packets of RDMA are lost on the way, until those that send them again give up.", c.subject())
		}
		return m
	},
}

// isSequence says whether a counter is of packets out of sequence, or of what that brings about.
func isSequence(name string) bool {
	return facts.CountedOfRDMA(name) == facts.OutOfSequence || name == "duplicate_request"
}

// saysMissing are the counters that grow only where a packet is missing; a timer that runs out also does where a processor is late.
func saysMissing(name string) bool {
	switch name {
	case "completer_retry_err", "local_ack_timeout_err", "to_retransmits", "duplicate_request":
		return false
	}
	return true
}

// sequenceErrors are those of both ends' RDMA devices; most is what the one counted that says most of packets that were missing.
func (c *Case) sequenceErrors() (list []rdmaCount, most float64, ends int) {
	for _, side := range []Side{c.Receiver, c.Sender} {
		all, _ := c.rdmaCounts(side, isSequence)
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

// lostRDMA is what both ends' counters say of lost packets; nil: nothing that matters.
func (c *Case) lostRDMA() *Match {
	list, most, ends := c.sequenceErrors()
	sent, known := c.rdmaPackets()
	known = known && sent > 0
	if most < tellingSequence && !(known && most >= fewSequence && most/sent >= fewSequenceShare) {
		return nil
	}
	if known && most/sent < tellingSequenceShare {
		return nil
	}
	m := &Match{
		Strength: Candidate, Component: fmt.Sprintf("between %s and %s", c.Sender.Host, c.Receiver.Host),
		Sentence:    fmt.Sprintf("%s is held back by losses: packets of RDMA are lost between %s and %s, and each time what came behind them is sent again.", c.subject(), c.Sender.Host, c.Receiver.Host),
		NextCeiling: c.nextCeiling(""),
		Undo:        nothingSet,
	}
	for _, k := range list {
		m.Evidence = append(m.Evidence, k.evidence())
	}
	if known {
		m.Evidence[0].Text += fmt.Sprintf(" (%s of the %.0f packets that %s sent)", unit.Percent(math.Min(1, most/sent)), sent, c.Sender.Host)
	}
	if ends == 2 {
		m.Strength = Likely
	}
	drops, _ := c.dropped()
	for _, d := range drops {
		if d.Twice != "" || d.Count < tellingSequence/2 {
			continue
		}
		m.Strength = Likely
		m.Component = d.Host
		m.Evidence = append(m.Evidence, record.Evidence{Host: d.Host, Source: d.Source, Counter: d.Counter, Before: ptr(0), After: ptr(d.Count), IdlePerSecond: d.Idle, Unit: "packets", Text: fmt.Sprintf("%s dropped %.0f packets (%s)", d.Host, d.Count, d.what())})
	}
	m.Fix = fmt.Sprintf("give RDMA a class in which nothing is dropped: PFC for its priority, and ECN, at both cards and at every switch between (linerate check says what is not so)\n"+
		"look for bad cables and modules on the way: the error counters of each port\non %s: ethtool -S %s", c.Receiver.Host, c.Receiver.portName())
	if q, dropped := c.emulator(); q != nil && dropped >= tellingSequence/2 {
		host, nic := c.Sender.Host, c.Sender.Port.Interface
		m.Component = fmt.Sprintf("netem on %s of %s", nic, host)
		m.Sentence = fmt.Sprintf("%s is held back by losses that %s makes itself: a netem on %s threw away %.0f packets before they left, and RDMA sends again what came behind them.", c.subject(), host, nic, dropped)
		m.Fix = fmt.Sprintf("tc qdisc replace dev %s parent %s pfifo limit 1000", nic, q.Parent)
		if q.Parent == "root" {
			m.Fix = fmt.Sprintf("tc qdisc del dev %s root", nic)
		}
		m.Undo = fmt.Sprintf("netem again at %s of %s, with the words that tc qdisc show printed beforehand", q.Parent, nic)
	}
	m.Next = c.sameByTCP("TCP sends only what was lost again: if it fills the link, the losses are few, and it is a lossless class that RDMA lacks; if not, look for what drops")
	return m
}

// rdmaPackets is how many packets the sender's RDMA device sent over the experiment; known is false where it does not count them.
func (c *Case) rdmaPackets() (sent float64, known bool) {
	device, _ := c.rdmaDevice(c.Sender, c.Sender.Shots.After)
	for _, name := range []string{"sent_pkts", "tx_pkts", "port_xmit_packets"} {
		if g, why := c.Sender.deltaOn(device, "rdma."+name); why == "" && g.Net > 0 {
			return g.Net, true
		}
	}
	return 0, false
}

// portName is the planned interface of a side; INTERFACE where none is known.
func (s Side) portName() string {
	if s.Port == nil || s.Port.Interface == "" {
		return "INTERFACE"
	}
	return s.Port.Interface
}

// refusedRDMA: soft RoCE hands its packets to the queue of the interface as all others, and where that has no room for one the queue pair goes into
// error at once (drivers/infiniband/sw/rxe/rxe_req.c). Nil: it is not so.
func (c *Case) refusedRDMA() *Match {
	for _, side := range []Side{c.Sender, c.Receiver} {
		list, _ := c.rdmaCounts(side, func(name string) bool { return name == "send_err" })
		if len(list) == 0 {
			continue
		}
		g, why := c.delta(side, "qdisc.drops")
		if why != "" || g.Gross < 1 {
			continue
		}
		nic := side.Port.Interface
		e := list[0].evidence()
		e.Text += ": packets that could not be handed over"
		return &Match{
			Strength: Likely, Component: fmt.Sprintf("%s: the queue of %s", side.Host, nic),
			Sentence:    fmt.Sprintf("%s was not measured to its end: the queue of %s on %s was full, and soft RoCE takes a packet that finds no room there for the end of its queue pair.", c.subject(), nic, side.Host),
			Evidence:    []record.Evidence{e, {Host: side.Host, Source: "tc -s qdisc show dev " + nic, Counter: "drops", Before: ptr(0), After: ptr(g.Gross), IdlePerSecond: g.Idle, Unit: "packets", Text: fmt.Sprintf("the queue of %s dropped %.0f packets", nic, g.Gross)}},
			Fix:         c.with("depth", "4") + "\nor a queue with more room, or none: tc qdisc show dev " + nic,
			Undo:        c.without("depth"),
			NextCeiling: "not known",
		}
	}
	return nil
}
