package explain

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// segmentation are the features whose absence makes the processor handle every
// wire packet of the sender on its own.
var segmentation = []struct{ feature, flag string }{
	{"tx-tcp-segmentation", "tso"},
	{"tx-generic-segmentation", "gso"},
}

// offloadsOff: segmentation offload is off on the sender, so that it builds every
// packet itself, and a processor core is full of it. The identity is
// packets counted on the interface against goodput in single segments.
var offloadsOff = Cause{
	ID: "offloads-off", Title: "offloads switched off", Transport: "tcp",
	Test: func(c *Case) *Match {
		n := c.Sender.NIC()
		if n == nil || n.Offloads == nil || c.Sender.cannotGather(n) {
			return nil
		}
		var off, can []string
		for _, s := range segmentation {
			if on, known := n.Offloads[s.feature]; known && !on {
				off = append(off, s.flag)
				if !n.Fixed[s.feature] {
					can = append(can, s.flag)
				}
			}
		}
		if len(off) < len(segmentation) || len(can) == 0 {
			return nil // or the device has none, which nobody switched off
		}
		host := c.Sender.Host
		m := &Match{
			Strength: Candidate, Component: host + ": " + n.Name,
			Sentence: fmt.Sprintf("%s is held back by %s: segmentation offload (%s) is off on %s, so every packet costs processor time of its own.",
				c.subject(), host, strings.Join(off, ", "), n.Name),
			Evidence: []record.Evidence{{Host: host, Source: "ethtool -k " + n.Name, Counter: strings.Join(off, ","), After: ptr(0), Unit: "on",
				Text: fmt.Sprintf("%s on %s: off", strings.Join(off, " and "), n.Name)}},
			Fix:         fmt.Sprintf("ethtool -K %s %s on", n.Name, strings.Join(can, " on ")),
			Undo:        fmt.Sprintf("ethtool -K %s %s off", n.Name, strings.Join(can, " off ")),
			NextCeiling: c.nextCeiling(""),
		}
		core, used, known := c.busiestCore(host)
		if at, busy, ok := c.ownCore(host); known && ok {
			core, used = at, busy
		}
		enough := 0.85
		for _, late := range []struct{ counter, source string }{{string(facts.ReceiveDrops), "ip -s link"}, {"softnet.dropped", "/proc/net/softnet_stat"}} {
			if g, why := c.delta(c.Receiver, late.counter); why == "" && g.Net >= least {
				// Losses make TCP pause, and the processors with it: a core that is late for packets is not busy all of the time.
				enough = 0.7
				m.Evidence = append(m.Evidence, record.Evidence{Host: c.Receiver.Host, Source: late.source, Counter: late.counter, Before: ptr(0), After: ptr(g.Net), IdlePerSecond: g.Idle, Unit: "packets",
					Text: fmt.Sprintf("%.0f packets reached %s faster than it could take them", g.Net, c.Receiver.Host)})
				break
			}
		}
		others := c.busyWithOthers(host, core)
		if known && used >= enough {
			with := ""
			if others {
				with = ", most of it with other work"
			}
			m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "/proc/stat", Counter: fmt.Sprintf("cpu%d", core), After: ptr(used), Unit: "share of a core",
				Text: fmt.Sprintf("core %d of %s is %s busy%s", core, host, unit.Percent(used), with)})
		}
		single, ok := c.singlePackets(m)
		if known && used >= enough && ok && single && !others {
			m.Strength = Likely
		}
		return m
	},
}

// ownCore is the core of a host that the traffic of this experiment keeps busiest, by its packets and by the processes that measure, and the share
// of it that is in use, by whatever; ok is false where it is not known whose time it was.
func (c *Case) ownCore(host string) (core int, busy float64, ok bool) {
	if c.Repeat == nil {
		return 0, 0, false
	}
	most := -1.0
	for _, u := range c.Repeat.CPU {
		if u.Host != host || u.Core < 0 {
			continue
		}
		if own, known := c.ownOf(u); known && own > most {
			core, busy, most, ok = u.Core, u.Busy(), own, true
		}
	}
	return core, busy, ok
}

// ownOf is the share of a core that went into this experiment: into receiving packets, and into the measuring processes, of both ends where they
// are on one machine. It is known where the share of each of them is.
func (c *Case) ownOf(u record.CPU) (share float64, known bool) {
	if u.Own == nil {
		return 0, false
	}
	share = u.SoftIRQ + u.IRQ + *u.Own
	for _, o := range c.Repeat.CPU {
		if o.Host == u.Host || o.Core != u.Core || !c.oneMachine(o.Host, u.Host) {
			continue
		}
		if o.Own == nil {
			return 0, false
		}
		share += *o.Own
	}
	return share, true
}

// oneMachine says whether two hosts of a lab have the same cores.
func (c *Case) oneMachine(a, b string) bool {
	return slices.ContainsFunc(c.Repeat.CPU, func(u record.CPU) bool {
		names := strings.Split(u.Host, "+")
		return u.Core == -1 && slices.Contains(names, a) && slices.Contains(names, b)
	})
}

// busyWithOthers says whether less than a half of what a core did was of this experiment: what its packets cost is then not what fills it.
// Where the time of the core by process is not known, that of the host counts; where this is not known either, nothing speaks against.
func (c *Case) busyWithOthers(host string, core int) bool {
	for _, u := range c.Repeat.CPU {
		if u.Host != host || u.Core != core {
			continue
		}
		if own, known := c.ownOf(u); known {
			return own < mostlyOurs*u.Busy()
		}
	}
	for _, side := range []Side{c.Sender, c.Receiver} {
		if p, ok := c.processors(side); ok && side.Host == host && p.own > 0 { // no process measures without any time
			return p.own+p.softirq < mostlyOurs*p.used
		}
	}
	return false
}

// cannotGather says whether the device of an interface, or one of the members of a bond, takes no packet in several pieces (scatter-gather). Linux
// then keeps segmentation offload off, however often it is asked for (net/core/dev.c, netdev_fix_features): nobody switched it off.
func (s Side) cannotGather(n *facts.Interface) bool {
	const gather = "tx-scatter-gather"
	if on, known := n.Offloads[gather]; known && !on && n.Fixed[gather] {
		return true
	}
	return n.Bond != nil && slices.ContainsFunc(n.Bond.Members, func(m facts.BondMember) bool {
		member := s.Shots.After.NIC(m.Name)
		return member != nil && member.Bond == nil && s.cannotGather(member)
	})
}

// singlePackets says whether the packets that the interface counted are single
// segments rather than super-packets.
func (c *Case) singlePackets(m *Match) (single, ok bool) {
	before, after := c.Sender.Shots.Before, c.Sender.Shots.After
	if before == nil || after == nil {
		return false, false
	}
	nic := c.Sender.Port.Interface
	packets, ok1 := delta(before, after, nic, "tx_packets")
	bytes, ok2 := delta(before, after, nic, "tx_bytes")
	if !ok1 || !ok2 || packets <= 0 {
		return false, false
	}
	n := after.NIC(nic)
	size := bytes / packets
	m.Evidence = append(m.Evidence, nicEvidence(c.Sender, nic, "tx_packets", before, after,
		fmt.Sprintf("packets of %.0f bytes on average left %s (MTU %d)", size, nic, n.MTU)))
	return size <= float64(n.MTU+18), true
}
