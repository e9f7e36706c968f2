package remote

import (
	"cmp"
	"slices"

	"linerate/internal/agent"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

// ThreadsOf is the CPU use of a machine by thread: the threads of every end's own process, once a process, and the
// kernel's threads and other processes, from the first end that sees any. here is this program's view of its own
// machine, for ends in a PID namespace of their own; nil: they run elsewhere.
func ThreadsOf(ends []*End, here *traffic.Work) (threads []record.Thread) {
	seen := map[int]bool{}
	var around *traffic.Work
	for _, e := range ends {
		pid := e.Client.Hello().PID
		if seen[pid] {
			continue
		}
		seen[pid] = true
		w := e.Outcome.Work
		for _, t := range w.Threads {
			if t.Kind == record.OwnThread {
				t.Host = e.Host
				threads = append(threads, t)
			}
		}
		if around == nil && !seesNoKernelThreads(e.Outcome) {
			around = &e.Outcome.Work
		}
	}
	around = cmp.Or(around, here)
	if around != nil {
		for _, t := range around.Threads {
			if t.Kind == record.KernelThread || t.Kind == record.OtherProcess && !seen[t.ID] {
				threads = append(threads, t)
			}
		}
	}
	slices.SortStableFunc(threads, func(a, b record.Thread) int {
		switch x, y := a.User+a.System, b.User+b.System; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return threads
}

const kernelThreads = "kernel threads"

// seesNoKernelThreads reports whether an end could not see the kernel's threads.
func seesNoKernelThreads(o *traffic.Outcome) bool {
	return slices.ContainsFunc(o.Unknown, func(u record.Unknown) bool {
		return u.Subject == kernelThreads || u.Subject == "threads" && len(o.Work.Threads) == 0
	})
}

// Unknowns lists what is not known of the hosts, each reason once with the names of its hosts.
func Unknowns(ends []*End, here *traffic.Work) (out []record.Unknown) {
	type key struct{ subject, reason string }
	var order []key
	names := map[key][]string{}
	for _, e := range ends {
		for _, u := range e.Outcome.Unknown {
			if u.Subject == kernelThreads && here != nil && e.Client.Hello().BootID == agent.BootID() {
				continue // seen by this program
			}
			k := key{u.Subject, u.Reason}
			if names[k] == nil {
				order = append(order, k)
			}
			names[k] = xslices.AppendNew(names[k], e.Host)
		}
	}
	for _, k := range order {
		out = append(out, record.UnknownOf(names[k], k.subject, k.reason))
	}
	return out
}

// ifOnThisMachine is here, if this program runs on the machine of these ends; else nil.
func ifOnThisMachine(here *traffic.Work, ends []*End) *traffic.Work {
	if here == nil || !onThisMachine(ends...) {
		return nil
	}
	return here
}
