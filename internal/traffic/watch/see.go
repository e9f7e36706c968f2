package watch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/record"
	"linerate/internal/traffic"
)

// mostCoresSent is the most rows of cores in an outcome, which goes into one frame: of more, those that did most.
const mostCoresSent = 1024

// Into puts what the watch saw into the outcome.
func (x Sight) Into(o *traffic.Outcome) {
	o.CPU, o.Busy, o.Retrans = CPUBetween(x.edges[0], x.edges[1]), x.busy, x.Retrans
	for _, text := range x.lost {
		subject, reason, _ := strings.Cut(text, ": ")
		o.Unknown = append(o.Unknown, record.Unknown{Subject: subject, Reason: reason})
	}
	if o.CPU.Seconds <= 0 || x.after == nil {
		return
	}
	var unknown []record.Unknown
	var own map[int]float64
	o.Work, own, unknown = workBetween(x.before, x.after, x.blind, x.looks)
	o.Unknown = append(o.Unknown, unknown...)
	for i := range o.CPU.Cores {
		c := &o.CPU.Cores[i]
		if p := x.packets[c.Core]; p != nil {
			c.Packets, c.Dropped, c.Squeezed = pointer(int64(p.processed)), pointer(int64(p.dropped)), pointer(int64(p.squeeze))
		}
		if own != nil {
			c.Own = pointer(own[c.Core])
		}
	}
	x.clocksInto(o)
	for subject, reason := range map[string]string{"frequency": x.noClock, "throttling": x.noHeat} {
		if reason != "" {
			o.Unknown = append(o.Unknown, record.Unknown{Subject: subject, Reason: reason})
		}
	}
	slices.SortFunc(o.Unknown, func(a, b record.Unknown) int {
		return strings.Compare(a.Subject+a.Reason, b.Subject+b.Reason)
	})
	thinCores(o)
}

// clocksInto adds the clock rates of the cores that were read at both edges.
func (x Sight) clocksInto(o *traffic.Outcome) {
	for i := range o.CPU.Cores {
		c := &o.CPU.Cores[i]
		a, before := x.clocks[0][c.Core]
		b, after := x.clocks[1][c.Core]
		if !before || !after {
			continue
		}
		if a.hz > 0 && b.hz > 0 {
			c.HzBefore, c.Hz = pointer(a.hz), pointer(b.hz)
			if b.base > 0 {
				c.BaseHz = pointer(b.base)
			}
		}
		if a.throttled >= 0 && b.throttled >= a.throttled {
			c.Throttled = pointer(b.throttled - a.throttled)
		}
	}
}

// thinCores leaves the idlest cores out of an outcome that has too many.
func thinCores(o *traffic.Outcome) {
	n := len(o.CPU.Cores)
	if n <= mostCoresSent {
		return
	}
	slices.SortStableFunc(o.CPU.Cores, func(a, b traffic.Core) int { return cmp.Compare(a.Idle, b.Idle) })
	o.CPU.Cores = o.CPU.Cores[:mostCoresSent:mostCoresSent]
	slices.SortFunc(o.CPU.Cores, func(a, b traffic.Core) int { return a.Core - b.Core })
	o.Unknown = append(o.Unknown, record.Unknown{Subject: "cores",
		Reason: fmt.Sprintf("of %d only the %d that did most are listed", n, mostCoresSent)})
}

func pointer[T any](v T) *T { return &v }
