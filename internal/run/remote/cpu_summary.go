package remote

import (
	"cmp"
	"slices"

	"linerate/internal/base/stat"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
)

// SummarizeCPU fills in the CPUs of both ends of an experiment from its repeats.
func SummarizeCPU(e *record.Experiment) {
	e.CPU = medianCPU(e.Repeats)
	e.SoftIRQ = softIRQPlacements(e.CPU)
	e.PerCPU, e.Unknown = nil, nil
	var processes, hosts []float64
	for _, r := range e.Repeats {
		if r.PerCPU != nil {
			processes, hosts = appendKnown(processes, r.PerCPU.Processes), appendKnown(hosts, r.PerCPU.Hosts)
		}
		for _, u := range r.Unknown {
			e.Unknown = xslices.AppendNew(e.Unknown, u)
		}
	}
	if p := (record.PerCPU{Processes: median(processes), Hosts: median(hosts)}); p.Processes != nil || p.Hosts != nil {
		e.PerCPU = &p
	}
}

func appendKnown(values []float64, v *float64) []float64 {
	if v == nil {
		return values
	}
	return append(values, *v)
}

// median is the median; nil of nothing.
func median(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	s, err := stat.Summarize(values)
	if err != nil {
		return nil
	}
	return &s.Median
}

// medianCPU is every core of every host in the repeat in the middle by its use, whose shares are one whole: the medians
// of the shares one by one may be more. Of rates it has the median over the repeats, and of counters the maximum.
func medianCPU(repeats []record.Repeat) []record.CPU {
	type key struct {
		host string
		core int
	}
	var order []key
	by := map[key][]record.CPU{}
	for _, r := range repeats {
		for _, c := range r.CPU {
			k := key{c.Host, c.Core}
			if by[k] == nil {
				order = append(order, k)
			}
			by[k] = append(by[k], c)
		}
	}
	var out []record.CPU
	for _, k := range order {
		rows := by[k]
		inOrder := slices.SortedStableFunc(slices.Values(rows), func(a, b record.CPU) int {
			return cmp.Compare(a.Busy(), b.Busy())
		})
		mid := inOrder[(len(inOrder)-1)/2]
		known := func(f func(record.CPU) *float64) *float64 {
			var vs []float64
			for _, c := range rows {
				vs = appendKnown(vs, f(c))
			}
			return median(vs)
		}
		maximum := func(f func(record.CPU) *int64) (v *int64) {
			for _, c := range rows {
				if x := f(c); x != nil && (v == nil || *x > *v) {
					v = x
				}
			}
			return v
		}
		out = append(out, record.CPU{Host: k.host, Core: k.core, User: mid.User,
			System: mid.System, SoftIRQ: mid.SoftIRQ, IRQ: mid.IRQ, Steal: mid.Steal, Idle: mid.Idle,
			Own:       known(func(c record.CPU) *float64 { return c.Own }),
			Packets:   known(func(c record.CPU) *float64 { return c.Packets }),
			HzBefore:  known(func(c record.CPU) *float64 { return c.HzBefore }),
			Hz:        known(func(c record.CPU) *float64 { return c.Hz }),
			BaseHz:    known(func(c record.CPU) *float64 { return c.BaseHz }),
			Dropped:   maximum(func(c record.CPU) *int64 { return c.Dropped }),
			Squeezed:  maximum(func(c record.CPU) *int64 { return c.Squeezed }),
			Throttled: maximum(func(c record.CPU) *int64 { return c.Throttled }), Threads: medianThreads(rows)})
	}
	return out
}

// medianThreads is the median over the repeats of the CPU time of every thread; it is zero in a repeat without the
// thread.
func medianThreads(rows []record.CPU) []record.Thread {
	type key struct{ kind, host, name string }
	type uses struct {
		last         record.Thread
		user, system []float64
	}
	var order []key
	by := map[key]*uses{}
	repeats := 0
	for _, c := range rows {
		if len(c.Threads) == 0 {
			continue // not known
		}
		repeats++
		for _, t := range c.Threads {
			k := key{t.Kind, t.Host, t.Name}
			u := by[k]
			if u == nil {
				u = &uses{}
				by[k] = u
				order = append(order, k)
			}
			count := max(u.last.Count, t.Count)
			u.last = t
			u.last.Count = count
			u.user, u.system = append(u.user, t.User), append(u.system, t.System)
		}
	}
	var out []record.Thread
	for _, k := range order {
		u := by[k]
		none := make([]float64, repeats-len(u.user))
		u.last.User, u.last.System = *median(append(u.user, none...)), *median(append(u.system, none...))
		if u.last.User+u.last.System > 0 {
			out = append(out, u.last)
		}
	}
	slices.SortStableFunc(out, func(a, b record.Thread) int { return cmp.Compare(b.User+b.System, a.User+a.System) })
	return out
}
