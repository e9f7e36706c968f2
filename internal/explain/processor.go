package explain

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

const (
	// spent is the share of the processor time of a host, of one core, or of one thread's core, from which on nothing is left of it.
	spent = 0.95
	// busyThread is the share of a core from which on a thread is its own limit: it is never the only one that its core runs.
	busyThread = 0.9
	// mostlyOurs is the share of the time used that must be of the experiment: with less it is other work that fills the processor.
	mostlyOurs = 0.5
)

// processors are those of an end, with who used them in the steady window. In cores.
type processors struct {
	hosts    string // "host1", "host1 and host2"
	together bool   // both ends are processes of one machine: its cores are one pool
	cores    int
	there    float64 // less what a hypervisor gave to others
	used     float64
	softirq  float64
	own      float64 // of the measuring processes, and of the kernel's threads that receive for them
	user     float64 // of own, outside of the kernel
	threads  []record.Thread
}

// processors of the end of a side; ok is false if they were not read.
func (c *Case) processors(side Side) (p processors, ok bool) {
	if c.Repeat == nil {
		return p, false
	}
	p.hosts = side.Host
	for _, u := range c.Repeat.CPU {
		names := strings.Split(u.Host, "+")
		if (u.Host == side.Host || slices.Contains(names, side.Host)) && !possibleShares(u) {
			return processors{}, false
		}
		switch {
		case u.Core >= 0 && u.Host == side.Host:
			p.cores++
			p.used += u.Busy()
			p.softirq += u.SoftIRQ + u.IRQ
			p.there += 1 - u.Steal
		case u.Core == -1 && slices.Contains(names, side.Host):
			ok = true
			p.own, p.user, p.threads = u.User+u.System, u.User, u.Threads
			for _, t := range u.Threads {
				if t.Kind == "kernel" && strings.HasPrefix(t.Name, "ksoftirqd") {
					p.own += t.User + t.System
				}
			}
			if len(names) > 1 {
				p.together = true
				p.hosts = strings.Join(names, " and ")
			}
		}
	}
	return p, ok && p.cores > 0
}

// bound says how processors hold an experiment back: no time of them is left, or one thread or core that cannot be shared out has none.
type bound struct {
	processors
	side     Side
	what     string // "the processors of host1", "the thread recv 0 on host2"
	evidence record.Evidence
}

// processorBound is the end whose processors are full of this experiment; nil: none, or it is not known. Of both the receiver's, which has
// more to do.
func (c *Case) processorBound() *bound {
	for _, side := range []Side{c.Receiver, c.Sender} {
		p, ok := c.processors(side)
		if !ok || p.there <= 0 {
			continue
		}
		b := &bound{processors: p, side: side}
		if p.used >= spent*p.there && p.own >= mostlyOurs*p.used {
			b.what = "the processors of " + p.hosts
			said := fmt.Sprintf("%s used %s of %s processor cores, %s of them for this experiment", p.hosts, unit.Significant(p.used), unit.Significant(p.there), unit.Significant(p.own))
			if other := p.used - p.own; other >= foreign {
				said += fmt.Sprintf(" (%s for interrupts and other work)", unit.Significant(other))
			}
			b.evidence = record.Evidence{Host: side.Host, Source: "/proc/stat", Counter: "cpu", After: ptr(p.used), Unit: "cores", Text: said}
			return b
		}
		for _, t := range p.threads {
			if used := t.User + t.System; t.Kind == "own" && t.Host == side.Host && t.Count <= 1 && used >= busyThread {
				b.what = fmt.Sprintf("one thread (%s) on %s", t.Name, side.Host)
				b.evidence = record.Evidence{Host: side.Host, Source: "/proc/self/task", Counter: t.Name, After: ptr(used), Unit: "share of a core",
					Text: fmt.Sprintf("the thread %s of %s had %s of a core, and cannot have two", t.Name, side.Host, unit.Percent(used))}
				return b
			}
		}
		for _, u := range c.Repeat.CPU {
			if u.Host != side.Host || u.Core < 0 || u.Busy() < spent*(1-u.Steal) {
				continue
			}
			ours := u.SoftIRQ + u.IRQ
			if u.Own != nil {
				ours = max(ours, *u.Own)
			}
			if ours < 0.5 {
				continue
			}
			b.what = fmt.Sprintf("core %d of %s", u.Core, side.Host)
			b.evidence = record.Evidence{Host: side.Host, Source: "/proc/stat", Counter: fmt.Sprintf("cpu%d", u.Core), After: ptr(u.Busy()), Unit: "share of a core",
				Text: fmt.Sprintf("core %d of %s has no time left: %s of it in receiving packets, %s in the kernel else", u.Core, side.Host, unit.Percent(u.SoftIRQ+u.IRQ), unit.Percent(u.System))}
			return b
		}
	}
	return nil
}

// starved says whether hardly any processor time is left at an end whose processes want more of it than a program that waits would: they may then be
// late with whatever they have to do.
func (c *Case) starved(side Side) bool {
	p, ok := c.processors(side)
	return ok && p.there > 0 && p.used >= full*p.there && p.own >= 0.1*p.used
}

// noTime says whether a host has no processor time left, whoever uses it: its programs and its kernel are then late with whatever they have to do,
// and what waits for what tells nothing.
func (c *Case) noTime(side Side) bool {
	p, ok := c.processors(side)
	return ok && p.there > 0 && p.used >= spent*p.there
}

// shared says that both ends have the same cores; empty: they do not.
func (p processors) shared() string {
	if !p.together {
		return ""
	}
	return fmt.Sprintf(" Both ends share the %d cores of one machine.", p.cores)
}

// smallBuffers says whether a buffer stands at a limit that is less than the path wants: what waits for a window is not held back by a
// processor alone.
func (c *Case) smallBuffers() bool {
	if _, small := c.sendBuffer(); small {
		return true
	}
	waited, clock := c.limitedShare(func(s *record.Socket) *float64 { return s.RwndLimited })
	window, read := c.median(false, count(func(s *record.Socket) *int64 { return s.SndWnd }))
	if clock && read && waited >= 0.3 && window > 0 && window <= mostUnscaled {
		return true
	}
	after := c.Receiver.Shots.After
	if after == nil {
		return false
	}
	limits, known := after.TCP.RMem.Get()
	have, ok := c.median(true, count(func(s *record.Socket) *int64 { return s.RcvBuf }))
	return known && ok && limits[2] < wanted(c) && have >= 0.95*float64(limits[2])
}

// mostShare is what rounding makes of a whole core.
const mostShare = 1.1

// possibleShares says whether shares of a core, and of threads that have one at a time, can be.
func possibleShares(u record.CPU) bool {
	for _, v := range []float64{u.User, u.System, u.SoftIRQ, u.IRQ, u.Steal} {
		if !(v >= 0) || u.Core >= 0 && v > mostShare {
			return false
		}
	}
	for _, t := range u.Threads {
		if used := t.User + t.System; !(used >= 0) || used > mostShare*float64(max(1, t.Count)) {
			return false
		}
	}
	return true
}
