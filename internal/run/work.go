package run

import (
	"context"
	"fmt"
	"linerate/internal/record"
	"slices"
	"strings"

	"linerate/internal/agent"
	"linerate/internal/traffic"
)

// hostThreads is who used the processors of a machine: the threads of every end's own process, once a process, and the
// kernel's threads and other processes, as the first end saw them that sees any. here is what this program saw of the
// machine that it runs on, for ends in a PID namespace of their own; nil: they run elsewhere.
func hostThreads(ends []*side, here *traffic.Work) (threads []record.Thread) {
	seen := map[int]bool{}
	var around *traffic.Work
	for _, e := range ends {
		pid := e.client.Hello().PID
		if seen[pid] {
			continue
		}
		seen[pid] = true
		w := e.outcome.Work
		for _, t := range w.Threads {
			if t.Kind == record.OwnThread {
				t.Host = e.host
				threads = append(threads, t)
			}
		}
		if around == nil && !blind(e.outcome) {
			around = &e.outcome.Work
		}
	}
	if around == nil {
		around = here
	}
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

// blind says whether an end could not see the kernel's threads.
func blind(o *traffic.Outcome) bool {
	return slices.ContainsFunc(o.Unknown, func(u record.Unknown) bool {
		return u.Subject == kernelThreads || u.Subject == "threads" && len(o.Work.Threads) == 0
	})
}

// onThisMachine says whether one of the ends runs on the machine of this program.
func onThisMachine(ends ...*side) bool {
	own := agent.BootID()
	return own != "" && slices.ContainsFunc(ends, func(e *side) bool { return e.client.Hello().BootID == own })
}

// lookHere watches the tasks of this machine over the window if an end is on it; what it returns waits for the window's
// end, or with early for that of ctx, and gives what was seen, nil if nothing was.
func lookHere(ctx context.Context, open, close int64, early bool, ends ...*side) func() *traffic.Work {
	if !onThisMachine(ends...) {
		return func() *traffic.Work { return nil }
	}
	done := make(chan *traffic.Work, 1)
	go func() { done <- traffic.HostWork(ctx, open, close, early) }()
	return func() *traffic.Work { return <-done }
}

// unknowns is what is not known of the hosts, each reason once with the names of those that it holds for.
func unknowns(ends []*side, here *traffic.Work) (out []record.Unknown) {
	type key struct{ subject, reason string }
	var order []key
	names := map[key][]string{}
	for _, e := range ends {
		for _, u := range e.outcome.Unknown {
			if u.Subject == kernelThreads && here != nil && e.client.Hello().BootID == agent.BootID() {
				continue // seen from here
			}
			k := key{u.Subject, u.Reason}
			if names[k] == nil {
				order = append(order, k)
			}
			if !slices.Contains(names[k], e.host) {
				names[k] = append(names[k], e.host)
			}
		}
	}
	for _, k := range order {
		out = append(out, record.Unknown{Subject: strings.Join(names[k], ", ") + ": " + k.subject, Reason: k.reason})
	}
	return out
}

// ifHere is what this program saw, if it runs on the machine of these ends.
func ifHere(here *traffic.Work, ends []*side) *traffic.Work {
	if here == nil || !onThisMachine(ends...) {
		return nil
	}
	return here
}

// noisyClocks flags a repeat in which the clocks of a machine did what spoils a figure; ends on one machine say the same.
func noisyClocks(r *record.Repeat, ends []*side) {
	boots := map[string]bool{}
	for _, e := range ends {
		if boot := e.client.Hello().BootID; boot != "" && boots[boot] {
			continue
		} else {
			boots[boot] = true
		}
		for _, text := range clockNoise(slices.DeleteFunc(slices.Clone(r.CPU), func(c record.CPU) bool { return c.Host != e.host })) {
			r.Noisy = true
			r.Warnings = append(r.Warnings, e.host+": "+text)
		}
	}
}

const (
	// inUse is the share of a window from which on a core's clock rate matters.
	inUse = 0.5
	// clockChange is how far the clock of a core in use may move between the window's edges, as a share.
	clockChange = 0.1
	// clockLow is the share of its base rate below which a core in use is slow.
	clockLow = 0.8
)

// clockNoise says what the clocks of cores in use did that spoils a figure: heat that slowed them down, a rate that
// changed in the window, one far below what the processor is sold with.
func clockNoise(rows []record.CPU) (noise []string) {
	hot, times := 0, int64(0)
	var changed, low []string
	for _, c := range rows {
		if c.Core < 0 {
			continue
		}
		if c.Throttled != nil && *c.Throttled > 0 {
			hot, times = hot+1, times+*c.Throttled
		}
		if c.Hz == nil || c.HzBefore == nil || c.Busy() < inUse {
			continue
		}
		a, b := *c.HzBefore, *c.Hz
		switch {
		case max(a, b) > 0 && (max(a, b)-min(a, b))/max(a, b) > clockChange:
			changed = append(changed, fmt.Sprintf("core %d from %s to %s", c.Core, hertz(a), hertz(b)))
		case c.BaseHz != nil && b < clockLow**c.BaseHz:
			low = append(low, fmt.Sprintf("core %d at %s of %s", c.Core, hertz(b), hertz(*c.BaseHz)))
		}
	}
	if hot > 0 {
		cores := "cores"
		if hot == 1 {
			cores = "core"
		}
		noise = append(noise, fmt.Sprintf("heat slowed %d %s down (throttled %d times); look at cooling and power limits", hot, cores, times))
	}
	if len(changed) > 0 {
		noise = append(noise, "the clock changed in the window: "+few(changed, 3)+"; fix it (cpupower frequency-set -g performance)")
	}
	if len(low) > 0 {
		noise = append(noise, "the clock is low: "+few(low, 3)+"; look at the governor and at power limits (cpupower frequency-set -g performance)")
	}
	return noise
}

func hertz(v float64) string { return fmt.Sprintf("%.2f GHz", v/1e9) }

// few is at most so many of a list, and how many more there are.
func few(all []string, most int) string {
	if len(all) <= most {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:most], ", "), len(all)-most)
}
