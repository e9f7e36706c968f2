package cause

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/explain/cause/address"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// segmentation are the features whose absence makes the CPU handle every wire packet of the sender on its own.
var segmentation = []struct{ feature, flag string }{
	{"tx-tcp-segmentation", "tso"},
	{"tx-generic-segmentation", "gso"},
}

// OffloadsOff is the cause where segmentation offload is off on the sender, so that it builds every packet itself,
// which fills a CPU core. The identity compares the packets counted on the interface with goodput in single segments.
var OffloadsOff = judge.Cause{
	ID: "offloads-off", Title: "offloads switched off",
	Plain: "The NIC could cut large blocks of data into packets by itself. That is switched off, so that the CPU " +
		"does it packet by packet, and it is full.",
	Applies: judge.TCP,
	Test: func(c *judge.Case) *judge.Match {
		n := c.Sender.NIC()
		if n == nil || n.Offloads == nil || cannotGather(c.Sender, n) {
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
			return nil // or the device does not have it
		}
		host := c.Sender.Host
		m := c.Candidate(host+": "+n.Name, "is held back by %s: segmentation offload (%s) is off on %s, so every "+
			"packet costs CPU time of its own.", host, strings.Join(off, ", "), n.Name)
		m.Add(judge.Reading(host, "ethtool -k "+n.Name, strings.Join(off, ","), 0.0, "on", "%s on %s: off",
			strings.Join(off, " and "), n.Name))
		m.Fix = fmt.Sprintf("ethtool -K %s %s on", n.Name, strings.Join(can, " on "))
		m.Undo = fmt.Sprintf("ethtool -K %s %s off", n.Name, strings.Join(can, " off "))
		core, used, known := c.BusiestCore(host)
		if at, busy, ok := ownCore(c, host); known && ok {
			core, used = at, busy
		}
		enough := 0.85
		for _, late := range []struct{ counter, source string }{{string(facts.ReceiveDrops), "ip -s link"},
			{"softnet.dropped", "/proc/net/softnet_stat"}} {
			if g, why := c.Delta(c.Receiver, late.counter); why == "" && g.Net >= minLosses {
				// Losses make TCP pause, and the CPUs with it: a core that is late is then not busy all the time.
				enough = 0.7
				m.Add(g.Evidence(c.Receiver.Host, late.source, late.counter, "packets", "%.0f packets reached %s faster than it "+
					"could take them", g.Net, c.Receiver.Host))
				break
			}
		}
		others := busyWithOthers(c, host, core)
		if known && used >= enough {
			with := ""
			if others {
				with = ", most of it with other work"
			}
			m.Add(judge.Reading(host, "/proc/stat", fmt.Sprintf("cpu%d", core), used, "share of a core", "core %d of %s is "+
				"%s busy%s", core, host, unit.Percent(used), with))
		}
		single, ok := singlePackets(c, m)
		if known && used >= enough && ok && single && !others {
			m.Strength = judge.Likely
		}
		return m
	},
}

// ownCore returns the core of a host that this experiment keeps busiest, with its packets and its measuring processes,
// and the core's use by any process; ok is false where it is not known who used it.
func ownCore(c *judge.Case, host string) (core int, busy float64, ok bool) {
	if c.Repeat == nil {
		return 0, 0, false
	}
	most := -1.0
	for _, u := range c.Repeat.CPU {
		if u.Host != host || u.Core < 0 {
			continue
		}
		if own, known := ownOf(c, u); known && own > most {
			core, busy, most, ok = u.Core, u.Busy(), own, true
		}
	}
	return core, busy, ok
}

// ownOf returns the share of a core that this experiment used: for receiving packets, and for the measuring processes,
// of both ends where they are on one machine. It is known if all of these are.
func ownOf(c *judge.Case, u record.CPU) (share float64, known bool) {
	if u.Own == nil {
		return 0, false
	}
	share = u.SoftIRQ + u.IRQ + *u.Own
	for _, o := range c.Repeat.CPU {
		if o.Host == u.Host || o.Core != u.Core || !oneMachine(c, o.Host, u.Host) {
			continue
		}
		if o.Own == nil {
			return 0, false
		}
		share += *o.Own
	}
	return share, true
}

// oneMachine reports whether two hosts of a lab share the same cores.
func oneMachine(c *judge.Case, a, b string) bool {
	return slices.ContainsFunc(c.Repeat.CPU, func(u record.CPU) bool {
		names := strings.Split(u.Host, "+")
		return u.Core == -1 && slices.Contains(names, a) && slices.Contains(names, b)
	})
}

// busyWithOthers reports whether this experiment used less than half of a core's busy time, so that its packets do not
// fill the core. Where the core's time by process is not known, that of the host counts. Where this is not known
// either, it is false.
func busyWithOthers(c *judge.Case, host string, core int) bool {
	for _, u := range c.Repeat.CPU {
		if u.Host != host || u.Core != core {
			continue
		}
		if own, known := ownOf(c, u); known {
			return own < judge.MostlyOwn*u.Busy()
		}
	}
	for _, side := range []judge.Side{c.Sender, c.Receiver} {
		if p, ok := CPUs(c, side); ok && side.Host == host && p.Own > 0 { // a measuring process always uses some time
			return p.Own+p.softirq < judge.MostlyOwn*p.Used
		}
	}
	return false
}

// cannotGather reports whether the device of an interface, or one of the members of a bond, does not support
// scatter-gather. Linux then keeps segmentation offload off whatever the setting (net/core/dev.c, netdev_fix_features),
// so nobody switched it off.
func cannotGather(s judge.Side, n *facts.Interface) bool {
	const gather = "tx-scatter-gather"
	if on, known := n.Offloads[gather]; known && !on && n.Fixed[gather] {
		return true
	}
	return n.Bond != nil && slices.ContainsFunc(n.Bond.Members, func(m facts.BondMember) bool {
		member := s.Shots.After.NIC(m.Name)
		return member != nil && member.Bond == nil && cannotGather(s, member)
	})
}

// singlePackets reports whether the packets that the interface counted are single segments rather than super-packets.
func singlePackets(c *judge.Case, m *judge.Match) (single, ok bool) {
	before, after := c.Sender.Shots.Before, c.Sender.Shots.After
	if before == nil || after == nil {
		return false, false
	}
	nic := c.Sender.Port.Interface
	packets, ok1 := judge.Delta(before, after, nic, "tx_packets")
	bytes, ok2 := judge.Delta(before, after, nic, "tx_bytes")
	if !ok1 || !ok2 || packets <= 0 {
		return false, false
	}
	n := after.NIC(nic)
	size := bytes / packets
	m.Add(address.NicEvidence(c.Sender, nic, "tx_packets", before, after, fmt.Sprintf("packets of %.0f bytes on average "+
		"left %s (MTU %d)", size, nic, n.MTU)))
	return size <= float64(n.MTU+18), true
}
