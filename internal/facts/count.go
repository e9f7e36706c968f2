package facts

import (
	"linerate/internal/base/unit"
)

// Count is a counter with a known meaning, under any name of the driver, system or switch. It counts since the start of
// the port or machine, or since it was cleared.
type Count struct {
	What    Counted          `json:"what"`
	Subject string           `json:"subject"` // the interface, port or RDMA device; empty: the machine
	Value   uint64           `json:"value"`
	Of      unit.Opt[uint64] `json:"of"` // the frames that moved in the same direction in the same time
	Proof
}

// Counted is what a counter counts.
type Counted string

// The counted events. A parser assigns one to each counter that it knows; a check decides what it means.
const (
	BadFrames     Counted = "bad-frames"      // received with a wrong checksum, length or symbol
	BadBlocks     Counted = "bad-blocks"      // of FEC, uncorrectable
	NoBuffer      Counted = "no-buffer"       // received without a free descriptor or memory in the adapter or driver
	BacklogDrops  Counted = "backlog-drops"   // received while the kernel's queue of a CPU was full
	QueueDrops    Counted = "queue-drops"     // not sent, because the queue was full
	ReceiveDrops  Counted = "receive-drops"   // received and dropped for an unknown reason, such as no receiver
	SendDrops     Counted = "send-drops"      // not sent for an unknown reason
	PauseReceived Counted = "pause-received"  // pause frames of either kind: the other end paused this one
	PauseSent     Counted = "pause-sent"      // this end paused the other one
	LinkDowns     Counted = "link-downs"      // times that the link was lost
	Marked        Counted = "marked"          // ECN: marked because of congestion
	LosslessDrops Counted = "lossless-drops"  // dropped, of the class of RDMA
	OutOfSequence Counted = "out-of-sequence" // RDMA: requests or responses that arrived out of order, or late
	BusReplays    Counted = "bus-replays"     // PCI Express: bad signal between adapter and machine
	Storms        Counted = "storms"          // lossless queues that a watchdog emptied because they were paused too long
)

// Wrapped returns the growth of a counter of 32 bits, or of a wider one that did not wrap.
func Wrapped(before, after uint64) uint64 {
	if after >= before {
		return after - before
	}
	return uint64(uint32(after) - uint32(before))
}

func rebooted(before, after *Facts) bool {
	return before.Boot != "" && after.Boot != "" && before.Boot != after.Boot
}

// subtractable reports whether counters of the two snapshots can be subtracted.
func subtractable(before, after *Facts) bool {
	return before != nil && after != nil && !rebooted(before, after)
}

// CounterDelta returns the growth of an interface's counter: one of the kernel's (rx_bytes), else one of the driver's.
// It is false if a snapshot is missing the counter, or if it decreased: the interface was recreated or its counters
// were reset, so earlier events are unknown.
func CounterDelta(before, after *Facts, iface, name string) (uint64, bool) {
	if !subtractable(before, after) {
		return 0, false
	}
	a, b := before.NIC(iface), after.NIC(iface)
	if a == nil || b == nil || a.Index != 0 && b.Index != 0 && a.Index != b.Index {
		return 0, false
	}
	if _, ok := b.Counters[name]; ok {
		return grown(a.Counters, b.Counters, name)
	}
	return grown(a.Driven, b.Driven, name)
}

// SNMPDelta returns the growth of a counter of the host's protocols, by its name in Facts.Counters ("Tcp.RetransSegs").
// It is false if a snapshot is missing the counter, or if it decreased.
func SNMPDelta(before, after *Facts, name string) (uint64, bool) {
	if !subtractable(before, after) {
		return 0, false
	}
	return grown(before.Counters, after.Counters, name)
}

func grown(before, after map[string]uint64, name string) (uint64, bool) {
	a, okA := before[name]
	b, okB := after[name]
	if !okA || !okB || b < a {
		return 0, false
	}
	return b - a, true
}
