package exam

import (
	"fmt"
	"math"

	"linerate/internal/base/unit"
)

// Machine describes the machine of an exam's labs and its other load, on which the verdicts depend.
type Machine struct {
	Model   string       `json:"model"`
	Kernel  string       `json:"kernel"`
	Cores   int          `json:"cores"`
	Copy    unit.BitRate `json:"copy"`    // of one core, in uncached memory
	Carried unit.BitRate `json:"carried"` // one stream between two hosts of a lab whose link is faster than the machine
	Link    unit.BitRate `json:"link"`    // that link
	Load    float64      `json:"load"`    // average of the last minute; 0: not known
	// Shares of the time of all cores before anything was started, and of the pauses between trials.
	Others       float64 `json:"others"` // of other processes
	Steal        float64 `json:"steal"`  // of a hypervisor
	OthersDuring float64 `json:"others_during"`
	StealDuring  float64 `json:"steal_during"` // of the whole exam, trials and pauses
}

// The requirements on a machine for its verdicts to be meaningful. Verdicts on a late or full core need a core without
// other work: on the virtual machine of docs/exam.md, which lost half of its time to others, one trial in twelve became
// unknown.
const (
	leastCores  = 2     // a sender and a receiver
	mostOthers  = 0.10  // share of the time of all cores, of other processes
	mostSteal   = 0.05  // share of the time of all cores, of a hypervisor
	leastRate   = 200e6 // bit/s that a lab's link carries
	linkReserve = 20    // the machine's rate over that of a link that should be the limit
	fastReserve = 3     // the rate of a link that should be faster than the machine over the machine's
)

// Near returns the rate of links that should be the limit: a twentieth of the machine's rate, and at most 200 Mb/s,
// with two digits.
func Near(carried unit.BitRate) unit.BitRate {
	rate := min(float64(carried)/linkReserve, 200e6)
	if rate <= 0 {
		return 0
	}
	digit := math.Pow(10, math.Floor(math.Log10(rate))-1)
	return unit.BitRate(math.Floor(rate/digit) * digit)
}

// speeds are the speeds of links, slowest first. The first one is that of the fabric files.
var speeds = []unit.BitRate{100 * unit.GigabitPerSecond, 200 * unit.GigabitPerSecond, 400 * unit.GigabitPerSecond,
	800 * unit.GigabitPerSecond}

// Fast returns the speed of links that should be faster than the machine, and whether they are: at least three times
// the rate that it reached over one of this speed.
func Fast(carried unit.BitRate) (unit.BitRate, bool) {
	for _, s := range speeds {
		if s >= fastReserve*carried {
			return s, true
		}
	}
	return speeds[len(speeds)-1], false
}

// Lines describes the machine, one property a line.
func (m Machine) Lines() []string {
	return []string{
		fmt.Sprintf("machine         %s, %d cores, %s", m.Model, m.Cores, m.Kernel),
		fmt.Sprintf("copy            one core copies %v", m.Copy),
		fmt.Sprintf("lab             one stream carries %v over a link of %v", m.Carried, m.Link),
		fmt.Sprintf("other work      other processes take %.1f %% of the CPU time, a hypervisor %.1f %%", 100*m.Others,
			100*m.Steal),
		fmt.Sprintf("load            %.2f in the last minute", m.Load),
	}
}

// Line describes the machine in one line, for tables of results.
func (m Machine) Line() string {
	return fmt.Sprintf("%s, %d cores, %s; a core copies %v, a lab's link carries %v", m.Model, m.Cores, m.Kernel, m.Copy,
		m.Carried)
}

// Unfit returns sentences with the reasons why the machine is not fit for an exam; none: it is.
func (m Machine) Unfit() []string {
	var why []string
	if m.Cores < leastCores {
		why = append(why, fmt.Sprintf("it has %d core, and a sender and a receiver take one each", m.Cores))
	}
	if m.Carried < leastRate {
		why = append(why, fmt.Sprintf("a lab's link carries %v, and %v are needed", m.Carried, unit.BitRate(leastRate)))
	} else if _, ok := Fast(m.Carried); !ok {
		why = append(why, fmt.Sprintf("a lab's link carries %v, so that no link is faster than the machine", m.Carried))
	}
	for _, s := range []struct {
		share, most float64
		who, when   string
	}{
		{m.Others, mostOthers, "other processes take", "before the exam"}, {m.OthersDuring, mostOthers, "other processes " +
			"take", "between the trials"},
		{m.Steal, mostSteal, "a hypervisor takes", "before the exam"}, {m.StealDuring, mostSteal, "a hypervisor takes",
			"during the exam"},
	} {
		if s.share > s.most {
			why = append(why,
				fmt.Sprintf("%s %.0f %% of the CPU time %s, and at most %.0f %% leaves verdicts as they are", s.who, 100*s.share,
					s.when, 100*s.most))
		}
	}
	return why
}
