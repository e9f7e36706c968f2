package facts

import "linerate/internal/base/unit"

// Count is a counter whose meaning is known, whatever the driver, the system or the switch calls it. It runs since the port or
// the machine was started, or since somebody cleared it.
type Count struct {
	What    Counted
	Subject string // the interface, port or RDMA device; empty: the machine
	Value   uint64
	Of      unit.Opt[uint64] // the frames moved the same way in the same time
	Proof
}

// Counted is what a counter counts.
type Counted string

// What is counted. A parser gives the counters that it knows one of these; a check decides what they are worth.
const (
	BadFrames     Counted = "bad-frames"      // received with a wrong checksum, length or symbol
	BadBlocks     Counted = "bad-blocks"      // of FEC, that it could not correct
	NoBuffer      Counted = "no-buffer"       // received, and the card or driver had no descriptor or memory left
	BacklogDrops  Counted = "backlog-drops"   // received, and the kernel's queue of a processor was full
	QueueDrops    Counted = "queue-drops"     // to be sent, and the queue was full
	ReceiveDrops  Counted = "receive-drops"   // received and dropped, why is not known: also frames that nobody wanted
	SendDrops     Counted = "send-drops"      // to be sent and dropped, why is not known
	PauseReceived Counted = "pause-received"  // pause frames of either kind: the other end asked this one to wait
	PauseSent     Counted = "pause-sent"      // this end asked the other one to wait
	LinkDowns     Counted = "link-downs"      // times that the link was lost
	Marked        Counted = "marked"          // ECN: marked as having met congestion
	LosslessDrops Counted = "lossless-drops"  // dropped, of the class that RDMA travels in
	OutOfSequence Counted = "out-of-sequence" // RDMA: requests or answers that did not come in order, or not in time
	BusReplays    Counted = "bus-replays"     // PCI Express: bad signal between card and machine
	Storms        Counted = "storms"          // a lossless queue that was paused so long that a watchdog emptied it
)

// counted adds a counter.
func (f *Facts) counted(what Counted, subject string, value uint64, of unit.Opt[uint64], line string) {
	f.Counts = append(f.Counts, Count{what, subject, value, of, f.proof(line)})
}
