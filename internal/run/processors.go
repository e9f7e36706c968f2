package run

import (
	"cmp"
	"slices"

	"linerate/internal/base/stat"
	"linerate/internal/record"
)

// summarizeCPU fills what an experiment says of both ends' processors from its repeats.
func summarizeCPU(e *record.Experiment) {
	e.CPU = processors(e.Repeats)
	e.SoftIRQ = landings(e.CPU)
	e.PerCPU, e.Unknown = nil, nil
	var processes, hosts []float64
	for _, r := range e.Repeats {
		if r.PerCPU != nil {
			processes, hosts = appendKnown(processes, r.PerCPU.Processes), appendKnown(hosts, r.PerCPU.Hosts)
		}
		for _, u := range r.Unknown {
			if !slices.Contains(e.Unknown, u) {
				e.Unknown = append(e.Unknown, u)
			}
		}
	}
	if p := (record.PerCPU{Processes: middle(processes), Hosts: middle(hosts)}); p.Processes != nil || p.Hosts != nil {
		e.PerCPU = &p
	}
}

func appendKnown(values []float64, v *float64) []float64 {
	if v == nil {
		return values
	}
	return append(values, *v)
}

// middle is the median; nil of nothing.
func middle(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	s, err := stat.Summarize(values)
	if err != nil {
		return nil
	}
	return &s.Median
}

// processors is the median over the repeats of every core of every host. Of counters it is the most.
func processors(repeats []record.Repeat) []record.CPU {
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
		mid := func(f func(record.CPU) float64) float64 {
			var vs []float64
			for _, c := range rows {
				vs = append(vs, f(c))
			}
			if m := middle(vs); m != nil {
				return *m
			}
			return 0
		}
		known := func(f func(record.CPU) *float64) *float64 {
			var vs []float64
			for _, c := range rows {
				vs = appendKnown(vs, f(c))
			}
			return middle(vs)
		}
		most := func(f func(record.CPU) *int64) (v *int64) {
			for _, c := range rows {
				if x := f(c); x != nil && (v == nil || *x > *v) {
					v = x
				}
			}
			return v
		}
		out = append(out, record.CPU{Host: k.host, Core: k.core,
			User:      mid(func(c record.CPU) float64 { return c.User }),
			System:    mid(func(c record.CPU) float64 { return c.System }),
			SoftIRQ:   mid(func(c record.CPU) float64 { return c.SoftIRQ }),
			IRQ:       mid(func(c record.CPU) float64 { return c.IRQ }),
			Steal:     mid(func(c record.CPU) float64 { return c.Steal }),
			Idle:      mid(func(c record.CPU) float64 { return c.Idle }),
			Own:       known(func(c record.CPU) *float64 { return c.Own }),
			Packets:   known(func(c record.CPU) *float64 { return c.Packets }),
			HzBefore:  known(func(c record.CPU) *float64 { return c.HzBefore }),
			Hz:        known(func(c record.CPU) *float64 { return c.Hz }),
			BaseHz:    known(func(c record.CPU) *float64 { return c.BaseHz }),
			Dropped:   most(func(c record.CPU) *int64 { return c.Dropped }),
			Squeezed:  most(func(c record.CPU) *int64 { return c.Squeezed }),
			Throttled: most(func(c record.CPU) *int64 { return c.Throttled }),
			Threads:   threads(rows),
		})
	}
	return out
}

// threads is the median over the repeats of what every thread used; in a repeat without it, that was nothing.
func threads(rows []record.CPU) []record.Thread {
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
		u.last.User, u.last.System = *middle(append(u.user, none...)), *middle(append(u.system, none...))
		if u.last.User+u.last.System > 0 {
			out = append(out, u.last)
		}
	}
	slices.SortStableFunc(out, func(a, b record.Thread) int { return cmp.Compare(b.User+b.System, a.User+a.System) })
	return out
}
