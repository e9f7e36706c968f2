package explain

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// A processor that is full is full of packets, of bytes or of calls. The three are one limit with three remedies: which it is follows from
// how large the units are that it worked on. The figures are of this program's own measurements on several machines: a packet costs some
// hundred nanoseconds to a microsecond, as much as copying 5 to 15 kB.
const (
	smallPackets = 4 << 10  // mean payload of a packet below which packets cost more than their bytes
	largePackets = 24 << 10 // above which bytes cost more
	smallCalls   = 4 << 10  // bytes handed over at once, below which the calls cost more
)

// cpuPerRequest: the sending thread is full of calls that hand over a few bytes each.
var cpuPerRequest = Cause{
	ID: "cpu-per-request", Title: "processor time of each call",
	Test: func(c *Case) *Match {
		size, err := unit.ParseBytes(c.Exp.Settings["size"])
		if err != nil || size <= 0 || size >= smallCalls || c.Exp.InEffect["gather"] == "true" {
			return nil
		}
		if n, err := strconv.Atoi(c.Exp.InEffect["udp_per_call"]); err == nil && unit.Bytes(n)*size >= smallCalls {
			return nil // of datagrams a call hands several over
		}
		m, b := c.cpu()
		if m == nil {
			return nil
		}
		m.Sentence = fmt.Sprintf("%s is held back by %s: each call hands over %s, and a second holds no more calls.", c.subject(), b.what, size) + b.shared()
		m.Evidence = append(m.Evidence, record.Evidence{Host: c.Sender.Host, Source: "settings", Counter: "size", After: ptr(float64(size)), Unit: "bytes",
			Text: fmt.Sprintf("%s calls a second, of %s each", unit.Count(c.Goodput/8/float64(size)), size)})
		m.Fix = c.with("size", "128KiB") + "\na program that cannot hand over more at once can gather small messages before it sends them"
		m.Undo = c.with("size", c.Exp.Settings["size"])
		return m
	},
}

// cpuPerPacket: the processors are full, and what they work on are packets of few segments.
var cpuPerPacket = Cause{
	ID: "cpu-per-packet", Title: "processor time of each packet",
	Test: func(c *Case) *Match {
		m, b := c.cpu()
		packet, from, ok := c.packet()
		if m == nil || !ok || !perPacket(packet, b) {
			return nil
		}
		m.Sentence = fmt.Sprintf("%s is held back by %s: there is no time for more packets than the %s a second that it handles.", c.subject(), b.what, unit.Count(c.Goodput/8/packet)) + b.shared()
		m.Evidence = append(m.Evidence, c.packetEvidence(packet, from), b.split())
		m.Fix, m.Undo = c.largerPackets()
		m.Fix += c.moreTime(b)
		if n := c.Sender.NIC(); n == nil || n.Offloads == nil || n.MTU <= 0 {
			m.Strength = Candidate // offloads that are off would be the cause, and are not known
		}
		return m
	},
}

// cpuCopy: the processors are full, and what they work on are packets of many segments, so that it is the bytes that cost.
var cpuCopy = Cause{
	ID: "cpu-copy", Title: "processor time of each byte",
	Test: func(c *Case) *Match {
		m, b := c.cpu()
		packet, from, ok := c.packet()
		if m == nil || !ok || perPacket(packet, b) {
			return nil
		}
		m.Sentence = fmt.Sprintf("%s is held back by %s: copying %s a second leaves no time.", c.subject(), b.what, unit.Bytes(c.Goodput/8)) + b.shared()
		m.Evidence = append(m.Evidence, c.packetEvidence(packet, from), b.split())
		m.Fix, m.Undo = c.moreTime(b)+"\nhow much of it is copying shows a measurement with fewer copies: "+c.with("copies", "receive"), nothingSet
		return m
	},
}

// largeMTU is what most networks can have.
const largeMTU = 9000

