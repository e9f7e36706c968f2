package judge

import (
	"fmt"
	"math"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
)

// Shots are the snapshots of one host or switch around an experiment; nil: there is none.
type Shots struct {
	Idle0, Idle1  *facts.Facts // the ends of the idle interval of the run
	Before, After *facts.Facts // the experiment, with all its repeats
	// During are those in the steady interval of its first repeat, in order. Folders of older versions have one.
	During []*facts.Facts
}

// Loaded returns the snapshot under load that has most information; nil: none was taken.
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

// Nic returns an interface as it was after the experiment; nil if not known.
func (s Shots) Nic(name string) *facts.Interface {
	if s.After == nil || name == "" {
		return nil
	}
	return s.After.NIC(name)
}

// clockSlack returns the allowed difference between a host's wall clock and its clock since boot over an experiment,
// because a time service adjusts the first.
func clockSlack(elapsed time.Duration) time.Duration {
	return 500*time.Millisecond + elapsed/100
}

// NoTimestamps is the reason why the time between two pasted snapshots is not known.
const NoTimestamps = "its snapshots do not say when they were taken"

// ElapsedSeconds returns the time between two snapshots of a host, in seconds. why is empty if they can be compared.
func ElapsedSeconds(a, b *facts.Facts) (seconds float64, why string) {
	switch {
	case a == nil || b == nil:
		return 0, "a snapshot is missing"
	case a.Boot != "" && b.Boot != "" && a.Boot != b.Boot:
		return 0, "it was started again in between"
	}
	wall := b.When.Sub(a.When)
	known := !a.When.IsZero() && !b.When.IsZero()
	up0, ok0 := a.Uptime.Get()
	up1, ok1 := b.Uptime.Get()
	if ok0 && ok1 {
		up := up1 - up0
		if up <= 0 {
			return 0, fmt.Sprintf("its clock since boot goes back from %v to %v", up0.Round(time.Millisecond),
				up1.Round(time.Millisecond))
		}
		if known && (wall-up).Abs() > clockSlack(up) {
			return 0, fmt.Sprintf("its clock jumped: by the wall %v went by, since boot %v", wall.Round(time.Millisecond),
				up.Round(time.Millisecond))
		}
		return up.Seconds(), ""
	}
	if !known {
		return 0, NoTimestamps
	}
	if wall <= 0 {
		return 0, fmt.Sprintf("its clock goes back by %v", (-wall).Round(time.Millisecond))
	}
	return wall.Seconds(), ""
}

// Growth is the growth of a counter.
type Growth struct {
	Net   float64  // less the growth without load, at least 0
	Gross float64  // as it was read
	Idle  *float64 // per second, without load; nil: not known, and nothing was subtracted
	// Seconds is the time between the two readings.
	Seconds float64
}

// counterBits is the width of the counters that the kernel keeps in fewer than 64 bits: those of /proc/net/softnet_stat
// and of struct gnet_stats_queue. Any other counter that went back was reset, or wrapped at an unknown width.
const counterBits = 32

// mostCounted is more than any counter grows in a second: a thousand times the bytes of a link of 8 Tb/s.
const mostCounted = 1e15

// grew returns the growth of a counter from one reading to a later one.
func grew(was, now uint64, narrow bool) (float64, string) {
	if now >= was {
		return float64(now - was), ""
	}
	// A counter that wrapped was near its maximum; one that was reset seldom was.
	if d := uint32(now) - uint32(was); narrow && was <= math.MaxUint32 && d < 1<<(counterBits-1) &&
		was >= 1<<(counterBits-1) {
		return float64(d), ""
	}
	return 0, fmt.Sprintf("it went back from %d to %d: it was reset, or wrapped", was, now)
}

// GrowthOf returns the growth of a counter of an interface, or of the host, between two snapshots, less its idle rate,
// and the reason why it is not known; empty: it is.
func (s Shots) GrowthOf(nic, counter string, a, b *facts.Facts) (Growth, string) {
	g, why := change(nic, counter, a, b)
	if why != "" {
		return Growth{}, why
	}
	g.Net = g.Gross
	if idle, w := change(nic, counter, s.Idle0, s.Idle1); w == "" && idle.Seconds > 0 {
		perSecond := idle.Gross / idle.Seconds
		g.Idle = &perSecond
		g.Net = max(0, g.Gross-perSecond*g.Seconds)
	}
	return g, ""
}

func change(nic, counter string, a, b *facts.Facts) (g Growth, why string) {
	// Pasted snapshots have no time: their counters can be subtracted, but have no rate.
	if g.Seconds, why = ElapsedSeconds(a, b); why != "" && why != NoTimestamps {
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
