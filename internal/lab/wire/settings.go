package wire

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"linerate/internal/base/unit"
)

// Settings are what one direction does to frames. The zero value carries everything at once.
//
// Loss, CE, Reorder, Corrupt and Duplicate are probabilities a wire packet, from 0 to 1. They apply only to packets of
// TCP and UDP with payload, unless All is set. The delay, the rate, the queue and the policer are for every frame.
type Settings struct {
	Delay time.Duration // of the wire

	Loss float64
	// LossBurst is the mean length of a burst of losses, in packets that could be lost; 0: each loss is on its own. Then
	// the losses are those of Gilbert's and Elliott's two states: nothing is lost in the good one, and LossIn of the
	// packets in the bad one (0: all of them), so that Loss of all packets are lost in the long run.
	LossBurst float64
	LossIn    float64

	CE        float64
	Reorder   float64       // is held back for ReorderBy more than Delay, while those behind it pass
	ReorderBy time.Duration // 0: DefaultReorderBy
	Corrupt   float64       // has one bit of its payload changed, so that the checksum is wrong
	Duplicate float64       // comes twice, one right after the other

	// Rate is that of an Ethernet link: each frame takes Overhead more than its length, and at least MinFrame. 0: none.
	Rate unit.BitRate
	// Queue limits what waits for the transmitter; without a Rate, what is in transit during Delay.
	Queue Queue
	// CEAbove marks ECT packets that find more than this waiting. 0: none.
	CEAbove unit.Bytes

	// Police drops what is more than a rate, by a token bucket of PoliceBurst (0: what the rate carries in PoliceTime, at
	// least LeastPoliceBurst). It counts frames without Overhead, as Linux' police does. 0: none.
	Police      unit.BitRate
	PoliceBurst unit.Bytes

	// Line is the rate of the port before the link: frames that come at once, as the segments of one super-packet do, come
	// one after the other at this rate. It drops nothing. 0: at once.
	Line unit.BitRate

	All bool
}

// Queue limits what waits, by both values where both are set. Without either, it is DefaultQueue packets with a rate,
// and only memory (mostHeld) without one.
type Queue struct {
	Bytes   unit.Bytes
	Packets int
}

const (
	// DefaultReorderBy is as long as 80 frames of 1500 bytes take at 1 Gb/s: far more than the three packets after which
	// TCP assumes a loss.
	DefaultReorderBy = time.Millisecond
	// DefaultQueue is the length of a Linux interface's own queue (txqueuelen), in packets.
	DefaultQueue = 1000
	// PoliceTime is the depth of a policer without one in its settings, as the time that its rate takes to fill it.
	PoliceTime = 10 * time.Millisecond
	// LeastPoliceBurst is the smallest depth of such a policer.
	LeastPoliceBurst = 128 * unit.KiB

	// Overhead is what a frame without its FCS takes of an Ethernet link beyond its length: FCS 4, preamble and start 8,
	// gap 12 bytes (IEEE 802.3, clauses 3 and 4).
	Overhead = 24
	// MinFrame is what the shortest frame takes with all of that: 64 + 20 bytes.
	MinFrame = 84

	// mostHeld bounds the content of a Pipe in bytes, to limit memory.
	mostHeld = 256 << 20

	mostDelay = time.Minute
)

// LeastRate is the slowest rate: slower, one frame of 64 KiB would take longer than the longest delay.
const LeastRate = 10 * unit.KilobitPerSecond

