package check

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

var checkPower = Check{
	ID:     "cpu-power-state",
	Title:  "what governs the processors' clock",
	Why:    "a core that is held at its lowest clock, or is slow to leave it, does less for each packet and answers later",
	Worst:  record.Warning,
	Source: "Documentation/admin-guide/pm/cpufreq.rst; Dasharo/coreboot pull request 512: 2.0 against 2.35 Gb/s with hardware control of the clock",
	look: func(w *World, r *report) {
		windowsPower(w, r)
		for _, h := range w.Hosts {
			v := h.Facts.CPU.Frequency
			if v == nil || h.Facts.Lab != 0 {
				continue // hosts of a lab are one machine
			}
			for _, g := range v.Governors {
				f := record.Finding{
					Severity: record.Warning, Subject: h.Name + ": processors", Want: "performance, on a host whose network is to be fast",
					Evidence: []record.EvidenceLine{{Host: h.Name, Source: g.Source, Line: g.Line}},
					Fix:      "cpupower frequency-set -g performance", Undo: "cpupower frequency-set -g " + g.Name,
				}
				// These two drivers leave the clock to the processor, and powersave is their usual word for it.
				itself := v.Driver == "intel_pstate" || v.Driver == "amd-pstate-epp"
				switch {
				case g.Name == "powersave" && !itself:
					f.Have = fmt.Sprintf("powersave, at %s: the lowest clock always", processors(g.CPUs))
					if v.Driver == "" {
						f.Have = fmt.Sprintf("powersave, at %s: with most drivers the lowest clock always", processors(g.CPUs))
					}
					f.Consequence = "all work of the processors takes as much longer as their lowest clock is below their highest"
				case g.Name == "powersave" && v.Prefers == "power" && w.fastest(h) >= fast:
					f.Have = fmt.Sprintf("powersave with the preference power, at %s", processors(g.CPUs))
					f.Consequence = "the clock rises late, and single questions and answers wait for it; how much that costs shows a measurement with the governor performance"
				case g.Name != "performance" && w.fastest(h) >= fast:
					f.Severity = record.Info
					f.Have = fmt.Sprintf("%s, at %s", g.Name, processors(g.CPUs))
					f.Consequence = "latencies scatter more; throughput seldom suffers, as the clock rises under load"
				default:
					continue
				}
				r.found(f, h.Name)
			}
		}
	},
}

func processors(list []int) string {
	if len(list) == 1 {
		return "1 processor"
	}
	return fmt.Sprintf("%d processors", len(list))
}

// fastest is the rate of the fastest link of the plan on a host; 0: there is no plan, or no link.
func (w *World) fastest(h *Host) (rate unit.BitRate) {
	for _, p := range w.plugged(h) {
		rate = max(rate, p.port.Speed)
	}
	return rate
}

var checkQuota = Check{
	ID:     "cpu-quota",
	Title:  "processor time that a container, a service or the machine below leaves",
	Why:    "who has used up his share of a period waits for the next one, and with him all that he was to send or to receive",
	Worst:  record.Error,
	Source: "Documentation/admin-guide/cgroup-v2.rst: cpu.max, cpu.stat; proc(5): steal; measured in the lab: 392 Mb/s of 1 Gb/s, 56 of 60 periods throttled",
	look: func(w *World, r *report) {
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
					Severity: record.Warning, Subject: h.Name + ": control group " + q.Group,
					Have: fmt.Sprintf("%.3g processors' worth of time, and it ran out in %s of %s periods", q.CPUs, count(q.Throttled), count(q.Periods)),
					Want: "a limit that is never met while data is moved", Evidence: []record.EvidenceLine{{Host: h.Name, Source: q.Source, Line: q.Line}, {Host: h.Name, Source: q.ThrottledProof.Source, Line: q.ThrottledProof.Line}},
					Consequence: "linerate was started in this group, and what runs in it stands still for the rest of such a period (0.1 s as a rule)",
					Fix:         "systemctl set-property UNIT CPUQuota= (a service), docker update --cpus 0 NAME (a container), or echo max > " + q.Group + "/cpu.max",
					Undo:        fmt.Sprintf("CPUQuota=%.0f%%, or the value of cpu.max above", 100*q.CPUs),
				}
				if share >= 0.1 {
					f.Severity = record.Error
				}
				r.found(f, h.Name)
			}
			if share, line := stolen(h.Facts.CPU.Cores); share >= 0.05 {
				r.found(record.Finding{
					Severity: record.Warning, Subject: h.Name + ": processors",
					Have: fmt.Sprintf("%.0f %% of their time since boot went to other guests of the machine below (steal)", 100*share), Want: "none",
					Evidence:    []record.EvidenceLine{{Host: h.Name, Source: "proc/stat", Line: line}},
					Consequence: "the guest stands still meanwhile, and so does what it sends and receives",
					Fix:         "fewer guests on that machine, or processors of its own for this one (pinning, a dedicated instance)",
				}, h.Name)
			}
		}
	},
}

