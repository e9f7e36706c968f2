package check

import (
	"fmt"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/record"
)

const resent = "TCP sends them again and slows down, RDMA sends all again from the lost frame on"

var checkBitErrors = Check{
	ID:     "bit-errors",
	Title:  "frames that came in damaged",
	Why:    "a dirty or worn plug, a cable bent too hard or a weak module: FEC hides most of it until it no longer can",
	Worst:  record.Error,
	Source: "ethtool(8), -S; IEEE 802.3, 52.8 and 91.6 (a bit-error rate of 1e-12 before, or after FEC)",
	look: func(w *World, r *report) {
		rawBitErrors(w, r)
		for _, t := range w.tallies(map[facts.Counted]weight{facts.BadFrames: lost, facts.BadBlocks: blocks}) {
			if n := t.host.Facts.NIC(t.subject); n != nil && !n.Carrier.Or(true) {
				continue // without a link a receiver counts noise
			}
			f, c := t.finding(), t.counts[0]
			f.Have = counted(c, map[bool]string{true: "blocks that FEC could not correct", false: "damaged frames"}[c.What == facts.BadBlocks])
			f.Consequence = "damaged frames are lost" + unknownShare(c) + "; " + resent
			f.Fix = "clean or change the plugs, then the cable, then the modules, one after another; look after each whether the counter stands still under load"
			r.found(f, about(t.host, t.subject)...)
		}
	},
}

var checkRxRing = Check{
	ID:     "rx-ring",
	Title:  "frames that arrived and found no descriptor",
	Why:    "the card had nowhere to put them: the ring is small, or the processor does not empty it in time",
	Worst:  record.Error,
	Source: "ethtool(8), -g; Documentation/networking/statistics.rst: rx_missed_errors",
	look: func(w *World, r *report) {
		for _, t := range w.tallies(map[facts.Counted]weight{facts.NoBuffer: lost}) {
			f, c := t.finding(), t.counts[0]
			f.Have = counted(c, "frames lost for want of a descriptor or memory")
			f.Consequence = "they are lost" + unknownShare(c) + "; " + resent
			f.Fix, f.Undo = largerRing(t.host, t.subject)
			r.found(f, append(about(t.host, t.subject), t.host.Name+": "+t.subject+": receiving")...)
		}
	},
}

// largerRing is the command for a larger receive ring.
func largerRing(h *Host, nic string) (fix, undo string) {
	var rings facts.Rings
	if n := h.Facts.NIC(nic); n != nil && n.Wire.Rings != nil {
		rings = *n.Wire.Rings
	}
	now, known := rings.Receive.Get()
	most, known2 := rings.ReceiveMax.Get()
	if known && known2 && most > 0 && now >= most {
		return fmt.Sprintf("its ring is at its maximum of %d: spread the queues over cores (%s), and look what else keeps those cores busy", most, showQueues.on(h, "nic", nic)), ""
	}
	if known && known2 && most > now {
		return fmt.Sprintf("%s; now it is %d, of %d at most", setRing.on(h, "nic", nic, "ring", most), now, most), setRing.on(h, "nic", nic, "ring", now)
	}
	return askRing.on(h, "nic", nic), ""
}

var checkDrops = Check{
	ID:      "drops",
	Title:   "other frames that were dropped",
	Why:     "a queue that is full, at a host or in a switch: more came in than could go out",
	Worst:   record.Error,
	Source:  "Documentation/networking/statistics.rst: rx_dropped, tx_dropped",
	Because: []string{"rx-ring"},
	look: func(w *World, r *report) {
		receiving := map[facts.Counted]weight{facts.ReceiveDrops: dropped}
		sending := map[facts.Counted]weight{facts.QueueDrops: lost, facts.SendDrops: lost}
		for _, t := range append(w.tallies(receiving), w.tallies(sending)...) {
			n := t.host.Facts.NIC(t.subject)
			if t.host.Facts.Lab != 0 || n != nil && n.Standby {
				continue // the links of a lab are shaped by queues that drop; what comes in on a bond's spare is dropped by design
			}
			if n != nil && n.UpKnown && !n.Up {
				continue // an interface that is off: what came to it is dropped by design, and was not for it
			}
			f, c := t.finding(), t.counts[0]
			way := "sending"
			if c.What == facts.ReceiveDrops {
				way = "receiving"
				f.Have = counted(c, "frames dropped on receipt")
				f.Consequence = "they are lost, but for those that nobody wanted (another VLAN, a protocol without a listener), which are counted with them" + unknownShare(c)
				f.Fix = "look for counters that tell them apart (" + showCounters.on(t.host, "nic", t.subject, "dev", sysctlNode(t.subject)) + "); whether the number grows while only the storage network is used"
			} else {
				f.Have = counted(c, map[bool]string{true: "frames that could not be sent", false: "frames dropped from a queue to send"}[c.What == facts.SendDrops])
				f.Consequence = "they are lost" + unknownShare(c) + "; " + resent
				f.Fix = map[bool]string{true: "look for counters that say why (" + showCounters.on(t.host, "nic", t.subject, "dev", sysctlNode(t.subject)) + "); of a queue that is full: "}[c.What == facts.SendDrops] + "fewer senders at once towards this port, or a faster one; for RDMA a lossless class (PFC) or ECN at both ends and the switch"
			}
			f.Want = "next to none"
			r.found(f, t.host.Name+": "+t.subject+": "+way)
		}
	},
}

