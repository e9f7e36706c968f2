package traffic

import (
	"fmt"

	"linerate/internal/facts"
)

// CPU is where the time of one end's host went over the steady window.
type CPU struct {
	Seconds float64  `json:"seconds"` // between the two readings
	User    *float64 `json:"user"`    // of this process, in cores; nil: unknown
	System  *float64 `json:"system"`
	Cores   []Core   `json:"cores,omitempty"` // nil: unknown
	Foreign *float64 `json:"foreign"`         // cores busy with other than this process
	Unknown string   `json:"unknown,omitempty"`
}

// Core is one core's share of the window by what it was spent on; the shares sum to about 1. User has nice in it and
// Idle has waiting for disks.
type Core struct {
	Core    int     `json:"core"`
	User    float64 `json:"user"`
	System  float64 `json:"system"`
	SoftIRQ float64 `json:"softirq"`
	IRQ     float64 `json:"irq"`
	Steal   float64 `json:"steal"`
	Idle    float64 `json:"idle"`
	// Own is the part of the core that threads of this process had, by where they were seen at the ticks; softirq work
	// that ran in their system calls is in it, unless the kernel accounts interrupts apart. Nil: not known, as all below.
	Own       *float64 `json:"own,omitempty"`
	Packets   *int64   `json:"packets,omitempty"`   // that its softirq took from its queue (softnet_stat)
	Dropped   *int64   `json:"dropped,omitempty"`   // for want of room in that queue
	Squeezed  *int64   `json:"squeezed,omitempty"`  // times that it ended with work left
	HzBefore  *float64 `json:"hz_before,omitempty"` // clock rate at the two edges of the window
	Hz        *float64 `json:"hz,omitempty"`
	BaseHz    *float64 `json:"base_hz,omitempty"`   // that it is sold with, else the highest
	Throttled *int64   `json:"throttled,omitempty"` // times that heat slowed it down
}

// cpuReading is the processor's clocks at one moment.
type cpuReading struct {
	at           int64
	user, system float64 // seconds of this process
	process      error
	cores        []facts.CoreTime
	machine      error
}

// readCPU reads them; the time of a child that does an end's work is this process's. 0: there is none.
func readCPU(child int) cpuReading {
	r := cpuReading{at: Now()}
	r.user, r.system, r.process = processTime()
	if child > 0 && r.process == nil {
		var t facts.Task
		if t, r.process = readTask(fmt.Sprintf("/proc/%d/stat", child)); r.process == nil {
			r.user, r.system = r.user+t.User, r.system+t.System
		}
	}
	r.cores, r.machine = coreTimes()
	return r
}

// cpuBetween is the difference of two readings.
//
// The process's own time is exact. The time of cores comes in ticks of the kernel and is for its split. Where the
// kernel does not account interrupts apart, softirq work that ran in this process's system calls is in both: never
// add the two. Foreign is what the machine was busy with beyond this process, steal left out.
func cpuBetween(a, b cpuReading) CPU {
	c := CPU{Seconds: float64(b.at-a.at) / 1e9}
	if c.Seconds <= 0 {
		c.Unknown = "the window was not reached"
		return c
	}
	if a.process != nil || b.process != nil {
		c.Unknown = firstError(a.process, b.process).Error()
	} else {
		user, system := (b.user-a.user)/c.Seconds, (b.system-a.system)/c.Seconds
		c.User, c.System = &user, &system
	}
	if err := firstError(a.machine, b.machine); err != nil {
		c.Unknown = err.Error()
		return c
	}
	before := make(map[int]facts.CoreTime, len(a.cores))
	for _, t := range a.cores {
		before[t.Core] = t
	}
	busy := 0.0
	apart := false
	for _, y := range b.cores {
		x, ok := before[y.Core]
		if !ok {
			continue // came online in the window
		}
		core := Core{
			Core:    y.Core,
			User:    y.User - x.User + y.Nice - x.Nice,
			System:  y.System - x.System,
			SoftIRQ: y.SoftIRQ - x.SoftIRQ,
			IRQ:     y.IRQ - x.IRQ,
			Steal:   y.Steal - x.Steal,
			Idle:    y.Idle - x.Idle + y.IOWait - x.IOWait,
		}
		// A core's own sum is the divisor: two ends of a window are not on tick boundaries.
		sum := core.User + core.System + core.SoftIRQ + core.IRQ + core.Steal + core.Idle
		if sum <= 0 {
			continue
		}
		for _, v := range []*float64{&core.User, &core.System, &core.SoftIRQ, &core.IRQ, &core.Steal, &core.Idle} {
			*v = max(0, *v/sum)
		}
		apart = apart || y.IRQ > 0
		busy += core.User + core.System
		c.Cores = append(c.Cores, core)
	}
	if len(c.Cores) == 0 && c.Unknown == "" { // as on a machine that itself stood still
		c.Unknown = "no time of a core was counted between the two readings of the window"
	}
	if c.User != nil && len(c.Cores) > 0 {
		if !apart {
			// Nobody's time without accounting of its own: the interrupted task has it, and often that is this one.
			for _, core := range c.Cores {
				busy += core.SoftIRQ + core.IRQ
			}
		}
		foreign := max(0, busy-*c.User-*c.System)
		c.Foreign = &foreign
	}
	return c
}

// busyCores is how many cores were in use between two readings, whatever for; steal is not use. ok is false when it is
// not known, or when no tick passed.
func busyCores(a, b cpuReading) (busy float64, ok bool) {
	if a.machine != nil || b.machine != nil {
		return 0, false
	}
	before := make(map[int]facts.CoreTime, len(a.cores))
	for _, t := range a.cores {
		before[t.Core] = t
	}
	for _, y := range b.cores {
		x, there := before[y.Core]
		if !there {
			continue
		}
		used := y.User - x.User + y.Nice - x.Nice + y.System - x.System + y.SoftIRQ - x.SoftIRQ + y.IRQ - x.IRQ
		sum := used + y.Steal - x.Steal + y.Idle - x.Idle + y.IOWait - x.IOWait
		if sum <= 0 {
			continue
		}
		busy, ok = busy+max(0, used/sum), true
	}
	return busy, ok
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