// stolen is the share of all processors' time that other guests had; nothing before an hour's worth of it was counted.
func stolen(cores []facts.CoreTime) (share float64, line string) {
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

var checkBudget = Check{
	ID:     "softirq-budget",
	Title:  "rounds of receiving that were cut off",
	Why:    "a core takes in netdev_budget packets a round at most; cut off every time it falls behind, and the card's ring fills up",
	Worst:  record.Warning,
	Source: "Documentation/admin-guide/sysctl/net.rst; measured in the lab: 132 in place of 231 Mb/s at 49 %, nothing at 0.1 %",
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			if h.Facts.Lab != 0 {
				continue // the counters are the machine's, not the host's
			}
			worst := facts.SoftnetCPU{}
			for _, c := range h.Facts.Softnet {
				if c.TimeSqueeze > c.Processed { // both have 32 bits: that of the packets began anew, and their ratio says nothing
					continue
				}
				if c.TimeSqueeze >= 1e5 && portion(c.TimeSqueeze, c.Processed) >= 0.1 && c.TimeSqueeze > worst.TimeSqueeze {
					worst = c
				}
			}
			if worst.TimeSqueeze == 0 {
				continue
			}
			undo := "sysctl -w net.core.netdev_budget=.. net.core.netdev_budget_usecs=.., as they stood before"
			if budget, ok := h.Facts.Sysctl("net.core.netdev_budget"); ok {
				undo = "sysctl -w net.core.netdev_budget=" + budget
				if usecs, ok := h.Facts.Sysctl("net.core.netdev_budget_usecs"); ok {
					undo += " net.core.netdev_budget_usecs=" + usecs
				}
			}
			r.found(record.Finding{
				Severity: record.Warning, Subject: fmt.Sprintf("%s: core %d", h.Name, worst.Core),
				Have: fmt.Sprintf("%s rounds were cut off while %s packets were taken in", count(worst.TimeSqueeze), count(worst.Processed)), Want: "at most one in a hundred packets",
				Evidence:    []record.EvidenceLine{{Host: h.Name, Source: "proc/net/softnet_stat", Line: fmt.Sprintf("core %d: processed %d, time_squeeze %d", worst.Core, worst.Processed, worst.TimeSqueeze)}},
				Consequence: "the core has more to receive than it gets to; the ring of the card fills up meanwhile",
				Fix:         "spread the queues over cores first; then sysctl -w net.core.netdev_budget=600 net.core.netdev_budget_usecs=8000",
				Undo:        undo,
			}, fmt.Sprintf("%s: %d", h.Name, worst.Core))
		}
	},
}

var checkMemlock = Check{
	ID:     "memlock",
	Title:  "memory that a user may lock, for RDMA",
	Why:    "RDMA locks every buffer in memory; above the limit a program cannot register it, and ends or falls back",
	Worst:  record.Warning,
	Source: "getrlimit(2): RLIMIT_MEMLOCK; ibv_reg_mr(3)",
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			m := h.Facts.Memlock
			soft, known := m.Soft.Get()
			if !known || len(h.Facts.RDMA) == 0 {
				continue
			}
			bound, told := m.Bound.Get()
			if told && !bound {
				if wantsRDMA(h) {
					r.notKnown(h.Name+": locked memory", "linerate ran as a user whom the limit does not bind (CAP_IPC_LOCK); ulimit -l as the user who moves the data says what binds him")
				}
				continue
			}
			if soft < 0 || soft >= enoughLocked {
				continue
			}
			r.found(record.Finding{
				Severity: record.Warning, Subject: h.Name + ": locked memory", Have: "up to " + soft.String(), Want: "unlimited, for users of RDMA",
				Evidence:    []record.EvidenceLine{{Host: h.Name, Source: m.Source, Line: m.Line}},
				Consequence: "programs that register larger buffers for RDMA fail: cannot allocate memory",
				Fix:         `printf '* soft memlock unlimited\n* hard memlock unlimited\n' > /etc/security/limits.d/rdma.conf, and log in again; services: LimitMEMLOCK=infinity`,
				Undo:        "rm /etc/security/limits.d/rdma.conf",
			}, h.Name)
		}
	},
}

// enoughLocked is what a few queues and buffers of RDMA take.
const enoughLocked = 64 << 20
