package traffic

import (
	"cmp"
	"fmt"
	"linerate/internal/record"
	"slices"
	"strings"
)

// mostCoresSent bounds the rows of cores in an outcome: of more, those that did most. An outcome goes into one frame.
const mostCoresSent = 1024

// see puts what the watcher saw into the outcome.
func (o *Outcome) see(x sight) {
	o.CPU, o.Busy, o.Retrans = cpuBetween(x.edges[0], x.edges[1]), x.busy, x.retrans
	for _, text := range x.lost {
		subject, reason, _ := strings.Cut(text, ": ")
		o.Unknown = append(o.Unknown, record.Unknown{Subject: subject, Reason: reason})
	}
	if o.CPU.Seconds <= 0 || x.after == nil {
		return
	}
	var unknown []record.Unknown
	o.Work, unknown = workBetween(x.before, x.after, x.blind, x.looks)
	o.Unknown = append(o.Unknown, unknown...)
	for i := range o.CPU.Cores {
		c := &o.CPU.Cores[i]
		if p := x.packets[c.Core]; p != nil {
			c.Packets, c.Dropped, c.Squeezed = pointer(int64(p.processed)), pointer(int64(p.dropped)), pointer(int64(p.squeeze))
		}
		if o.Work.own != nil {
			c.Own = pointer(o.Work.own[c.Core])
		}
	}
	o.clocks(x)
	for subject, reason := range map[string]string{"frequency": x.noClock, "throttling": x.noHeat} {
		if reason != "" {
			o.Unknown = append(o.Unknown, record.Unknown{Subject: subject, Reason: reason})
		}
	}
	slices.SortFunc(o.Unknown, func(a, b record.Unknown) int { return strings.Compare(a.Subject+a.Reason, b.Subject+b.Reason) })
	o.thinCores()
}

// clocks puts the clock rates of cores in: of those that were read at both edges.
func (o *Outcome) clocks(x sight) {
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
func (o *Outcome) thinCores() {
	n := len(o.CPU.Cores)
	if n <= mostCoresSent {
		return
	}
	slices.SortStableFunc(o.CPU.Cores, func(a, b Core) int { return cmp.Compare(a.Idle, b.Idle) })
	o.CPU.Cores = o.CPU.Cores[:mostCoresSent:mostCoresSent]
	slices.SortFunc(o.CPU.Cores, func(a, b Core) int { return a.Core - b.Core })
	o.Unknown = append(o.Unknown, record.Unknown{Subject: "cores", Reason: fmt.Sprintf("of %d only the %d that did most are told", n, mostCoresSent)})
}

func pointer[T any](v T) *T { return &v }
