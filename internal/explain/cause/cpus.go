package cause

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// EndCPUs are the CPUs of an end in the steady interval, with their users. All figures are in cores.
type EndCPUs struct {
	hosts    string // "host1", "host1 and host2"
	together bool   // both ends are on one machine and share its cores
	cores    int
	There    float64 // cores, less steal
	Used     float64
	softirq  float64
	Own      float64 // of the measuring processes, and of the kernel's threads that receive for them
	user     float64 // of Own, in user space
	threads  []record.Thread
}

// CPUs returns the CPUs of the end of a side; ok is false if they were not read.
func CPUs(c *judge.Case, side judge.Side) (p EndCPUs, ok bool) {
	if c.Repeat == nil {
		return p, false
	}
	p.hosts = side.Host
	for _, u := range c.Repeat.CPU {
		names := strings.Split(u.Host, "+")
		if (u.Host == side.Host || slices.Contains(names, side.Host)) && !judge.PossibleShares(u) {
			return EndCPUs{}, false
		}
		switch {
		case u.Core >= 0 && u.Host == side.Host:
			p.cores++
			p.Used += u.Busy()
			p.softirq += u.SoftIRQ + u.IRQ
			p.There += 1 - u.Steal
		case u.Core == -1 && slices.Contains(names, side.Host):
			ok = true
			p.Own, p.user, p.threads = u.User+u.System, u.User, u.Threads
			for _, t := range u.Threads {
				if t.Kind == "kernel" && strings.HasPrefix(t.Name, "ksoftirqd") {
					p.Own += t.User + t.System
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

// bound is how CPUs limit an experiment: no CPU time is left, or one thread or core, whose work cannot be spread, has
// none left.
type bound struct {
	EndCPUs
	side     judge.Side
	what     string // "the CPUs of host1", "the thread recv 0 on host2"
	evidence record.Evidence
}

// cpuBound returns the end whose CPUs this experiment fills; nil: none, or it is not known. If it is both, the receiver
// counts, which has more work.
func cpuBound(c *judge.Case) *bound {
	for _, side := range []judge.Side{c.Receiver, c.Sender} {
		p, ok := CPUs(c, side)
		if !ok || p.There <= 0 {
			continue
		}
		b := &bound{EndCPUs: p, side: side}
		if p.Used >= judge.CPUFull*p.There && p.Own >= judge.MostlyOwn*p.Used {
			b.what = "the CPUs of " + p.hosts
			said := fmt.Sprintf("%s used %s of %s CPU cores, %s of them for this experiment", p.hosts,
				unit.Significant(p.Used), unit.Significant(p.There), unit.Significant(p.Own))
			if other := p.Used - p.Own; other >= judge.OtherWorkCores {
				said += fmt.Sprintf(" (%s for interrupts and other work)", unit.Significant(other))
			}
			b.evidence = record.Evidence{Host: side.Host, Source: "/proc/stat", Counter: "cpu", After: new(p.Used),
				Unit: "cores", Text: said}
			return b
		}
		for _, t := range p.threads {
			if used := t.User + t.System; t.Kind == "own" && t.Host == side.Host && t.Count <= 1 && used >= judge.ThreadFull {
				b.what = fmt.Sprintf("one thread (%s) on %s", t.Name, side.Host)
				b.evidence = judge.Reading(side.Host, "/proc/self/task", t.Name, used, "share of a core", "the thread %s of "+
					"%s had %s of a core, and cannot have two", t.Name, side.Host, unit.Percent(used))
				return b
			}
		}
		for _, u := range c.Repeat.CPU {
			if u.Host != side.Host || u.Core < 0 || u.Busy() < judge.CPUFull*(1-u.Steal) {
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
			b.evidence = judge.Reading(side.Host, "/proc/stat", fmt.Sprintf("cpu%d", u.Core), u.Busy(), "share of a core",
				"core %d of %s has no time left: %s of it in receiving packets, %s in the kernel else", u.Core, side.Host,
				unit.Percent(u.SoftIRQ+u.IRQ), unit.Percent(u.System))
			return b
		}
	}
	return nil
}

// starved reports whether hardly any CPU time is left at an end whose processes use more of it than a waiting program
// would. They may then be late with all of their work.
func starved(c *judge.Case, side judge.Side) bool {
	p, ok := CPUs(c, side)
	return ok && p.There > 0 && p.Used >= judge.CoreFull*p.There && p.Own >= 0.1*p.Used
}

// noTime reports whether a host has no CPU time left, whoever uses it. Its programs and its kernel are then late with
// all of their work, and no conclusion follows from who waits for whom.
func noTime(c *judge.Case, side judge.Side) bool {
	p, ok := CPUs(c, side)
	return ok && p.There > 0 && p.Used >= judge.CPUFull*p.There
}

// shared returns a note that both ends have the same cores; empty: they do not.
func (p EndCPUs) shared() string {
	if !p.together {
		return ""
	}
	return fmt.Sprintf(" Both ends share the %d cores of one machine.", p.cores)
}

// smallBuffers reports whether a buffer is at a limit below what the path needs. A sender that waits for the receive
// window is then not limited by a CPU alone.
func smallBuffers(c *judge.Case) bool {
	if _, small := sendBufferOf(c); small {
		return true
	}
	waited, clock := limitedShare(c, func(s *record.Socket) *float64 { return s.RwndLimited })
	tcpWindow, read := c.Median(false, judge.Integer(func(s *record.Socket) *int64 { return s.SndWnd }))
	if clock && read && waited >= 0.3 && tcpWindow > 0 && tcpWindow <= mostUnscaled {
		return true
	}
	after := c.Receiver.Shots.After
	if after == nil {
		return false
	}
	limits, known := after.TCP.RMem.Get()
	have, ok := c.Median(true, judge.Integer(func(s *record.Socket) *int64 { return s.RcvBuf }))
	return known && ok && limits[2] < wanted(c) && have >= 0.95*float64(limits[2])
}
