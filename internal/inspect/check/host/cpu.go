package host

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// Power checks the governor of the CPUs' clock.
var Power = check.Check{
	ID:    "cpu-power-state",
	Title: "what governs the CPUs' clock",
	Why:   "a core that is held at its lowest clock, or is slow to leave it, does less for each packet and answers later",
	Worst: record.Warning,
	Source: "Documentation/admin-guide/pm/cpufreq.rst; Dasharo/coreboot pull request 512: 2.0 against 2.35 Gb/s with " +
		"hardware control of the clock",
	Look: func(w *check.World, r *check.Report) {
		windowsPower(w, r)
		for _, h := range w.Hosts {
			v := h.Facts.CPU.Frequency
			if v == nil || h.Facts.Lab != 0 {
				continue // hosts of a lab are one machine
			}
			for _, g := range v.Governors {
				f := record.Finding{
					Severity: record.Warning, Subject: h.Subject("processors"), Want: "performance, on a host whose network is to " +
						"be fast",
					Evidence: []record.EvidenceLine{{Host: h.Name, Source: g.Source, Line: g.Line}},
					Fix:      "cpupower frequency-set -g performance", Undo: "cpupower frequency-set -g " + g.Name,
				}
				// These two drivers leave the clock to the CPU, and call that powersave.
				itself := v.Driver == "intel_pstate" || v.Driver == "amd-pstate-epp"
				switch {
				case g.Name == "powersave" && !itself:
					f.Have = fmt.Sprintf("powersave, at %s: the lowest clock always", cpus(g.CPUs))
					if v.Driver == "" {
						f.Have = fmt.Sprintf("powersave, at %s: with most drivers the lowest clock always", cpus(g.CPUs))
					}
					f.Consequence = "all work of the CPUs takes as much longer as their lowest clock is below their highest"
				case g.Name == "powersave" && v.Prefers == "power" && w.Fastest(h) >= check.FastLink:
					f.Have = fmt.Sprintf("powersave with the preference power, at %s", cpus(g.CPUs))
					f.Consequence = "the clock rises late, and single questions and answers wait for it; how much that costs shows " +
						"a measurement with the governor performance"
				case g.Name != "performance" && w.Fastest(h) >= check.FastLink:
					f.Severity = record.Info
					f.Have = fmt.Sprintf("%s, at %s", g.Name, cpus(g.CPUs))
					f.Consequence = "latencies scatter more; throughput seldom suffers, as the clock rises under load"
				default:
					continue
				}
				r.Found(f, h.Subject())
			}
		}
	},
}

func cpus(list []int) string {
	if len(list) == 1 {
		return "1 CPU"
	}
	return fmt.Sprintf("%d CPUs", len(list))
}

// Quota checks for limits on CPU time by a container, a service or a hypervisor.
var Quota = check.Check{
	ID:    "cpu-quota",
	Title: "CPU time that a container, a service or the machine below leaves",
	Why: "who has used up his share of a period waits for the next one, and with him all that he was to send or to " +
		"receive",
	Worst: record.Error,
	Source: "Documentation/admin-guide/cgroup-v2.rst: cpu.max, cpu.stat; proc(5): steal; measured in the lab: 392 Mb/s " +
		"of 1 Gb/s, 56 of 60 periods throttled",
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			if h.Facts.Lab != 0 {
				continue // hosts of a lab are one machine
			}
			for _, q := range h.Facts.Quotas {
				share := float64(q.Throttled) / float64(max(q.Periods, 1))
				if q.CPUs == 0 || q.Throttled < 100 && share < 0.1 || share < 0.01 {
					continue
				}
				f := record.Finding{
					Severity: record.Warning, Subject: h.Subject("control group " + q.Group),
					Have: fmt.Sprintf("%.3g CPUs' worth of time, and it ran out in %s of %s periods", q.CPUs,
						check.Count(q.Throttled), check.Count(q.Periods)),
					Want: "a limit that is never met while data is moved", Evidence: []record.EvidenceLine{{Host: h.Name,
						Source: q.Source, Line: q.Line}, {Host: h.Name, Source: q.ThrottledProof.Source, Line: q.ThrottledProof.Line}},
					Consequence: "linerate was started in this group, and what runs in it stands still for the rest of such a " +
						"period (0.1 s as a rule)",
					Fix: "echo max > " + q.Group + "/cpu.max\nthat lasts until the service or the container starts again; " +
						"for good, of a service:\nsystemctl set-property UNIT CPUQuota=\nof a container: docker update --cpus 0 NAME",
					Undo: fmt.Sprintf("CPUQuota=%.0f%%, or the value of cpu.max above", 100*q.CPUs),
				}
				if share >= 0.1 {
					f.Severity = record.Error
				}
				r.Found(f, h.Subject())
			}
			if share, line := stealTime(h.Facts.CPU.Cores); share >= 0.05 {
				r.Found(record.Finding{
					Severity: record.Warning, Subject: h.Subject("processors"),
					Have:        unit.Percent(share) + " of their time since boot went to other guests of the machine below (steal)",
					Want:        "none",
					Evidence:    []record.EvidenceLine{{Host: h.Name, Source: "proc/stat", Line: line}},
					Consequence: "the guest stands still meanwhile, and so does what it sends and receives",
					Fix:         "fewer guests on that machine, or CPUs of its own for this one (pinning, a dedicated instance)",
				}, h.Subject())
			}
		}
	},
}