// largerPackets are the steps that make of the same bytes fewer packets, as far as they are not done, a line each, and those that take them back.
func (c *Case) largerPackets() (fix, undo string) {
	small := true
	for _, at := range []struct {
		side     Side
		features map[string]string
	}{{c.Sender, map[string]string{"tx-tcp-segmentation": "tso", "tx-generic-segmentation": "gso"}}, {c.Receiver, map[string]string{"rx-gro": "gro"}}} {
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
	if undo == "" {
		undo = nothingSet
	}
	return fix, strings.TrimSpace(undo)
}

// idleCores is how many cores must be free for more connections to find time there.
const idleCores = 0.5

// moreTime says where more processor time may come from: cores that have some left, a machine for each end, else other hardware.
func (c *Case) moreTime(b *bound) string {
	switch left := b.there - b.used; {
	case left >= idleCores:
		n := 2 * max(1, len(c.Streams))
		return fmt.Sprintf("%s (%s of %d cores of %s are free, and one connection cannot use them)", c.with("streams", fmt.Sprint(n)), unit.Significant(left), b.cores, b.hosts)
	case b.together:
		return "measure between two machines: here both ends share the processors of one, and each would have its own"
	}
	return fmt.Sprintf("nothing of the network is wrong: %s needs faster processors, more of them, or cards on both ends that do the work themselves (RDMA)", b.side.Host)
}

// cpu is what all three have in common; nil: no processor is full of this experiment, or something else speaks against it.
func (c *Case) cpu() (*Match, *bound) {
	if c.Ceiling <= 0 || c.Share() >= atCeiling || c.smallBuffers() || c.Sender.Port == nil {
		return nil, nil
	}
	b := c.processorBound()
	if b == nil {
		return nil, nil
	}
	m := &Match{Strength: Likely, Component: b.what, Evidence: []record.Evidence{b.evidence}, NextCeiling: c.nextCeiling("")}
	for _, counter := range []string{"tx_packets", "tx_bytes"} {
		if _, why := c.delta(c.Sender, counter); why != "" {
			m.Strength = Candidate // what fills the processors may be packets that the sender cut, or rules, and neither can be known
		}
	}
	if busy, known := c.each(false, func(s *record.Socket) *float64 { return s.BusySeconds }); known && slices.Min(busy) < 0 {
		m.Strength = Candidate // what the sender waited for is not known
	}
	return m, b
}

// packet is the mean payload of the packets that the kernels handled, where they were smallest: a receiver that merges nothing has to
// handle each, whatever its sender did. Ok is false if no interface counted them.
func (c *Case) packet() (bytes float64, side Side, ok bool) {
	for _, at := range []struct {
		side Side
		way  string
	}{{c.Sender, "tx"}, {c.Receiver, "rx"}} {
		if at.side.Port == nil {
			continue
		}
		packets, why0 := c.delta(at.side, at.way+"_packets")
		moved, why1 := c.delta(at.side, at.way+"_bytes")
		if why0 != "" || why1 != "" || packets.Gross < 1 {
			continue
		}
		mean := moved.Gross/packets.Gross - frameHeaders(at.side.Port.Address.Addr().String())
		if mean > 0 && (!ok || mean < bytes) {
			bytes, side, ok = mean, at.side, true
		}
	}
	return bytes, side, ok
}

// perPacket says whether the packets cost more than their bytes. Between small and large the time decides: receiving is of packets, the
// rest of the kernel's work mostly copies.
func perPacket(packet float64, b *bound) bool {
	if packet < smallPackets || packet > largePackets {
		return packet < smallPackets
	}
	return b.softirq > b.own-b.user-b.softirq
}

func (c *Case) packetEvidence(packet float64, at Side) record.Evidence {
	segments := ""
	if n := at.NIC(); n != nil && n.MTU > 0 {
		segments = fmt.Sprintf(" (MTU %d)", n.MTU)
	}
	return record.Evidence{Host: at.Host, Source: "counters of " + at.Port.Interface, Counter: "payload of a packet", After: ptr(packet), Unit: "bytes",
		Text: fmt.Sprintf("the packets of %s on %s have %s of payload on average%s", at.Port.Interface, at.Host, unit.Bytes(packet), segments)}
}

// split says what the time went into.
func (b *bound) split() record.Evidence {
	return record.Evidence{Host: b.side.Host, Source: "/proc/stat", Counter: "softirq", After: ptr(b.softirq), Unit: "cores",
		Text: fmt.Sprintf("receiving packets took %s cores, the measuring threads %s in the kernel and %s outside of it",
			unit.Significant(b.softirq), unit.Significant(b.own-b.user), unit.Significant(b.user))}
}
