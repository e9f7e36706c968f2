package link

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

const retransmitted = "TCP sends them again and slows down, RDMA sends all again from the lost frame on"

// BitErrors checks for frames that were received damaged.
var BitErrors = check.Check{
	ID:     "bit-errors",
	Title:  "frames that came in damaged",
	Why:    "a dirty or worn plug, a cable bent too hard or a weak module: FEC hides most of it until it no longer can",
	Worst:  record.Error,
	Source: "ethtool(8), -S; IEEE 802.3, 52.8 and 91.6 (a bit-error rate of 1e-12 before, or after FEC)",
	Look: func(w *check.World, r *check.Report) {
		rawBitErrors(w, r)
		for _, t := range w.Tallies(map[facts.Counted]check.Weight{facts.BadFrames: check.Lost,
			facts.BadBlocks: check.Blocks}) {
			if n := t.Host.Facts.NIC(t.Subject); n != nil && !n.Carrier.Or(true) {
				continue // without a link a receiver counts noise
			}
			f, c := t.Finding(), t.Counts[0]
			f.Have = check.Counted(c, unit.If(c.What == facts.BadBlocks, "blocks that FEC could not correct", "damaged frames"))
			f.Consequence = "damaged frames are lost" + check.UnknownShare(c) + "; " + retransmitted
			f.Fix = "clean or change the plugs, then the cable, then the modules, one after another; look after each whether " +
				"the counter stands still under load"
			r.Found(f, check.About(t.Host, t.Subject)...)
		}
	},
}

// RxRing checks for received frames without a descriptor.
var RxRing = check.Check{
	ID:     "rx-ring",
	Title:  "frames that arrived and found no descriptor",
	Why:    "the NIC had nowhere to put them: the ring is small, or the CPU does not empty it in time",
	Worst:  record.Error,
	Source: "ethtool(8), -g; Documentation/networking/statistics.rst: rx_missed_errors",
	Look: func(w *check.World, r *check.Report) {
		for _, t := range w.Tallies(map[facts.Counted]check.Weight{facts.NoBuffer: check.Lost}) {
			f, c := t.Finding(), t.Counts[0]
			f.Have = check.Counted(c, "frames lost for want of a descriptor or memory")
			f.Consequence = "they are lost" + check.UnknownShare(c) + "; " + retransmitted
			f.Fix, f.Undo = largerRing(t.Host, t.Subject)
			r.Found(f, append(check.About(t.Host, t.Subject), t.Host.Subject(t.Subject+": receiving"))...)
		}
	},
}

// largerRing returns the command for a larger receive ring.
func largerRing(h *check.Host, nic string) (fix, undo string) {
	var rings facts.Rings
	if n := h.Facts.NIC(nic); n != nil && n.Wire.Rings != nil {
		rings = *n.Wire.Rings
	}
	now, known := rings.Receive.Get()
	most, known2 := rings.ReceiveMax.Get()
	if known && known2 && most > 0 && now >= most {
		return fmt.Sprintf("its ring is at its maximum of %d: spread the queues over cores (%s), and look what else keeps "+
			"those cores busy", most, check.ShowQueues.On(h, "nic", nic)), ""
	}
	if known && known2 && most > now {
		return fmt.Sprintf("%s\nnow it is %d, of %d at most", check.SetRing.On(h, "nic", nic, "ring", most), now, most),
			check.SetRing.On(h, "nic", nic, "ring", now)
	}
	return check.AskRing.On(h, "nic", nic), ""
}

