package explain

import (
	"fmt"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// coreUse is what one core of a host did in the steady window, as shares of its time.
type coreUse struct {
	Core    int
	Busy    float64 // with anything
	Receive float64 // of that, in interrupts and in the softirq behind them
}

// free is the share of a core below which it has time left for more.
const free = 0.7

// coreUses are the cores of an end in the steady window, by its captures in it: of the same time as its counters. Where there were none, as the
// measuring end read them. nil: not known.
func (c *Case) coreUses(side Side) (out []coreUse) {
	first, last, why := c.inWindow(side)
	if why == "" {
		out = coresBetween(first.CPU.Cores, last.CPU.Cores)
	}
	if out != nil || c.Repeat == nil {
		return out
	}
	for _, u := range c.Repeat.CPU {
		if u.Host != side.Host || u.Core < 0 {
			continue
		}
		if !possibleShares(u) {
			return nil
		}
		out = append(out, coreUse{u.Core, u.Busy(), u.SoftIRQ + u.IRQ})
	}
	return out
}

// coresBetween is what cores did between two readings; nil: one of them went back, or is in one reading alone.
func coresBetween(a, b []facts.CoreTime) (out []coreUse) {
	for _, y := range b {
		i := slices.IndexFunc(a, func(x facts.CoreTime) bool { return x.Core == y.Core })
		if i < 0 {
			return nil
		}
		x := a[i]
		busy, receive, rest := 0.0, y.SoftIRQ-x.SoftIRQ+y.IRQ-x.IRQ, y.Idle-x.Idle+y.IOWait-x.IOWait+y.Steal-x.Steal
		for _, d := range []float64{y.User - x.User, y.Nice - x.Nice, y.System - x.System, y.IRQ - x.IRQ, y.SoftIRQ - x.SoftIRQ} {
			if d < 0 {
				return nil
			}
			busy += d
		}
		if rest < -0.05 { // the kernel's count of idle time may go back by a tick or so
			return nil
		}
		all := busy + max(0, rest)
		if all <= 0 {
			return nil
		}
		out = append(out, coreUse{y.Core, busy / all, receive / all})
	}
	return out
}

// interruptsServed is who served the interrupts of an end's card from before to after the experiment. Ok is false where that is not known, or
// where there were so few that they say nothing.
func (c *Case) interruptsServed(side Side) (by map[int]float64, total float64, ok bool) {
	before, after := side.Shots.Before, side.Shots.After
	if before == nil || after == nil || side.NIC() == nil || before.Interrupts == nil || after.Interrupts == nil {
		return nil, 0, false
	}
	if _, why := elapsed(before, after); why != "" && why != noClock {
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

// mostOf is the key with the largest share of a total.
func mostOf(by map[int]float64, total float64) (key int, share float64) {
	for k, v := range by {
		if s := v / total; s > share || s == share && k < key {
			key, share = k, s
		}
	}
	return key, share
}

func (u coreUse) evidence(host, text string) record.Evidence {
	return record.Evidence{Host: host, Source: "/proc/stat", Counter: fmt.Sprintf("cpu%d", u.Core), After: ptr(u.Busy), Unit: "share of a core",
		Text: fmt.Sprintf("core %d of %s was busy %s of the time, %s of it with receiving%s", u.Core, host, unit.Percent(u.Busy), unit.Percent(u.Receive), text)}
}
