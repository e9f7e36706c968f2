package judge

import (
	"fmt"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// CoreUse is the use of one core of a host in the steady interval, as shares of its time.
type CoreUse struct {
	Core    int
	Busy    float64 // with any work
	Receive float64 // part of Busy: in interrupts and softirqs
}

// CoreFree is the share of a core below which it has time left for more.
const CoreFree = 0.7

// CoreUses returns the use of an end's cores between its snapshots in the steady interval, the same time as for its
// counters. Without these it is what the measuring process read. nil: not known.
func (c *Case) CoreUses(side Side) (out []CoreUse) {
	first, last, why := c.inInterval(side)
	if why == "" {
		out = CoresBetween(first.CPU.Cores, last.CPU.Cores)
	}
	if out != nil || c.Repeat == nil {
		return out
	}
	for _, u := range c.Repeat.CPU {
		if u.Host != side.Host || u.Core < 0 {
			continue
		}
		if !PossibleShares(u) {
			return nil
		}
		out = append(out, CoreUse{u.Core, u.Busy(), u.SoftIRQ + u.IRQ})
	}
	return out
}

// CoresBetween returns the use of cores between two readings; nil: a counter went back, or a core is in one reading
// only.
func CoresBetween(a, b []facts.CoreTime) (out []CoreUse) {
	for _, y := range b {
		i := slices.IndexFunc(a, func(x facts.CoreTime) bool { return x.Core == y.Core })
		if i < 0 {
			return nil
		}
		x := a[i]
		busy, receive, rest := 0.0, y.SoftIRQ-x.SoftIRQ+y.IRQ-x.IRQ, y.Idle-x.Idle+y.IOWait-x.IOWait+y.Steal-x.Steal
		for _, d := range []float64{y.User - x.User, y.Nice - x.Nice, y.System - x.System, y.IRQ - x.IRQ,
			y.SoftIRQ - x.SoftIRQ} {
			if d < 0 {
				return nil
			}
			busy += d
		}
		if rest < -0.05 { // the kernel's idle time may go back by a tick
			return nil
		}
		all := busy + max(0, rest)
		if all <= 0 {
			return nil
		}
		out = append(out, CoreUse{y.Core, busy / all, receive / all})
	}
	return out
}

// InterruptsServed returns the interrupts of an end's NIC by core, from before to after the experiment. ok is false
// where this is not known, or there were too few.
func (c *Case) InterruptsServed(side Side) (by map[int]float64, total float64, ok bool) {
	before, after := side.Shots.Before, side.Shots.After
	if before == nil || after == nil || side.NIC() == nil || before.Interrupts == nil || after.Interrupts == nil {
		return nil, 0, false
	}
	if _, why := ElapsedSeconds(before, after); why != "" && why != NoTimestamps {
		return nil, 0, false
	}
	was := map[[2]int]uint64{}
	for _, i := range before.Interrupts.Lines {
		for _, s := range i.Served {
			was[[2]int{i.Number, s.CPU}] = s.Count
		}
	}
	by = map[int]float64{}
	for _, i := range after.InterruptsOf(side.NIC()) {
		for _, s := range i.Served {
			d, why := grew(was[[2]int{i.Number, s.CPU}], s.Count, true)
			if why != "" {
				return nil, 0, false
			}
			by[s.CPU] += d
			total += d
		}
	}
	return by, total, total >= 100
}

// LargestShare returns the key with the largest share of a total.
func LargestShare(by map[int]float64, total float64) (key int, share float64) {
	for k, v := range by {
		if s := v / total; s > share || s == share && k < key {
			key, share = k, s
		}
	}
	return key, share
}

// Evidence returns the use of the core as evidence.
func (u CoreUse) Evidence(host, text string) record.Evidence {
	return record.Evidence{Host: host, Source: "/proc/stat", Counter: fmt.Sprintf("cpu%d", u.Core), After: new(u.Busy),
		Unit: "share of a core",
		Text: fmt.Sprintf("core %d of %s was busy %s of the time, %s of it with receiving%s", u.Core, host,
			unit.Percent(u.Busy), unit.Percent(u.Receive), text)}
}
