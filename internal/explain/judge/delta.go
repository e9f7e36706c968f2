package judge

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/facts"
)

// Delta returns the growth of a counter of one side over the whole experiment, from before to after (warm-up, trials
// and every repeat), less its idle rate, and the reason why it is not known; empty: it is. A counter is
//
//	Tcp.RetransSegs, TcpExt.TCPDSACKRecvSegs   of the host's protocols, by its name in Facts.Counters
//	conntrack.drop                             packets that found the table of tracked connections full
//	softnet.dropped, softnet.time_squeeze, softnet.processed   of all cores
//	qdisc.drops, qdisc.overlimits, qdisc.bytes, qdisc.packets  of the root discipline of the planned interface
//	qdisc.ingress                              what its discipline for what comes in dropped
//	firewall.drops                             of all rules that drop and count
//	drive.read_bytes, drive.busy_ms            of a block device, whose name is instead of the interface's (growthOf)
//	rdma.out_of_seq_request                    and others of the port of an RDMA device, named for the interface
//	no-buffer, pause-received, ..              of the planned interface, by its meaning (facts.Counted)
//	tx_bytes, rx_out_of_buffer, ..             of the planned interface, the kernel's else the driver's
func (c *Case) Delta(side Side, counter string) (Growth, string) {
	if side.Port == nil {
		return Growth{}, side.Host + ": which interface is meant is not known"
	}
	return side.DeltaOn(side.Port.Interface, counter)
}

// DeltaOn is Delta for another interface of the side.
func (s Side) DeltaOn(nic, counter string) (Growth, string) {
	if s.Shots.Before == nil || s.Shots.After == nil {
		return Growth{}, s.Host + ": its counters around the measurement were not read"
	}
	g, why := s.Shots.GrowthOf(nic, counter, s.Shots.Before, s.Shots.After)
	if why != "" {
		why = fmt.Sprintf("%s: %s: %s", s.Host, counterSubject(nic, counter), why)
	}
	return g, why
}

// notThere is the reason why most counters are not known: their system or driver does not have them.
const notThere = "it is not in its snapshots"

// counterSubject names a counter with its interface or host.
func counterSubject(nic, counter string) string {
	if ofHost(counter) {
		return counter
	}
	return counter + " of " + nic
}

// ofHost reports whether a counter is of the whole host.
func ofHost(counter string) bool {
	return strings.HasPrefix(counter, "conntrack.") || strings.HasPrefix(counter, "softnet.") ||
		strings.HasPrefix(counter, "firewall.") || isProtocol(counter)
}

// isProtocol reports whether a counter is of the host's protocols: "Tcp.RetransSegs".
func isProtocol(counter string) bool {
	group, _, ok := strings.Cut(counter, ".")
	return ok && group != "" && group[0] >= 'A' && group[0] <= 'Z'
}

// readings finds a counter in two snapshots.
func readings(nic, counter string, a, b *facts.Facts) (was, now uint64, narrow bool, why string) {
	if isProtocol(counter) {
		return both(a.Counters, b.Counters, counter)
	}
	if name, ok := strings.CutPrefix(counter, "softnet."); ok {
		return softnetReadings(name, a, b)
	}
	if counter == "conntrack.drop" {
		if a.Conntrack == nil || b.Conntrack == nil {
			return 0, 0, false, notThere
		}
		return a.Conntrack.Drop, b.Conntrack.Drop, true, ""
	}
	if counter == "firewall.drops" {
		return firewallReadings(a, b)
	}
	if name, ok := strings.CutPrefix(counter, "drive."); ok {
		return driveReadings(nic, name, a, b)
	}
	if name, ok := strings.CutPrefix(counter, "rdma."); ok {
		return rdmaReadings(nic, name, a, b)
	}
	m, n := a.NIC(nic), b.NIC(nic)
	switch {
	case m == nil && n == nil:
		return 0, 0, false, "the host has no such interface"
	case n == nil:
		return 0, 0, false, "the interface was gone afterwards"
	case m == nil:
		return 0, 0, false, "the interface was not there at first"
	case m.Index != 0 && n.Index != 0 && m.Index != n.Index:
		return 0, 0, false, fmt.Sprintf("the interface was made again in between (its number went from %d to %d)", m.Index,
			n.Index)
	}
	if name, ok := strings.CutPrefix(counter, "qdisc."); ok {
		return qdiscReadings(name, m, n)
	}
	if _, ok := n.Counters[counter]; ok {
		return both(m.Counters, n.Counters, counter)
	}
	if _, ok := n.Driven[counter]; ok {
		return both(m.Driven, n.Driven, counter)
	}
	return CountReadings(nic, facts.Counted(counter), a, b)
}