// Drops checks for other dropped frames.
var Drops = check.Check{
	ID:      "drops",
	Title:   "other frames that were dropped",
	Why:     "a queue that is full, at a host or in a switch: more came in than could go out",
	Worst:   record.Error,
	Source:  "Documentation/networking/statistics.rst: rx_dropped, tx_dropped",
	Because: []string{"rx-ring"},
	Look: func(w *check.World, r *check.Report) {
		receiving := map[facts.Counted]check.Weight{facts.ReceiveDrops: check.Dropped}
		sending := map[facts.Counted]check.Weight{facts.QueueDrops: check.Lost, facts.SendDrops: check.Lost}
		for _, t := range append(w.Tallies(receiving), w.Tallies(sending)...) {
			n := t.Host.Facts.NIC(t.Subject)
			if t.Host.Facts.Lab != 0 || n != nil && n.Standby {
				continue // the queues that shape a lab's links drop packets; a bond's spare drops incoming frames by design
			}
			if n != nil && n.UpKnown && !n.Up {
				continue // an interface that is off drops by design
			}
			f, c := t.Finding(), t.Counts[0]
			way := "sending"
			if c.What == facts.ReceiveDrops {
				way = "receiving"
				f.Have = check.Counted(c, "frames dropped on receipt")
				f.Consequence = "they are lost, but for unwanted ones (another VLAN, a protocol without a listener), " +
					"which are counted with them" + check.UnknownShare(c)
				f.Fix = "look for counters that tell them apart (" + check.ShowCounters.On(t.Host, "nic", t.Subject, "dev",
					sysctlNode(t.Subject)) + "); whether the number grows while only the storage network is used"
			} else {
				f.Have = check.Counted(c, unit.If(c.What == facts.SendDrops, "frames that could not be sent",
					"frames dropped from a queue to send"))
				f.Consequence = "they are lost" + check.UnknownShare(c) + "; " + retransmitted
				f.Fix = unit.If(c.What == facts.SendDrops, "look for counters that say why ("+check.ShowCounters.On(t.Host, "nic",
					t.Subject, "dev", sysctlNode(t.Subject))+"); of a queue that is full: ", "") +
					"fewer senders at once towards this port, or a faster one; for RDMA a lossless class (PFC) or ECN at both ends " +
					"and the switch"
			}
			f.Want = "next to none"
			r.Found(f, t.Host.Subject(t.Subject+": "+way))
		}
	},
}

// Pause checks for pause frames.
var Pause = check.Check{
	ID:    "pause",
	Title: "pause frames",
	Why: "whoever sends them cannot take more: what is behind the port is too slow, and the pause spreads to all " +
		"that share the way",
	Worst:  record.Error,
	Source: "IEEE 802.3, annex 31B; 802.1Qbb",
	Look: func(w *check.World, r *check.Report) {
		seen := map[string]bool{}
		for _, t := range w.Tallies(map[facts.Counted]check.Weight{facts.PauseReceived: check.Paused,
			facts.PauseSent: check.Paused}) {
			f, c := t.Finding(), t.Counts[0]
			seen[f.Subject.String()] = true
			if c.What == facts.PauseSent {
				f.Have = check.Counted(c, "pause frames sent")
				f.Consequence = "this end asked the other one to wait" + check.UnknownShare(c) +
					": all traffic behind that queue stands still meanwhile"
				f.Fix = "find what this end cannot take: on a host the bus, the ring, or a core that is full; on a switch the " +
					"port that its traffic leaves through"
			} else {
				f.Have = check.Counted(c, "pause frames received")
				f.Consequence = "the other end asked this one to wait" + check.UnknownShare(c) +
					": all traffic of that queue stands still meanwhile"
				f.Fix = "look at the other end: what it cannot take, or the port that the traffic leaves it through"
			}
			r.Found(f, check.About(t.Host, t.Subject)...)
		}
		for h, e := range w.Events(facts.Pausing) {
			if seen[check.SubjectOf(h, e.Subject).String()] {
				continue
			}
			r.Found(record.Finding{
				Severity: record.Info, Subject: check.SubjectOf(h, e.Subject),
				Have: "asks its other end to wait at this moment" + check.InBrackets(e.Detail), Want: "only for moments",
				Evidence:    []record.EvidenceLine{{Host: h.Name, Source: e.Source, Line: e.Line}},
				Consequence: "nothing, if it passes: how long it lasts is not in the snapshot",
				Fix:         "read it again a few times under load; then look what the port's traffic leaves through",
			}, check.About(h, e.Subject)...)
		}
	},
}

// RDMALoss checks for lost RDMA packets.
var RDMALoss = check.Check{
	ID:     "rdma-loss",
	Title:  "RDMA that lost frames",
	Why:    "RoCE sends again from the lost frame on: one of a thousand takes half of the rate",
	Worst:  record.Error,
	Source: "Documentation/ABI/stable/sysfs-class-infiniband: out_of_sequence, packet_seq_err, local_ack_timeout_err",
	Look: func(w *check.World, r *check.Report) {
		for _, t := range w.Tallies(map[facts.Counted]check.Weight{facts.OutOfSequence: check.Lost,
			facts.LosslessDrops: check.Lost}) {
			f, c := t.Finding(), t.Counts[0]
			f.Have = check.Counted(c, unit.If(c.What == facts.LosslessDrops, "frames of RDMA's class dropped",
				"requests or answers out of sequence or late"))
			f.Consequence = "each makes RDMA send again from there on" + check.UnknownShare(c)
			f.Fix = "look where frames are dropped: both ends' and every switch's counters of that class; the same PFC " +
				"priority and trust at all of them"
			r.Found(f, check.About(t.Host, t.Subject)...)
		}
	},
}

