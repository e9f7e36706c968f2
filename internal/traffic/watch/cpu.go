package watch

import (
	"fmt"

	"linerate/internal/base/xslices"
	"linerate/internal/facts"
	"linerate/internal/traffic"
)

// CPUReading is the CPU times at one moment.
type CPUReading struct {
	At           int64
	User, System float64 // seconds of this process
	Process      error
	Cores        []facts.CoreTime
	Machine      error
}

// ReadCPU reads the CPU times; the time of a child that does an end's work counts as this process's. 0: there is none.
func ReadCPU(child int) CPUReading {
	r := CPUReading{At: traffic.Now()}
	r.User, r.System, r.Process = processTime()
	if child > 0 && r.Process == nil {
		var t facts.Task
		if t, r.Process = readTask(fmt.Sprintf("/proc/%d/stat", child)); r.Process == nil {
			r.User, r.System = r.User+t.User, r.System+t.System
		}
	}
	r.Cores, r.Machine = coreTimes()
	return r
}

// CPUBetween returns the difference of two readings.
//
// The process's own time is exact. The time of cores comes in ticks of the kernel and is for its split. Where the
// kernel does not account interrupts apart, softirq work that ran in this process's system calls is in both: never
// add the two. Foreign is what the machine was busy with beyond this process, steal left out.
func CPUBetween(a, b CPUReading) traffic.CPU {
	c := traffic.CPU{Seconds: float64(b.At-a.At) / 1e9}
	if c.Seconds <= 0 {
		c.Unknown = "the interval was not reached"
		return c
	}
	if a.Process != nil || b.Process != nil {
		c.Unknown = firstError(a.Process, b.Process).Error()
	} else {
		user, system := (b.User-a.User)/c.Seconds, (b.System-a.System)/c.Seconds
		c.User, c.System = &user, &system
	}
	if err := firstError(a.Machine, b.Machine); err != nil {
		c.Unknown = err.Error()
		return c
	}
	before := xslices.By(a.Cores, func(t facts.CoreTime) int { return t.Core })
	busy := 0.0
	apart := false
	for _, y := range b.Cores {
		x, ok := before[y.Core]
		if !ok {
			continue // came online in the interval
		}
		d := coreSince(x, y)
		core := traffic.Core{Core: y.Core, User: d.User, System: d.System, SoftIRQ: d.SoftIRQ, IRQ: d.IRQ, Steal: d.Steal,
			Idle: d.Idle}
		// A core's own sum is the divisor: the two ends of an interval are not on tick boundaries.
		sum := core.User + core.System + core.SoftIRQ + core.IRQ + core.Steal + core.Idle
		if sum <= 0 {
			continue
		}
		for _, v := range []*float64{&core.User, &core.System, &core.SoftIRQ, &core.IRQ, &core.Steal, &core.Idle} {
			*v /= sum
		}
		apart = apart || y.IRQ > 0
		busy += core.User + core.System
		c.Cores = append(c.Cores, core)
	}
	if len(c.Cores) == 0 && c.Unknown == "" { // as on a machine that itself stood still
		c.Unknown = "no time of a core was counted between the two readings of the interval"
	}
	if c.User != nil && len(c.Cores) > 0 {
		if !apart {
			// Without separate accounting the interrupted task has this time, and often that is this one.
			for _, core := range c.Cores {
				busy += core.SoftIRQ + core.IRQ
			}
		}
		otherProcesses := max(0, busy-*c.User-*c.System)
		c.OtherProcesses = &otherProcesses
	}
	return c
}

// busyCores returns how many cores were in use between two readings, whatever for; steal is not use. ok is false when
// that is unknown, or when no tick passed.
func busyCores(a, b CPUReading) (busy float64, ok bool) {
	if a.Machine != nil || b.Machine != nil {
		return 0, false
	}
	before := xslices.By(a.Cores, func(t facts.CoreTime) int { return t.Core })
	for _, y := range b.Cores {
		x, there := before[y.Core]
		if !there {
			continue
		}
		d := coreSince(x, y)
		sum := used(d) + d.Steal + d.Idle
		if sum <= 0 {
			continue
		}
		busy, ok = busy+used(d)/sum, true
	}
	return busy, ok
}

func firstError(errs ...error) error {
	return xslices.First(errs, func(err error) bool { return err != nil })
}