func both(a, b map[string]uint64, name string) (was, now uint64, narrow bool, why string) {
	was, ok0 := a[name]
	now, ok1 := b[name]
	if !ok0 || !ok1 {
		return 0, 0, false, notThere
	}
	return was, now, false, ""
}

// softnetReadings adds up the cores, each unwrapped on its own.
func softnetReadings(name string, a, b *facts.Facts) (was, now uint64, narrow bool, why string) {
	if a.Softnet == nil || b.Softnet == nil {
		return 0, 0, false, notThere
	}
	of := func(c facts.SoftnetCPU) uint64 {
		switch name {
		case "dropped":
			return c.Dropped
		case "time_squeeze":
			return c.TimeSqueeze
		}
		return c.Processed
	}
	for _, after := range b.Softnet {
		i := slices.IndexFunc(a.Softnet, func(c facts.SoftnetCPU) bool { return c.Core == after.Core })
		if i < 0 {
			return 0, 0, false, fmt.Sprintf("core %d is in one snapshot alone", after.Core)
		}
		d, why := grew(of(a.Softnet[i]), of(after), true)
		if why != "" {
			return 0, 0, false, fmt.Sprintf("core %d: %s", after.Core, why)
		}
		was += of(a.Softnet[i])
		now += of(a.Softnet[i]) + uint64(d)
	}
	return was, now, false, ""
}

// firewallReadings returns the packets that rules with a counter dropped. If more chains or rules drop afterwards, the
// ruleset was changed.
func firewallReadings(a, b *facts.Facts) (was, now uint64, narrow bool, why string) {
	before, ok0 := a.Firewall.Get()
	after, ok1 := b.Firewall.Get()
	if !ok0 || !ok1 {
		return 0, 0, false, notThere
	}
	was, s0 := before.Dropped()
	now, s1 := after.Dropped()
	if len(before.Chains) != len(after.Chains) || s0 != s1 {
		return 0, 0, false, "its rules were changed in between"
	}
	return was, now, false, ""
}

// qdiscReadings returns a counter of the root discipline, which includes the drops of its children.
func qdiscReadings(name string, a, b *facts.Interface) (was, now uint64, narrow bool, why string) {
	find := func(n *facts.Interface) *facts.Qdisc {
		for i, q := range n.Qdiscs {
			if in := q.Kind == "ingress" || q.Kind == "clsact"; in && name == "ingress" || !in && q.Parent == "root" &&
				name != "ingress" {
				return &n.Qdiscs[i]
			}
		}
		return nil
	}
	p, q := find(a), find(b)
	switch {
	case p == nil && q == nil:
		return 0, 0, false, notThere
	case p == nil || q == nil:
		return 0, 0, false, "the interface had such a queueing discipline in one snapshot alone"
	case p.Kind != q.Kind || p.Handle != q.Handle || q.Bytes < p.Bytes:
		return 0, 0, false, "the queueing discipline was replaced in between"
	}
	switch name {
	case "drops", "ingress":
		return p.Drops, q.Drops, true, ""
	case "overlimits":
		return p.Overlimits, q.Overlimits, true, ""
	case "packets":
		return p.Packets, q.Packets, true, ""
	case "bytes":
		return p.Bytes, q.Bytes, false, ""
	}
	return 0, 0, false, "no queueing discipline has such a counter"
}

// CountReadings returns the source that grew most, among those in both snapshots that count the same: both the driver
// and the kernel count many losses.
func CountReadings(nic string, what facts.Counted, a, b *facts.Facts) (was, now uint64, narrow bool, why string) {
	why = notThere
	for _, after := range b.Counts {
		if after.What != what || after.Subject != nic {
			continue
		}
		for _, before := range a.Counts {
			if before.What != what || before.Subject != nic || before.Source != after.Source {
				continue
			}
			_, w := grew(before.Value, after.Value, false)
			if w != "" {
				if why != "" {
					why = w
				}
				continue
			}
			if why != "" || after.Value-before.Value > now-was {
				was, now, why = before.Value, after.Value, ""
			}
		}
	}
	return was, now, false, why
}