// Marks checks for congestion by ECN marks.
var Marks = check.Check{
	ID:     "ce-marks",
	Title:  "frames that met congestion, as ECN marks say",
	Why:    "marks slow the senders before something is lost: many of them are a way that is too narrow",
	Worst:  record.Warning,
	Source: "RFC 3168; DCQCN (SIGCOMM 2015)",
	Look: func(w *check.World, r *check.Report) {
		for _, t := range w.Tallies(map[facts.Counted]check.Weight{facts.Marked: {Few: check.Marked.Few,
			Warn: check.Marked.Warn, Alone: check.Marked.Few}}) {
			f, c := t.Finding(), t.Counts[0]
			if check.UnknownShare(c) != "" {
				f.Severity = record.Info
			}
			f.Have, f.Want = check.Counted(c, "frames marked as having met congestion"), "a few while several senders start"
			f.Consequence = "senders go slower for each" + check.UnknownShare(c)
			f.Fix = "look which port the marked traffic leaves through, and how many senders share it"
			r.Found(f, check.About(t.Host, t.Subject)...)
		}
	},
}

// Storm checks for lossless queues that stalled.
var Storm = check.Check{
	ID:     "pfc-storm",
	Title:  "lossless queues that stood still",
	Why:    "an end that sends pause without end stops everybody who shares the queue, until a watchdog empties it",
	Worst:  record.Error,
	Source: "the switch's PFC watchdog",
	Look: func(w *check.World, r *check.Report) {
		for _, t := range w.Tallies(map[facts.Counted]check.Weight{facts.Storms: check.Storms}) {
			f, c := t.Finding(), t.Counts[0]
			if f.Severity == record.Warning {
				f.Severity = record.Error
			}
			f.Have, f.Want = check.Count(c.Value)+unit.If(c.Value == 1, " storm of pause", " storms of pause"), "none"
			f.Consequence = "the watchdog dropped what was in the queue, and whoever shared it waited before"
			f.Fix = "look at the end behind this port: a host that hangs, a NIC without room for what comes, a driver that " +
				"stopped"
			r.Found(f, check.About(t.Host, t.Subject)...)
		}
	},
}

// sysctlNode returns the sysctl node of a FreeBSD interface: ix.0 for ix0.
func sysctlNode(nic string) string {
	i := len(nic)
	for i > 0 && nic[i-1] >= '0' && nic[i-1] <= '9' {
		i--
	}
	if i == 0 || i == len(nic) {
		return nic
	}
	return nic[:i] + "." + nic[i:]
}

// mostRawBER is the bit error rate before FEC from which on the margin of FEC is small: RS-FEC of 802.3 is made for up
// to about 2e-4, and cables and modules are specified for 1e-5 and less.
const mostRawBER = 1e-5

// rawBitErrors checks the bit error rate before FEC that NVIDIA's NICs measure.
func rawBitErrors(w *check.World, r *check.Report) {
	for _, h := range w.Hosts {
		for _, y := range h.Facts.Phys {
			rate, known := y.RawBER.Get()
			if p := y.Proofs["raw"]; known && rate > mostRawBER {
				f := record.Finding{Severity: record.Warning, Subject: h.Subject("port " + y.Device),
					Have: fmt.Sprintf("of %.0f bits one is wrong before FEC", 1/rate),
					Want: "one of 100000 at most", Evidence: []record.EvidenceLine{{Host: h.Name, Source: p.Source, Line: p.Line}},
					Consequence: "FEC still corrects it, with little left for a warmer day",
					Fix: "clean or change the plugs, then the cable, then the modules, one after another; mlxlink -d " +
						"DEVICE -c --pc clears the counters to look again"}
				r.Found(f, h.Subject(y.Device))
			}
		}
	}
}
