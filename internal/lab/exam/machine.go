package exam

import (
	"fmt"
	"math"

	"linerate/internal/base/unit"
)

// Machine is what an exam's verdicts hang on: the machine that its labs are on, and what else it does.
type Machine struct {
	Model   string       `json:"model"`
	Kernel  string       `json:"kernel"`
	Cores   int          `json:"cores"`
	Copy    unit.BitRate `json:"copy"`    // one core, memory that is in no cache
	Carried unit.BitRate `json:"carried"` // one stream between two hosts of a lab whose link is faster than the machine
	Link    unit.BitRate `json:"link"`    // that link
	Load    float64      `json:"load"`    // of the last minute; 0: not known
	// Shares of the time of all cores before anything was started, and of the pauses between trials.
	Others       float64 `json:"others"` // of other processes
	Steal        float64 `json:"steal"`  // of a hypervisor
	OthersDuring float64 `json:"others_during"`
	StealDuring  float64 `json:"steal_during"` // of the whole exam, trials and pauses
}

// What a machine must be for verdicts on it to say something about the program. Verdicts of a core that is late or full need a core that
// nobody else is on: on the virtual machine of docs/exam.md, which gave half of its time away, one trial in twelve became unknown.
const (
	leastCores  = 2     // a sender and a receiver
	mostOthers  = 0.10  // share of the time of all cores, of other processes
	mostSteal   = 0.05  // share of the time of all cores, of a hypervisor
	leastRate   = 200e6 // bit/s that a lab's link carries
	linkReserve = 20    // the machine moves so many times what a link carries that is to be the limit
	fastReserve = 3     // a link that is to be faster than the machine carries so many times what it moves
)

// Near is the rate of links that are to be the limit: a twentieth of what the machine moves, and at most 200 Mb/s, in two digits.
func Near(carried unit.BitRate) unit.BitRate {
	rate := min(float64(carried)/linkReserve, 200e6)
	if rate <= 0 {
		return 0
	}
	digit := math.Pow(10, math.Floor(math.Log10(rate))-1)
	return unit.BitRate(math.Floor(rate/digit) * digit)
}

// speeds of links, slowest first. The first is what the fabric files have.
var speeds = []unit.BitRate{100 * unit.GigabitPerSecond, 200 * unit.GigabitPerSecond, 400 * unit.GigabitPerSecond, 800 * unit.GigabitPerSecond}

// Fast is the speed of links that are to be faster than the machine, and whether they are: at least three times what it moved over one of this speed.
func Fast(carried unit.BitRate) (unit.BitRate, bool) {
	for _, s := range speeds {
		if s >= fastReserve*carried {
			return s, true
		}
	}
	return speeds[len(speeds)-1], false
}

// Lines say what the machine is, one thing a line.
func (m Machine) Lines() []string {
	return []string{
		fmt.Sprintf("machine         %s, %d cores, %s", m.Model, m.Cores, m.Kernel),
		fmt.Sprintf("copy            one core copies %v", m.Copy),
		fmt.Sprintf("lab             one stream carries %v over a link of %v", m.Carried, m.Link),
		fmt.Sprintf("other work      other processes take %.1f %% of the CPU time, a hypervisor %.1f %%", 100*m.Others, 100*m.Steal),
		fmt.Sprintf("load            %.2f in the last minute", m.Load),
	}
}

// Line is the machine in one line, for tables of results.
func (m Machine) Line() string {
	return fmt.Sprintf("%s, %d cores, %s; a core copies %v, a lab's link carries %v", m.Model, m.Cores, m.Kernel, m.Copy, m.Carried)
}

// Unfit says in sentences why the machine cannot be judged by; none: it can.
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
		{m.Others, mostOthers, "other processes take", "before the exam"}, {m.OthersDuring, mostOthers, "other processes take", "between the trials"},
		{m.Steal, mostSteal, "a hypervisor takes", "before the exam"}, {m.StealDuring, mostSteal, "a hypervisor takes", "during the exam"},
	} {
		if s.share > s.most {
			why = append(why, fmt.Sprintf("%s %.0f %% of the CPU time %s, and at most %.0f %% leaves verdicts as they are", s.who, 100*s.share, s.when, 100*s.most))
		}
	}
	return why
}
