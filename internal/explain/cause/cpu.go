package cause

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// A full CPU spends its time on packets, on bytes or on calls. Each has its own remedy, and the size of a packet and of
// a call shows which it is. The limits come from linerate's own measurements on several machines: a packet costs some
// hundred nanoseconds to a microsecond, as much as copying 5 to 15 kB.
const (
	smallPackets = 4 << 10  // mean payload of a packet below which packets cost more than their bytes
	largePackets = 24 << 10 // mean payload of a packet above which bytes cost more
	smallCalls   = 4 << 10  // bytes handed over at once, below which the calls cost more
)

// cpuPerRequest is the cause where the sending thread spends its time on calls that hand over few bytes each.
var cpuPerRequest = judge.Cause{
	ID: "cpu-per-request", Title: "CPU time of each call", Label: "CPU, per request",
	Plain:   "The CPUs have no time left: they, and not the network, are the limit.",
	Applies: judge.IP,
	Test: func(c *judge.Case) *judge.Match {
		size, err := unit.ParseBytes(c.Exp.Settings["size"])
		if err != nil || size <= 0 || size >= smallCalls || c.Exp.InEffect["batch"] == "true" {
			return nil
		}
		if n, err := strconv.Atoi(c.Exp.InEffect["udp_per_call"]); err == nil && unit.Bytes(n)*size >= smallCalls {
			return nil // one call hands over several datagrams
		}
		m, b := cpu(c)
		if m == nil {
			return nil
		}
		m.Sentence = fmt.Sprintf("%s is held back by %s: each call hands over %s, and a second holds no more calls.",
			c.Subject(), b.what, size) + b.shared()
		m.Add(judge.Reading(c.Sender.Host, "settings", "size", float64(size), "bytes", "%s calls a second, of %s each",
			unit.Count(c.Goodput/8/float64(size)), size))
		m.Fix = c.With("size", "128KiB") + "\na program that cannot hand over more at once can gather small messages " +
			"before it sends them"
		m.Undo = c.With("size", c.Exp.Settings["size"])
		return m
	},
}

// cpuPerPacket is the cause where the CPUs are full, and their packets have few segments.
var cpuPerPacket = judge.Cause{
	ID: "cpu-per-packet", Title: "CPU time of each packet", Label: "CPU, per packet",
	Plain:   "The CPUs have no time left: they, and not the network, are the limit.",
	Applies: judge.IP,
	Test: func(c *judge.Case) *judge.Match {
		m, b := cpu(c)
		packet, from, ok := packet(c)
		if m == nil || !ok || !perPacket(packet, b) {
			return nil
		}
		m.Sentence = fmt.Sprintf("%s is held back by %s: there is no time for more packets than the %s a second that it "+
			"handles.", c.Subject(), b.what, unit.Count(c.Goodput/8/packet)) + b.shared()
		m.Add(packetEvidence(c, packet, from), b.split())
		m.Fix, m.Undo = largerPackets(c)
		m.Fix += moreTime(c, b)
		if n := c.Sender.NIC(); n == nil || n.Offloads == nil || n.MTU <= 0 {
			m.Strength = judge.Candidate // offloads may be off and then be the cause; that is not known
		}
		return m
	},
}

// cpuCopy is the cause where the CPUs are full, and their packets have many segments, so that bytes cost most.
var cpuCopy = judge.Cause{
	ID: "cpu-copy", Title: "CPU time of each byte", Label: "CPU, copying",
	Plain:   "The CPUs have no time left: they, and not the network, are the limit.",
	Applies: judge.IP,
	Test: func(c *judge.Case) *judge.Match {
		m, b := cpu(c)
		packet, from, ok := packet(c)
		if m == nil || !ok || perPacket(packet, b) {
			return nil
		}
		m.Sentence = fmt.Sprintf("%s is held back by %s: copying %s a second leaves no time.", c.Subject(), b.what,
			unit.Bytes(c.Goodput/8)) + b.shared()
		m.Add(packetEvidence(c, packet, from), b.split())
		m.Fix, m.Undo = moreTime(c, b)+
			"\nhow much of it is copying shows a measurement with fewer copies: "+c.With("copy_mode",
			"receive"), judge.NoSettingChanged
		return m
	},
}

// largeMTU is an MTU that most networks support.
const largeMTU = 9000

