package watch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

// workBetween returns the threads and processes that worked between two readings. A task that is only in the second has
// started meanwhile, and all its time counts. looked, which may be nil, moves the time of this process's threads to the
// cores that they were seen on in between. The second result is the shares of cores that this process's threads had;
// nil: unknown.
func workBetween(a, b *work, blind bool, looked *looks) (traffic.Work, map[int]float64, []record.Unknown) {
	var out traffic.Work
	var own map[int]float64
	var unknown []record.Unknown
	missing := func(subject, reason string) {
		unknown = append(unknown, record.Unknown{Subject: subject, Reason: reason})
	}
	if a == nil || b == nil {
		missing("threads", "the interval was not reached")
		return out, own, unknown
	}
	if err := firstError(a.err, b.err); err != nil {
		missing("threads", err.Error())
		return out, own, unknown
	}
	seconds := float64(b.at-a.at) / 1e9
	if seconds <= 0 {
		missing("threads", "no time passed between the two readings")
		return out, own, unknown
	}
	rows := map[string]*record.Thread{}
	add := func(kind string, id int, t facts.Task, user, system float64) {
		if user+system <= 0 {
			return
		}
		name := commonName(t.Name)
		r := rows[kind+name]
		if r == nil {
			r = &record.Thread{Kind: kind, Name: name}
			rows[kind+name] = r
		}
		if user, system = user/seconds, system/seconds; user+system > r.User+r.System {
			r.ID, r.Core = id, t.Core
		}
		r.User, r.System, r.Count = r.User+user, r.System+system, r.Count+1
	}
	grown := func(from map[int]facts.Task, id int, t facts.Task) (user, system float64, ok bool) {
		was, read := from[id]
		switch {
		case read && was.Start == t.Start:
			user, system = exact(t.User-was.User, t.System-was.System, t.Runtime-was.Runtime, was.Runtime > 0)
			return user, system, true
		case read, !a.listed[id]: // another task of the same number, or one that is new
			user, system = exact(t.User, t.System, t.Runtime, t.Runtime > 0)
			return user, system, true
		}
		return 0, 0, false // it ran, and there was no time to read it
	}
	own = map[int]float64{}
	for id, t := range b.own {
		user, system, ok := grown(a.own, id, t)
		if !ok {
			continue
		}
		add(record.OwnThread, id, t, user, system)
		looked.split(own, id, t, user+system)
	}
	for id, t := range b.host {
		kind := record.OtherProcess
		if t.Kernel {
			kind = record.KernelThread
		}
		if user, system, ok := grown(a.host, id, t); ok {
			add(kind, id, t, user, system)
		}
	}
	for core := range own {
		own[core] /= seconds
	}
	for _, from := range []struct{ before, after map[int]facts.Task }{{a.own, b.own}, {a.host, b.host}} {
		for id, was := range from.before {
			if now, there := from.after[id]; !b.listed[id] || there && now.Start != was.Start {
				out.Ended++
			}
		}
	}
	if out.Unread = max(a.unread, b.unread); out.Unread > 0 {
		missing("threads", fmt.Sprintf("%d threads and processes could not be read in the time that this may take; those "+
			"that move packets were read first", out.Unread))
		if len(b.own) < b.threads {
			own = nil
		}
	}
	if blind {
		missing("kernel threads", "this process is in a PID namespace of its own and sees none")
	}
	for _, r := range rows {
		out.Threads = append(out.Threads, *r)
	}
	slices.SortFunc(out.Threads, func(x, y record.Thread) int {
		return cmp.Or(cmp.Compare(y.User+y.System, x.User+x.System), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Name, y.Name))
	})
	if len(out.Threads) > mostThreads {
		for _, r := range out.Threads[mostThreads:] {
			out.Rest += r.User + r.System
		}
		out.Threads = out.Threads[:mostThreads]
	}
	return out, own, unknown
}

// exact divides the scheduler's clock, if known, as the steps of 10 ms are divided; less than a step is the kernel's.
func exact(user, system, runtime float64, known bool) (float64, float64) {
	user, system = max(0, user), max(0, system)
	if !known || runtime < 0 {
		return user, system
	}
	share := 0.0
	if user+system > 0 {
		share = user / (user + system)
	}
	return runtime * share, runtime * (1 - share)
}

// commonName leaves out of a kernel worker's name what changes from moment to moment: kworker/3:1-events is kworker/3.
func commonName(name string) string {
	if strings.HasPrefix(name, "kworker/") {
		name, _, _ = strings.Cut(name, ":")
	}
	return name
}

// looks is what was seen of this process's threads between the edges of the interval.
type looks struct {
	base map[int]facts.Task      // at the opening
	last map[int]facts.Task      // when looked at last
	on   map[int]map[int]float64 // thread -> core -> seconds
}

func newLooks(opening *work) *looks {
	return &looks{base: opening.own, last: map[int]facts.Task{}, on: map[int]map[int]float64{}}
}

// saw notes a thread: what it used since it was seen last counts for the core that it is on now.
func (l *looks) saw(id int, t facts.Task) {
	was, ok := l.last[id]
	if !ok {
		was = l.base[id]
	}
	if was.Start != 0 && was.Start != t.Start {
		return
	}
	if l.on[id] == nil {
		l.on[id] = map[int]float64{}
	}
	l.on[id][t.Core] += max(0, t.User+t.System-was.User-was.System)
	l.last[id] = t
}

// split adds the time that a thread used in the interval to the cores that it was seen on; the rest goes to the one
// that it is on at the end.
func (l *looks) split(cores map[int]float64, id int, t facts.Task, used float64) {
	if l != nil {
		for core, v := range l.on[id] {
			v = min(v, used)
			cores[core] += v
			used -= v
		}
	}
	if used > 0 {
		cores[t.Core] += used
	}
}