// Problems returns all errors in the settings. Each begins with the name of the setting's flag.
func (s Settings) Problems() (out []error) {
	say := func(form string, args ...any) { out = append(out, fmt.Errorf(form, args...)) }
	for _, d := range []struct {
		name string
		v    time.Duration
	}{{"delay", s.Delay}, {"reorder-by", s.ReorderBy}} {
		if d.v < 0 || d.v > mostDelay {
			say("%s %v: from 0 to %v", d.name, d.v, mostDelay)
		}
	}
	for _, p := range []struct {
		name string
		v    float64
	}{{"loss", s.Loss}, {"loss-in", s.LossIn}, {"ce", s.CE}, {"reorder", s.Reorder}, {"corrupt", s.Corrupt},
		{"duplicate", s.Duplicate}} {
		if !(p.v >= 0 && p.v <= 1) {
			say("%s %.6g%%: from 0%% to 100%%", p.name, p.v*100)
		}
	}
	for _, r := range []struct {
		name string
		v    unit.BitRate
	}{{"rate", s.Rate}, {"police", s.Police}, {"line", s.Line}} {
		if r.v != 0 && !(r.v >= LeastRate && r.v <= 1e12) {
			say("%s %v: from %v to 1 Tb/s", r.name, r.v, LeastRate)
		}
	}
	if s.Queue.Bytes < 0 || s.Queue.Bytes > mostHeld || s.Queue.Packets < 0 {
		say("queue %v, %d packets: from 1 packet, or 1 B, to %v", s.Queue.Bytes, s.Queue.Packets, unit.Bytes(mostHeld))
	}
	if s.CEAbove < 0 || s.CEAbove > 0 && s.Rate == 0 {
		say("ce-above %v: it is of the queue before a rate; give a rate too, such as rate 100M", s.CEAbove)
	}
	if s.PoliceBurst != 0 && s.Police == 0 {
		say("police-burst %v: it is of a policer; give its rate too, such as police 100M", s.PoliceBurst)
	} else if s.PoliceBurst != 0 && s.PoliceBurst < leastBurst {
		say("police-burst %v: at least %v, else a frame of MTU 1500 never passes", s.PoliceBurst, unit.Bytes(leastBurst))
	}
	if s.ReorderBy != 0 && s.Reorder == 0 {
		say("reorder-by %v: it is for packets that are held back; say how many, such as reorder 0.5%%", s.ReorderBy)
	}
	if s.LossIn != 0 && s.LossBurst == 0 {
		say("loss-in %.6g%%: it is for losses in bursts; say how long they are, such as loss-burst 10", s.LossIn*100)
	}
	if s.LossBurst != 0 {
		switch {
		case !(s.LossBurst >= 1 && s.LossBurst <= 1e6):
			say("loss-burst %v: from 1 to 1000000 packets", s.LossBurst)
		case s.Loss == 0:
			say("loss-burst %v: it is for losses; say how many, such as loss 0.1%%", s.LossBurst)
		default:
			if enter, _, in := s.burst(); !(enter <= 1) || s.Loss > in {
				say("loss %.6g%%: more than bursts of %v packets with %.6g%% lost in them can reach", s.Loss*100, s.LossBurst,
					in*100)
			}
		}
	}
	return out
}

// leastBurst is a frame of MTU 1500 with a VLAN tag.
const leastBurst = 1518

// burst gives the two states' chances: to enter the bad one and to leave it, a packet, and to be lost in it. A share
// b = loss/in of the packets is in the bad state, which lasts 1/leave of them; what enters it leaves it again:
// (1-b) x enter = b x leave.
func (s Settings) burst() (enter, leave, in float64) {
	in = cmp.Or(s.LossIn, 1)
	b := s.Loss / in
	leave = 1 / s.LossBurst
	if b >= 1 {
		return math.Inf(1), leave, in
	}
	return b * leave / (1 - b), leave, in
}

// queue returns the limits with defaults.
func (s Settings) queue() (bytes, packets int64) {
	if s.Queue == (Queue{}) && s.Rate > 0 {
		return math.MaxInt64, DefaultQueue
	}
	return cmp.Or(int64(s.Queue.Bytes), math.MaxInt64), cmp.Or(int64(s.Queue.Packets), math.MaxInt64)
}

// policeBurst returns the burst or its default, in bytes.
func (s Settings) policeBurst() float64 {
	if s.PoliceBurst > 0 {
		return float64(s.PoliceBurst)
	}
	return max(float64(LeastPoliceBurst), float64(s.Police)/8*PoliceTime.Seconds())
}