// largerPackets returns the steps, one a line, that put the same bytes into fewer packets and are not done yet, and
// their undo.
func largerPackets(c *judge.Case) (fix, undo string) {
	small := true
	for _, at := range []struct {
		side     judge.Side
		features map[string]string
	}{{c.Sender, map[string]string{"tx-tcp-segmentation": "tso", "tx-generic-segmentation": "gso"}},
		{c.Receiver, map[string]string{"rx-gro": "gro"}}} {
		n := at.side.NIC()
		if n == nil {
			small = false
			continue
		}
		small = small && n.MTU > 0 && n.MTU < largeMTU
		for _, feature := range slices.Sorted(maps.Keys(at.features)) {
			if on, known := n.Offloads[feature]; known && !on && !n.Fixed[feature] {
				fix += fmt.Sprintf("on %s: ethtool -K %s %s on\n", at.side.Host, n.Name, at.features[feature])
				undo += fmt.Sprintf("on %s: ethtool -K %s %s off\n", at.side.Host, n.Name, at.features[feature])
			}
		}
	}
	if a, b := c.Sender.NIC(), c.Receiver.NIC(); small {
		fix += "larger packets, where every switch between takes them:\n"
		for _, at := range []struct {
			host string
			mtu  int
			nic  string
		}{{c.Sender.Host, a.MTU, a.Name}, {c.Receiver.Host, b.MTU, b.Name}} {
			fix += fmt.Sprintf("on %s: ip link set %s mtu %d\n", at.host, at.nic, largeMTU)
			undo += fmt.Sprintf("on %s: ip link set %s mtu %d\n", at.host, at.nic, at.mtu)
		}
	}
	undo = cmp.Or(undo, judge.NoSettingChanged)
	return fix, strings.TrimSpace(undo)
}

// idleCores is the number of idle cores from which on more connections may carry more.
const idleCores = 0.5

// moreTime describes where more CPU time can come from: idle cores, a machine for each end, or else other hardware.
func moreTime(c *judge.Case, b *bound) string {
	switch left := b.There - b.Used; {
	case left >= idleCores:
		n := 2 * max(1, len(c.Streams))
		return fmt.Sprintf("%s (%s of %d cores of %s are free, and one connection cannot use them)",
			c.With("streams", fmt.Sprint(n)), unit.Significant(left), b.cores, b.hosts)
	case b.together:
		return "measure between two machines: here both ends share the CPUs of one, and each would have its own"
	}
	return fmt.Sprintf("nothing of the network is wrong: %s needs faster CPUs, more of them, or NICs on both "+
		"ends that do the work themselves (RDMA)", b.side.Host)
}

// cpu is the part that all three have in common; nil: this experiment fills no CPU, or there is evidence against it.
func cpu(c *judge.Case) (*judge.Match, *bound) {
	if c.Ceiling <= 0 || c.Share() >= judge.AtCeiling || smallBuffers(c) || c.Sender.Port == nil {
		return nil, nil
	}
	b := cpuBound(c)
	if b == nil {
		return nil, nil
	}
	m := &judge.Match{Strength: judge.Likely, Component: b.what, Evidence: []record.Evidence{b.evidence},
		NextCeiling: c.NextCeiling("")}
	for _, counter := range []string{"tx_packets", "tx_bytes"} {
		if _, why := c.Delta(c.Sender, counter); why != "" {
			// segmentation by the sender, or firewall rules, may fill the CPUs; neither is known
			m.Strength = judge.Candidate
		}
	}
	if busy, known := c.Each(false, func(s *record.Socket) *float64 { return s.BusySeconds }); known &&
		slices.Min(busy) < 0 {
		m.Strength = judge.Candidate // it is not known what the sender waited for
	}
	return m, b
}

// packet returns the mean payload of the packets at the end whose kernel handled the smaller ones. A receiver that
// merges nothing has to handle each packet, whatever its sender did. ok is false if no interface counted them.
func packet(c *judge.Case) (bytes float64, side judge.Side, ok bool) {
	for _, at := range []struct {
		side judge.Side
		way  string
	}{{c.Sender, "tx"}, {c.Receiver, "rx"}} {
		if at.side.Port == nil {
			continue
		}
		packets, why0 := c.Delta(at.side, at.way+"_packets")
		moved, why1 := c.Delta(at.side, at.way+"_bytes")
		if why0 != "" || why1 != "" || packets.Gross < 1 {
			continue
		}
		mean := moved.Gross/packets.Gross - judge.FrameHeaders(at.side.Port.Address.Addr().String())
		if mean > 0 && (!ok || mean < bytes) {
			bytes, side, ok = mean, at.side, true
		}
	}
	return bytes, side, ok
}

// perPacket reports whether the packets cost more than their bytes. For sizes between small and large the CPU time
// decides: receiving costs by packet, and the rest of the kernel's work is mostly copying.
func perPacket(packet float64, b *bound) bool {
	if packet < smallPackets || packet > largePackets {
		return packet < smallPackets
	}
	return b.softirq > b.Own-b.user-b.softirq
}

func packetEvidence(c *judge.Case, packet float64, at judge.Side) record.Evidence {
	segments := ""
	if n := at.NIC(); n != nil && n.MTU > 0 {
		segments = fmt.Sprintf(" (MTU %d)", n.MTU)
	}
	return judge.Reading(at.Host, "counters of "+at.Port.Interface, "payload of a packet", packet, "bytes",
		"the packets of %s on %s have %s of payload on average%s", at.Port.Interface, at.Host, unit.Bytes(packet),
		segments)
}

// split is the evidence of how the CPU time was spent.
func (b *bound) split() record.Evidence {
	return judge.Reading(b.side.Host, "/proc/stat", "softirq", b.softirq, "cores", "receiving packets took %s "+
		"cores, the measuring threads %s in the kernel and %s outside of it", unit.Significant(b.softirq),
		unit.Significant(b.Own-b.user), unit.Significant(b.user))
}
