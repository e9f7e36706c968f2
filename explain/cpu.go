package explain

import (
	"fmt"
	"slices"

	"linerate/result"
	"linerate/unit"
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
		m, b := c.cpu()
		if m == nil {
			return nil
		}
		m.Sentence = fmt.Sprintf("%s is held back by %s: each call hands over %s, and a second holds no more calls.", c.subject(), b.what, size) + b.shared()
		m.Evidence = append(m.Evidence, result.Evidence{Host: c.Sender.Host, Source: "settings", Counter: "size", After: ptr(float64(size)), Unit: "bytes",
			Text: fmt.Sprintf("%.3g calls a second, of %s each", c.Goodput/8/float64(size), size)})
		m.Fix, m.Undo = "hand over more at once (size: 128KiB), or let the program gather small messages", "size: "+c.Exp.Settings["size"]
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
		m.Sentence = fmt.Sprintf("%s is held back by %s: there is no time for more packets than the %.3g a second that it handles.", c.subject(), b.what, c.Goodput/8/packet) + b.shared()
		m.Evidence = append(m.Evidence, c.packetEvidence(packet, from), b.split())
		m.Fix = "larger packets cost less a byte: segmentation and receive offload on (ethtool -K " + c.Sender.Port.Interface + " tso on gso on gro on), or a larger MTU at both ends and on the switch; more streams where cores are left; else a faster processor"
		m.Undo = "the MTU and the offloads as they were"
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
		m.Fix = "fewer copies (copies: receive hands pages over instead of bytes) show how much of it is copying; more streams where cores are left; else a faster processor, or RDMA, which copies nothing"
		m.Undo = "copies: both"
		return m
	},
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
	m := &Match{Strength: Likely, Component: b.what, Evidence: []result.Evidence{b.evidence}, NextCeiling: c.nextCeiling("")}
	for _, counter := range []string{"tx_packets", "tx_bytes"} {
		if _, why := c.delta(c.Sender, counter); why != "" {
			m.Strength = Candidate // what fills the processors may be packets that the sender cut, or rules, and neither can be known
		}
	}
	if busy, known := c.each(false, func(s *result.Socket) *float64 { return s.BusySeconds }); known && slices.Min(busy) < 0 {
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

func (c *Case) packetEvidence(packet float64, at Side) result.Evidence {
	segments := ""
	if n := at.NIC(); n != nil && n.MTU > 0 {
		segments = fmt.Sprintf(" (MTU %d)", n.MTU)
	}
	return result.Evidence{Host: at.Host, Source: "counters of " + at.Port.Interface, Counter: "payload of a packet", After: ptr(packet), Unit: "bytes",
		Text: fmt.Sprintf("the packets of %s on %s have %s of payload on average%s", at.Port.Interface, at.Host, unit.Bytes(packet), segments)}
}

// split says what the time went into.
func (b *bound) split() result.Evidence {
	return result.Evidence{Host: b.side.Host, Source: "/proc/stat", Counter: "softirq", After: ptr(b.softirq), Unit: "cores",
		Text: fmt.Sprintf("receiving packets took %s cores, the measuring threads %s in the kernel and %s outside of it",
			unit.Significant(b.softirq), unit.Significant(b.own-b.user), unit.Significant(b.user))}
}
