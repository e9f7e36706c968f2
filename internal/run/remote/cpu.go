package remote

import (
	"fmt"
	"strings"
	"time"

	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

// JoinPairCPU fills in the CPU rows. Two agents with the same boot id are on one machine. Both hosts then have the same
// cores, and each gets all rows of them. The two processes are one row of core -1 under both names ("a+b"), because
// packets of one end are received in the system calls of the other and only the sum is meaningful.
func JoinPairCPU(r *record.Repeat, a, b *End, here *traffic.Work) {
	x, y := a.Client.Hello(), b.Client.Hello()
	same := x.BootID != "" && x.BootID == y.BootID
	from, to := a.Outcome.CPU, b.Outcome.CPU
	for _, e := range []*End{a, b} {
		c := e.Outcome.CPU
		if c.Unknown != "" {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s: CPU time is not known in full: %s", e.Host, c.Unknown))
		}
		if c.User != nil && !same {
			r.CPU = append(
				r.CPU,
				record.CPU{Host: e.Host, Core: -1, User: *c.User, System: *c.System,
					Threads: ThreadsOf([]*End{e}, ifOnThisMachine(here, []*End{e}))},
			)
		}
		r.CPU = append(r.CPU, CoresOf(e.Host, c)...)
	}
	threads := func() []record.Thread { return ThreadsOf([]*End{a, b}, ifOnThisMachine(here, []*End{a, b})) }
	switch {
	case !same:
		FlagOtherWork(r, Known(from.OtherProcesses)+Known(to.OtherProcesses), OtherWorkLimit)
	case x.PID == y.PID:
		FlagOtherWork(r, Known(from.OtherProcesses), otherWorkLimitTogether)
		r.CPU = append(
			r.CPU,
			record.CPU{Host: a.Host + "+" + b.Host, Core: -1, User: Known(from.User), System: Known(from.System),
				Threads: threads()},
		)
	default:
		// The other processes of one end include the other end.
		FlagOtherWork(r, max(0, Known(from.OtherProcesses)-Known(to.User)-Known(to.System)), otherWorkLimitTogether)
		r.CPU = append(r.CPU, record.CPU{Host: a.Host + "+" + b.Host, Core: -1,
			User: Known(from.User) + Known(to.User), System: Known(from.System) + Known(to.System), Threads: threads()})
	}
	if same {
		FlagSteal(r, a.Host)
	} else {
		FlagSteal(r, a.Host, b.Host)
	}
	r.PerCPU, r.Unknown = goodputPerCPU(r.Goodput, r.CPU), Unknowns([]*End{a, b}, here)
	FlagClocks(r, []*End{a, b})
}

// JoinCPU fills in the CPU rows of every host, once. Agents with the same boot id are on one machine: their processes
// are one row of core -1 under all names ("a+b+c"), see JoinPairCPU. With kernelCarries the kernel's own threads are a
// part of what is measured, as for storage.
func JoinCPU(r *record.Repeat, ends []*End, here *traffic.Work, kernelCarries bool) {
	type process struct {
		boot string
		pid  int
	}
	type machine struct {
		names        []string
		user, system float64
		others       float64
		known        bool
		rows         []record.CPU
		ends         []*End
	}
	var order []string
	var all []*End
	machines := map[string]*machine{}
	hosts, processes := map[string]bool{}, map[process]bool{}
	for _, e := range ends {
		if hosts[e.Host] {
			continue // every flow of a host reports the same
		}
		hosts[e.Host] = true
		c, h := e.Outcome.CPU, e.Client.Hello()
		if c.Unknown != "" {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s: CPU time is not known in full: %s", e.Host, c.Unknown))
		}
		key := h.BootID
		if key == "" {
			key = "host " + e.Host
		}
		m := machines[key]
		if m == nil {
			// The other processes of the first one include the other agents.
			m = &machine{others: Known(c.OtherProcesses) + Known(c.User) + Known(c.System), known: c.OtherProcesses != nil}
			machines[key] = m
			order = append(order, key)
		}
		m.names, m.ends = append(m.names, e.Host), append(m.ends, e)
		all = append(all, e)
		m.rows = append(m.rows, CoresOf(e.Host, c)...)
		if p := (process{key, h.PID}); !processes[p] {
			processes[p] = true
			m.user, m.system = m.user+Known(c.User), m.system+Known(c.System)
		}
	}
	var each []string // one of each machine
	for _, key := range order {
		m := machines[key]
		threads := ThreadsOf(m.ends, ifOnThisMachine(here, m.ends))
		r.CPU = append(
			append(r.CPU,
				record.CPU{Host: strings.Join(m.names, "+"), Core: -1, User: m.user, System: m.system, Threads: threads}),
			m.rows...)
		if kernelCarries { // else they are other work
			for _, t := range threads {
				if t.Kind == record.KernelThread {
					m.others -= t.User + t.System
				}
			}
		}
		limit := OtherWorkLimit
		if len(m.names) > 1 {
			limit = otherWorkLimitTogether
		}
		if m.known {
			FlagOtherWork(r, max(0, m.others-m.user-m.system), limit)
		}
		each = append(each, m.names[0])
	}
	FlagSteal(r, each...)
	r.PerCPU, r.Unknown = goodputPerCPU(r.Goodput, r.CPU), Unknowns(all, here)
	FlagClocks(r, all)
}

// Known returns a value, 0 if it is not known.
func Known(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// CoresInUse returns the CPU time of a host in cores, for all purposes; nil: not known.
func CoresInUse(c traffic.CPU) *float64 {
	if len(c.Cores) == 0 {
		return nil
	}
	sum := xslices.Sum(c.Cores, func(k traffic.Core) float64 { return k.User + k.System + k.SoftIRQ + k.IRQ })
	return &sum
}

// CoresOf returns the rows of a host's cores.
func CoresOf(host string, c traffic.CPU) []record.CPU {
	var out []record.CPU
	for _, k := range c.Cores {
		row := record.CPU{Host: host, Core: k.Core, User: k.User, System: k.System, SoftIRQ: k.SoftIRQ,
			IRQ: k.IRQ, Steal: k.Steal, Idle: k.Idle, Own: k.Own, Dropped: k.Dropped, Squeezed: k.Squeezed,
			HzBefore: k.HzBefore, Hz: k.Hz, BaseHz: k.BaseHz, Throttled: k.Throttled}
		if k.Packets != nil && c.Seconds > 0 {
			v := float64(*k.Packets) / c.Seconds
			row.Packets = &v
		}
		out = append(out, row)
	}
	return out
}

// CPUSamples converts the CPU rows of a repeat to samples at the interval's end: cpu.3.softirq of core 3,
// cpu.process.user of the measuring process, each as a share of one core.
func CPUSamples(r record.Repeat, interval time.Duration) []record.Sample {
	at := r.Start.Add(interval).UnixNano()
	var out []record.Sample
	for _, c := range r.CPU {
		name := "cpu.process"
		kinds := []cpuShare{{"user", c.User}, {"system", c.System}}
		if c.Core >= 0 {
			name = fmt.Sprintf("cpu.%d", c.Core)
			kinds = append(kinds, cpuShare{"softirq", c.SoftIRQ}, cpuShare{"irq", c.IRQ}, cpuShare{"steal", c.Steal},
				cpuShare{"idle", c.Idle})
		}
		for _, k := range kinds {
			out = append(out,
				record.Sample{End: c.Host, Stream: -1, TimeNS: at, Metric: name + "." + k.name, Value: k.share, Unit: "1"})
		}
	}
	return out
}

// cpuShare is the breakdown of a core's time.
type cpuShare struct {
	name  string
	share float64
}