var checkPause = Check{
	ID:     "pause",
	Title:  "pause frames",
	Why:    "whoever sends them cannot take more: what is behind the port is too slow, and the pause spreads to all that share the way",
	Worst:  record.Error,
	Source: "IEEE 802.3, annex 31B; 802.1Qbb",
	look: func(w *World, r *report) {
		seen := map[string]bool{}
		for _, t := range w.tallies(map[facts.Counted]weight{facts.PauseReceived: paused, facts.PauseSent: paused}) {
			f, c := t.finding(), t.counts[0]
			seen[f.Subject] = true
			if c.What == facts.PauseSent {
				f.Have = counted(c, "pause frames sent")
				f.Consequence = "this end asked the other one to wait" + unknownShare(c) + ": all traffic behind that queue stands still meanwhile"
				f.Fix = "find what this end cannot take: on a host the bus, the ring, or a core that is full; on a switch the port that its traffic leaves through"
			} else {
				f.Have = counted(c, "pause frames received")
				f.Consequence = "the other end asked this one to wait" + unknownShare(c) + ": all traffic of that queue stands still meanwhile"
				f.Fix = "look at the other end: what it cannot take, or the port that the traffic leaves it through"
			}
			r.found(f, about(t.host, t.subject)...)
		}
		for h, e := range w.events(facts.Pausing) {
			if seen[subjectOf(h, e.Subject)] {
				continue
			}
			r.found(record.Finding{
				Severity: record.Info, Subject: subjectOf(h, e.Subject), Have: "asks its other end to wait at this moment" + inBrackets(e.Detail), Want: "only for moments",
				Evidence:    []record.EvidenceLine{{Host: h.Name, Source: e.Source, Line: e.Line}},
				Consequence: "nothing, if it passes: how long it lasts is not in the capture", Fix: "read it again a few times under load; then look what the port's traffic leaves through",
			}, about(h, e.Subject)...)
		}
	},
}

var checkRDMALoss = Check{
	ID:     "rdma-loss",
	Title:  "RDMA that lost frames",
	Why:    "RoCE sends again from the lost frame on: one of a thousand takes half of the rate",
	Worst:  record.Error,
	Source: "Documentation/ABI/stable/sysfs-class-infiniband: out_of_sequence, packet_seq_err, local_ack_timeout_err",
	look: func(w *World, r *report) {
		for _, t := range w.tallies(map[facts.Counted]weight{facts.OutOfSequence: lost, facts.LosslessDrops: lost}) {
			f, c := t.finding(), t.counts[0]
			f.Have = counted(c, map[bool]string{true: "frames of RDMA's class dropped", false: "requests or answers out of sequence or late"}[c.What == facts.LosslessDrops])
			f.Consequence = "each makes RDMA send again from there on" + unknownShare(c)
			f.Fix = "look where frames are dropped: both ends' and every switch's counters of that class; the same PFC priority and trust at all of them"
			r.found(f, about(t.host, t.subject)...)
		}
	},
}

var checkMarks = Check{
	ID:     "ce-marks",
	Title:  "frames that met congestion, as ECN marks say",
	Why:    "marks slow the senders before something is lost: many of them are a way that is too narrow",
	Worst:  record.Warning,
	Source: "RFC 3168; DCQCN (SIGCOMM 2015)",
	look: func(w *World, r *report) {
		for _, t := range w.tallies(map[facts.Counted]weight{facts.Marked: {few: marked.few, warn: marked.warn, alone: marked.few}}) {
			f, c := t.finding(), t.counts[0]
			if unknownShare(c) != "" {
				f.Severity = record.Info
			}
			f.Have, f.Want = counted(c, "frames marked as having met congestion"), "a few while several senders start"
			f.Consequence = "senders go slower for each" + unknownShare(c)
			f.Fix = "look which port the marked traffic leaves through, and how many senders share it"
			r.found(f, about(t.host, t.subject)...)
		}
	},
}

var checkStorm = Check{
	ID:     "pfc-storm",
	Title:  "lossless queues that stood still",
	Why:    "an end that sends pause without end stops everybody who shares the queue, until a watchdog empties it",
	Worst:  record.Error,
	Source: "the switch's PFC watchdog",
	look: func(w *World, r *report) {
		for _, t := range w.tallies(map[facts.Counted]weight{facts.Storms: storms}) {
			f, c := t.finding(), t.counts[0]
			if f.Severity == record.Warning {
				f.Severity = record.Error
			}
			f.Have, f.Want = count(c.Value)+map[bool]string{true: " storm of pause", false: " storms of pause"}[c.Value == 1], "none"
			f.Consequence = "the watchdog dropped what was in the queue, and whoever shared it waited before"
			f.Fix = "look at the end behind this port: a host that hangs, a card without room for what comes, a driver that stopped"
			r.found(f, about(t.host, t.subject)...)
		}
	},
}

func inBrackets(detail string) string {
	if detail = strings.TrimSpace(detail); detail == "" {
		return ""
	}
	return " (" + detail + ")"
}

// sysctlNode is an interface of FreeBSD as its sysctl has it: ix.0 of ix0.
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
