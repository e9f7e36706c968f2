package exam

import (
	"fmt"
	"maps"
	"math"
	"strconv"

	"linerate/internal/base/unit"
	"linerate/internal/lab/fault"
)

// MaxRate is the largest rate of the links of the experiment's path in a lab of the exam: low enough that a machine
// with 4 Gb/s is never the bottleneck.
const MaxRate = 200 * unit.MegabitPerSecond

// FollowUpTime bounds the follow-up of one trial's verdict, in the form of a flag.
const FollowUpTime = "30s"

// GuestBudget is a time budget of a run that keeps the configured interval of an experiment between guests, in the form
// of a flag.
const GuestBudget = "20s"

const (
	// guestRate is MaxRate for a lab of two guests with emulated CPUs. At 50 Mb/s, with other processes on the machine,
	// four of five healthy runs stayed below the link.
	guestRate = 2e7
	// softRDMARate is MaxRate for soft RoCE between two guests: an emulated CPU computes a checksum of every packet, with
	// a thread on it that never sleeps.
	softRDMARate = 8e6
)

// Datagrams are sent at a share of the exam's rate, all streams together.
const (
	// pacedShare is below the link's rate.
	pacedShare = 0.8
	// fastPacedShare is for links that are faster than the machine. At this rate (1.2 Gb/s) a stopped reader's socket
	// buffer overflows, and a machine with two cores has time left.
	fastPacedShare = 6
)

// Scale returns the scale of a lab in which the fastest link of a path, a bond as one, carries the exam's rate, in bits
// per second.
func Scale(t fault.Scenario, fastest, rate unit.BitRate) float64 {
	switch {
	case t == fault.Fast:
		return 1
	case t == fault.RDMA:
		return min(1, softRDMARate/float64(fastest))
	case t.Guests():
		return min(1, guestRate/float64(fastest))
	}
	return min(1, float64(rate/fastest))
}

// Settings returns the settings of a trial's experiment, which replace own, those of the file. rate is the exam's.
func (t *Trial) Settings(rate unit.BitRate, own map[string]string) map[string]string {
	out := map[string]string{}
	if t.Transport == fault.UDP {
		streams, err := strconv.Atoi(own["streams"])
		if err != nil || streams < 1 {
			streams = 1
		}
		share := pacedShare
		if t.Scenario == fault.Fast {
			share = fastPacedShare
		}
		each := math.Round(share*float64(rate)/1e4/float64(streams)) / 100
		out["transport"], out["pace"] = fault.UDP, fmt.Sprintf("%gM", each)
	}
	if t.Fault != nil && t.Fault.Settings != nil {
		maps.Copy(out, t.Fault.Settings(t.Values))
	}
	return out
}
