package explain

import (
	"fmt"
	"math"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
)

// Shots are what one host or switch said of itself around an experiment; nil: not captured.
type Shots struct {
	Idle0, Idle1  *facts.Facts   // the ends of the idle window of the run
	Before, After *facts.Facts   // the experiment, with all its repeats
	During        []*facts.Facts // in the steady window of its first repeat, in their order; folders of older versions have one
}

// Loaded is the capture under load that says most; nil: none was taken.
func (s Shots) Loaded() *facts.Facts {
	for _, f := range s.During {
		if f.Level == facts.Full {
			return f
		}
	}
	if len(s.During) == 0 {
		return nil
	}
	return s.During[len(s.During)/2]
}

// nic is an interface as it was after the experiment; nil if not known.
func (s Shots) nic(name string) *facts.Interface {
	if s.After == nil || name == "" {
		return nil
	}
	return s.After.NIC(name)
}

// clockSlack is by how much a host's wall clock and its clock since boot may differ over an experiment: what a time service steers.
func clockSlack(elapsed time.Duration) time.Duration {
	return 500*time.Millisecond + elapsed/100
}

// noClock is why there is no time between two captures that were pasted.
const noClock = "its captures do not say when they were taken"

// elapsed is the time between two captures of a host, in seconds. Why is empty if they can be held against each other.
func elapsed(a, b *facts.Facts) (seconds float64, why string) {
	switch {
	case a == nil || b == nil:
		return 0, "a capture is missing"
	case a.Boot != "" && b.Boot != "" && a.Boot != b.Boot:
		return 0, "it was started anew in between"
	}
	wall := b.When.Sub(a.When)
	known := !a.When.IsZero() && !b.When.IsZero()
	up0, ok0 := a.Uptime.Get()
	up1, ok1 := b.Uptime.Get()
	if ok0 && ok1 {
		up := up1 - up0
		if up <= 0 {
			return 0, fmt.Sprintf("its clock since boot goes back from %v to %v", up0.Round(time.Millisecond), up1.Round(time.Millisecond))
		}
		if known && (wall-up).Abs() > clockSlack(up) {
			return 0, fmt.Sprintf("its clock jumped: by the wall %v went by, since boot %v", wall.Round(time.Millisecond), up.Round(time.Millisecond))
		}
		return up.Seconds(), ""
	}
	if !known {
		return 0, noClock
	}
	if wall <= 0 {
		return 0, fmt.Sprintf("its clock goes back by %v", (-wall).Round(time.Millisecond))
	}
	return wall.Seconds(), ""
}

// growth is by how much a counter grew.
type growth struct {
	Net   float64  // with what it does without load taken off, at least 0
	Gross float64  // as it was read
	Idle  *float64 // a second, without load; nil: not known, and nothing was taken off
	// Seconds is the time in between.
	Seconds float64
}

// counterBits are the widths of counters that the kernel keeps in less than 64 bits: /proc/net/softnet_stat prints 32, and struct
// gnet_stats_queue has 32. Anything else that went back was reset, or wrapped at a width that is not known.
const counterBits = 32

// mostCounted is what no counter does in a second: a thousand times the bytes of a link of 8 Tb/s.
const mostCounted = 1e15

// grew is how far a counter went from one reading to a later one.
func grew(was, now uint64, narrow bool) (float64, string) {
	if now >= was {
		return float64(now - was), ""
	}
	// A counter that wrapped was near its end; one that was reset seldom is.
	if d := uint32(now) - uint32(was); narrow && was <= math.MaxUint32 && d < 1<<(counterBits-1) && was >= 1<<(counterBits-1) {
		return float64(d), ""
	}
	return 0, fmt.Sprintf("it went back from %d to %d: it was reset, or wrapped", was, now)
}

// growthOf is what a counter of an interface, or of the host, did between two captures, with its idle rate taken off. Why it is not
// known; empty: it is.
func (s Shots) growthOf(nic, counter string, a, b *facts.Facts) (growth, string) {
	g, why := change(nic, counter, a, b)
	if why != "" {
		return growth{}, why
	}
	g.Net = g.Gross
	if idle, w := change(nic, counter, s.Idle0, s.Idle1); w == "" && idle.Seconds > 0 {
		perSecond := idle.Gross / idle.Seconds
		g.Idle = &perSecond
		g.Net = max(0, g.Gross-perSecond*g.Seconds)
	}
	return g, ""
}

func change(nic, counter string, a, b *facts.Facts) (g growth, why string) {
	// What was pasted has no time: its counters can be subtracted, and have no rate.
	if g.Seconds, why = elapsed(a, b); why != "" && why != noClock {
		return g, why
	}
	was, now, narrow, why := readings(nic, counter, a, b)
	if why != "" {
		return g, why
	}
	if g.Gross, why = grew(was, now, narrow); why == "" && g.Seconds > 0 && g.Gross/g.Seconds > mostCounted {
		return g, fmt.Sprintf("it grew by %.3g, which is more than anything counts in %s", g.Gross, unit.Seconds(g.Seconds))
	}
	return g, why
}