// stealTime returns other guests' share of the time of all CPUs; it is zero until an hour of CPU time was counted.
func stealTime(cores []facts.CoreTime) (share float64, line string) {
	var steal, all float64
	for _, c := range cores {
		steal += c.Steal
		all += c.User + c.Nice + c.System + c.Idle + c.IOWait + c.IRQ + c.SoftIRQ + c.Steal
	}
	if all < 3600 {
		return 0, ""
	}
	return steal / all, fmt.Sprintf("cpu: steal %.0f s of %.0f s", steal, all)
}

// Budget checks for softirq rounds that exceeded their budget.
var Budget = check.Check{
	ID:    "softirq-budget",
	Title: "rounds of receiving that were cut off",
	Why: "a core takes in netdev_budget packets a round at most; cut off every time it falls behind, and the NIC's " +
		"ring fills up",
	Worst: record.Warning,
	Source: "Documentation/admin-guide/sysctl/net.rst; measured in the lab: 132 in place of 231 Mb/s at 49 %, nothing " +
		"at 0.1 %",
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			if h.Facts.Lab != 0 {
				continue // the counters are those of the machine, not of the host
			}
			worst := facts.SoftnetCPU{}
			for _, c := range h.Facts.Softnet {
				if c.TimeSqueeze > c.Processed { // both have 32 bits, and the packets' wrapped, so that their ratio is meaningless
					continue
				}
				if c.TimeSqueeze >= 1e5 && check.Portion(c.TimeSqueeze, c.Processed) >= 0.1 && c.TimeSqueeze > worst.TimeSqueeze {
					worst = c
				}
			}
			if worst.TimeSqueeze == 0 {
				continue
			}
			undo := "sysctl -w net.core.netdev_budget=.. net.core.netdev_budget_usecs=.., as they were before"
			if budget, ok := h.Facts.Sysctl("net.core.netdev_budget"); ok {
				undo = "sysctl -w net.core.netdev_budget=" + budget
				if usecs, ok := h.Facts.Sysctl("net.core.netdev_budget_usecs"); ok {
					undo += " net.core.netdev_budget_usecs=" + usecs
				}
			}
			r.Found(record.Finding{
				Severity: record.Warning, Subject: h.Subject(fmt.Sprintf("core %d", worst.Core)),
				Have: fmt.Sprintf("%s rounds were cut off while %s packets were taken in", check.Count(worst.TimeSqueeze),
					check.Count(worst.Processed)), Want: "at most one in a hundred packets",
				Evidence: []record.EvidenceLine{{Host: h.Name, Source: "proc/net/softnet_stat",
					Line: fmt.Sprintf("core %d: processed %d, time_squeeze %d", worst.Core, worst.Processed, worst.TimeSqueeze)}},
				Consequence: "the core has more to receive than it gets to; the ring of the NIC fills up meanwhile",
				Fix: "spread the queues over cores first; then sysctl -w net.core.netdev_budget=600 " +
					"net.core.netdev_budget_usecs=8000",
				Undo: undo,
			}, h.Subject(fmt.Sprint(worst.Core)))
		}
	},
}

// Memlock checks the limit of locked memory, for RDMA.
var Memlock = check.Check{
	ID:     "memlock",
	Title:  "memory that a user may lock, for RDMA",
	Why:    "RDMA locks every buffer in memory; above the limit a program cannot register it, and ends or falls back",
	Worst:  record.Warning,
	Source: "getrlimit(2): RLIMIT_MEMLOCK; ibv_reg_mr(3)",
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			m := h.Facts.Memlock
			soft, known := m.Soft.Get()
			if !known || len(h.Facts.RDMA) == 0 {
				continue
			}
			bound, reported := m.Bound.Get()
			if reported && !bound {
				if check.WantsRDMA(h) {
					r.NotKnown(h.Name+": locked memory", "linerate ran as a user whom the limit does not bind (CAP_IPC_LOCK); "+
						"ulimit -l as the user who moves the data says what binds him")
				}
				continue
			}
			if soft < 0 || soft >= enoughLocked {
				continue
			}
			r.Found(record.Finding{
				Severity:    record.Warning,
				Subject:     h.Subject("locked memory"),
				Have:        "up to " + soft.String(),
				Want:        "unlimited, for users of RDMA",
				Evidence:    []record.EvidenceLine{{Host: h.Name, Source: m.Source, Line: m.Line}},
				Consequence: "programs that register larger buffers for RDMA fail: cannot allocate memory",
				Fix:         `printf '* soft memlock unlimited\n* hard memlock unlimited\n' > /etc/security/limits.d/rdma.conf, and log in again; services: LimitMEMLOCK=infinity`,
				Undo:        "rm /etc/security/limits.d/rdma.conf",
			}, h.Subject())
		}
	},
}

// enoughLocked is the memory of a few queues and buffers of RDMA.
const enoughLocked = 64 << 20
