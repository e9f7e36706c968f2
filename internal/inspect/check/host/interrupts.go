package host

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// busy is the number of interrupts of a NIC above which one CPU that serves them all is reported.
const busy = 1_000_000_000

// OneQueue checks that the interrupts of an adapter are spread over the CPUs.
var OneQueue = check.Check{
	ID:     "one-rx-queue",
	Title:  "interrupts of a NIC over the CPUs",
	Why:    "the CPU that is interrupted does all the work of receiving: one core bears a few Gb/s to some tens",
	Worst:  record.Error,
	Source: "Documentation/networking/scaling.rst; proc(5): /proc/interrupts",
	Look: func(w *check.World, r *check.Report) {
		fellBack(w, r)
		windowsOneQueue(w, r)
		setToOne(w, r)
		for _, h := range w.Hosts {
			in := h.Facts.Interrupts
			if in == nil || len(in.CPUs) < 2 || h.Facts.Lab != 0 {
				continue // hosts of a lab are one machine
			}
			devices, lines := byDevice(h.Facts)
			for _, device := range devices {
				if n := h.Facts.NIC(device); n != nil && n.RPS.Or(false) {
					continue // RPS passes received packets to other CPUs
				}
				cpu, most, total := mostServed(lines[device])
				if total < busy || float64(most) < 0.95*float64(total) {
					continue
				}
				own := lines[device]
				proof := own[0]
				if i := slices.IndexFunc(own, func(i facts.Interrupt) bool { return i.Total >= busy }); i >= 0 {
					proof = own[i]
				} else {
					for _, i := range own {
						if i.Total > proof.Total {
							proof = i
						}
					}
				}
				f := record.Finding{
					Severity: w.There(h, device, record.Warning), Subject: check.SubjectOf(h, device),
					Have: fmt.Sprintf("%s of its %s interrupts were served by CPU%d, of %d CPUs",
						unit.Percent(float64(most)/float64(total)), check.Count(total), cpu, len(in.CPUs)),
					Want:        "spread over CPUs",
					Evidence:    []record.EvidenceLine{{Host: h.Name, Source: "proc/interrupts", Line: lineOf(proof, cpu)}},
					Consequence: "what the NIC receives is bound by what one core does",
				}
				if slices.ContainsFunc(r.Findings, func(g record.Finding) bool { return g.Subject.Is(f.Subject) }) {
					continue // it has one queue, which is said already
				}
				f.Fix, f.Undo = spread(device, own, len(in.CPUs))
				r.Found(f, check.About(h, device)...)
			}
		}
	},
}

// setToOne reports NICs that are configured to use one of several queues.
func setToOne(w *check.World, r *check.Report) {
	for p := range w.Ports() {
		n, h := p.Nic, p.Host
		queues, known := n.Queues.Get()
		most, can := n.MostQueues.Get()
		cpus := h.Facts.CPUs().Or(0)
		if !known || !can || queues != 1 || most < 2 || cpus < 2 || n.PCI == "" || n.RPS.Or(false) ||
			p.Port.Speed < check.FastLink || h.Facts.Lab != 0 || slices.Contains(virtualNICs, n.Driver.Or("")) {
			continue
		}
		r.Found(record.Finding{
			Severity: record.Warning, Subject: p.Subject(), Have: fmt.Sprintf("1 receive queue of %d that the NIC can have",
				most), Want: fmt.Sprintf("one for each of the %d CPUs, or 8", cpus),
			Evidence: []record.EvidenceLine{{Host: h.Name, Source: "ethtool -l " + n.Name,
				Line: fmt.Sprintf("%s: 1 receive queue, at most %d", n.Name, most)}},
			Consequence: "what the NIC receives is bound by what one core does",
			Fix:         fmt.Sprintf("ethtool -L %s combined %d", n.Name, min(most, cpus, 8)),
			Undo:        "ethtool -L " + n.Name + " combined 1",
		}, p.Subject())
	}
}

// fellBack reports NICs whose drivers fell back to one queue.
func fellBack(w *check.World, r *check.Report) {
	for _, h := range w.Hosts {
		for _, e := range h.Facts.Events {
			if e.What != facts.OneQueue {
				continue
			}
			f := record.Finding{
				Severity: record.Warning, Subject: check.SubjectOf(h, e.Subject), Have: "its driver works with one receive queue",
				Want:        "a queue for each core",
				Evidence:    []record.EvidenceLine{{Host: h.Name, Source: e.Source, Line: e.Line}},
				Consequence: "what the NIC receives is bound by what one core does",
				Fix: "give the driver what it says that it misses (the ice driver: its DDP package, of the same " +
					"release), then load it again",
			}
			if h.Traits().Ifconfig {
				f.Fix = "if it is the ice driver, its package is missing: ice_ddp_load=\"YES\" in /boot/loader.conf, then " +
					"restart; else look what the driver says before (dmesg), and at hw.*.num_queues, dev.*.iflib.override_nrxqs " +
					"and hw.pci.enable_msix in /boot/loader.conf"
				f.Undo = "take the line out of /boot/loader.conf and restart"
			}
			if e.Rate.Or(0) >= 100e9 {
				f.Severity = record.Error
			}
			f.Severity = w.There(h, e.Subject, f.Severity)
			r.Found(f, check.About(h, e.Subject)...)
		}
	}
}

// lineOf returns the interrupt's line, or its content where the line was not kept.
func lineOf(i facts.Interrupt, cpu int) string {
	if i.Line != "" {
		return i.Line
	}
	for _, s := range i.Served {
		if s.CPU == cpu {
			return fmt.Sprintf("%d: %s: CPU%d %d of %d", i.Number, i.Name, cpu, s.Count, i.Total)
		}
	}
	return fmt.Sprintf("%d: %s: %d", i.Number, i.Name, i.Total)
}

// spread returns the command that spreads interrupts over CPUs, and its undo. The counters do not have the previous
// affinity.
func spread(device string, own []facts.Interrupt, cpus int) (fix, undo string) {
	queues := xslices.Filter(own, func(i facts.Interrupt) bool { return i.Total > 1000 })
	if len(queues) < 2 {
		mask := strconv.FormatUint(1<<min(cpus, 32)-1, 16)
		return fmt.Sprintf("more queues if the NIC has them (ethtool -l %s; ethtool -L %s combined %d); else hand "+
				"packets to other cores: echo %s > /sys/class/net/%s/queues/rx-0/rps_cpus", device, device, min(cpus, 8), mask,
				device),
			fmt.Sprintf("echo 0 > /sys/class/net/%s/queues/rx-0/rps_cpus", device)
	}
	var to, back []string
	for n, i := range queues {
		to = append(to, fmt.Sprintf("echo %d > /proc/irq/%d/smp_affinity_list", n%cpus, i.Number))
		back = append(back, strconv.Itoa(i.Number))
	}
	return "start irqbalance, or give each queue a core: " + strings.Join(to, "; "),
		"what was there before; keep it first: grep . /proc/irq/" + "{" + strings.Join(back, ",") + "}/smp_affinity_list"
}

// byDevice returns the interrupts of each network device, in order.
func byDevice(f *facts.Facts) (devices []string, lines map[string][]facts.Interrupt) {
	lines = map[string][]facts.Interrupt{}
	taken := map[int]bool{}
	add := func(device string, i facts.Interrupt) {
		if taken[i.Number] {
			return
		}
		taken[i.Number] = true
		if lines[device] == nil {
			devices = append(devices, device)
		}
		lines[device] = append(lines[device], i)
	}
	for k := range f.NICs {
		for _, i := range f.InterruptsOf(&f.NICs[k]) {
			add(f.NICs[k].Name, i)
		}
	}
	for _, i := range f.Interrupts.Lines {
		if i.Device != "" {
			add(i.Device, i)
		}
	}
	return devices, lines
}

// mostServed returns the CPU that served most of the interrupts.
func mostServed(list []facts.Interrupt) (cpu int, most, total uint64) {
	of := map[int]uint64{}
	for _, i := range list {
		total += i.Total
		for _, s := range i.Served {
			of[s.CPU] += s.Count
		}
	}
	for c, n := range of {
		if n > most || n == most && c < cpu {
			cpu, most = c, n
		}
	}
	return cpu, most, total
}

// virtualNICs are the drivers of NICs of virtual machines.
var virtualNICs = []string{"virtio_net", "vmxnet3", "hv_netvsc", "xen_netfront", "ena"}

// VirtualQueue checks the number of queues of a virtual machine's adapter.
var VirtualQueue = check.Check{
	ID:     "vnic-single-queue",
	Title:  "queues of a virtual machine's NIC",
	Why:    "with one queue one virtual CPU, and one thread of the host below, does all the work of the NIC",
	Worst:  record.Warning,
	Source: "ethtool(8), -l; QEMU's network devices (queues=N); Microsoft Learn: vRSS, VMMQ",
	Look: func(w *check.World, r *check.Report) {
		windowsVirtualQueue(w, r)
		for p := range w.Ports() {
			driver := p.Nic.Driver.Or("")
			queues, known := p.Nic.Queues.Get()
			cpus := p.Host.Facts.CPUs().Or(0)
			if !slices.Contains(virtualNICs, driver) || !known || queues != 1 || cpus < 2 ||
				p.Port.Speed < check.FastLink || p.Host.Facts.Lab != 0 || p.Nic.RPS.Or(false) {
				continue
			}
			r.Found(record.Finding{
				Severity: record.Warning, Subject: p.Subject(), Have: "1 queue",
				Want: fmt.Sprintf("as many as CPUs, or 8 (there are %d)", cpus),
				Evidence: []record.EvidenceLine{{Host: p.Host.Name, Source: "ethtool -l " + p.Nic.Name,
					Line: fmt.Sprintf("%s (%s): 1 receive queue", p.Nic.Name, driver)}},
				Consequence: "what it receives is bound by what one virtual CPU does",
				Fix: fmt.Sprintf("ethtool -l %s\nthat shows how many it was given (N):\nethtool -L %s combined N\nelse more in "+
					"the machine's definition (QEMU: queues=N on the netdev, mq=on and vectors=2N+2 on the device)", p.Nic.Name,
					p.Nic.Name),
				Undo: "ethtool -L " + p.Nic.Name + " combined 1",
			}, p.Subject())
		}
	},
}

// NUMA checks that the CPUs that serve an adapter are on its NUMA node.
var NUMA = check.Check{
	ID:     "numa-remote",
	Title:  "the CPUs that serve a NIC, against the node that it is on",
	Why:    "data of a NIC on another node crosses the link between the CPUs, and waits for memory there",
	Worst:  record.Warning,
	Source: "openucx/ucx issue 7449: 7.2, 8.4 and 12.0 GB/s by socket; proc(5), sysfs: numa_node",
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			nodes := xslices.Count(h.Facts.NUMA, func(n facts.NUMANode) bool { return len(n.CPUs) > 0 })
			if nodes < 2 {
				continue
			}
			for i := range h.Facts.NICs {
				n := &h.Facts.NICs[i]
				device := h.Facts.PCIAt(n.PCI)
				if device == nil || device.NUMA.Or(-1) < 0 || n.Speed.Or(0) < check.FastLink {
					continue
				}
				if f, ok := remote(h, n, device.NUMA.Or(-1)); ok {
					f.Severity = w.There(h, n.Name, record.Warning)
					f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: device.From,
						Line: fmt.Sprintf("%s: numa_node %d", device.Address, device.NUMA.Or(-1))})
					r.Found(f, h.Subject(n.Name))
				}
			}
		}
	},
}

// remote reports whether a NIC's interrupts go to nodes other than its own: by the served interrupts, or else by their
// affinity.
func remote(h *check.Host, n *facts.Interface, node int) (record.Finding, bool) {
	f := record.Finding{
		Subject: h.Subject(n.Name), Want: fmt.Sprintf("on CPUs of node %d, where the NIC is", node),
		Consequence: "each packet crosses the link between the CPUs; how much that costs differs by machine: " +
			"measure with linerate pinned to either node",
	}
	var local []int
	for _, o := range h.Facts.NUMA {
		if o.Node == node {
			local = o.CPUs
		}
	}
	if len(local) == 0 {
		return f, false
	}
	f.Fix = fmt.Sprintf("stop irqbalance, then for each of its interrupts: echo %d-%d > /proc/irq/N/smp_affinity_list "+
		"(which CPUs of the node are free is to be looked at first)", local[0], local[len(local)-1])
	f.Undo = "start irqbalance"
	var here, total uint64
	most := facts.Interrupt{}
	for _, i := range h.Facts.InterruptsOf(n) {
		total += i.Total
		for _, s := range i.Served {
			if slices.Contains(local, s.CPU) {
				here += s.Count
			}
		}
		if i.Total > most.Total {
			most = i
		}
	}
	if total >= 1e6 {
		if 2*here >= total {
			return f, false
		}
		cpu, _, _ := mostServed([]facts.Interrupt{most})
		f.Have = fmt.Sprintf("%s of its %s interrupts were served by other nodes",
			unit.Percent(float64(total-here)/float64(total)), check.Count(total))
		f.Evidence = []record.EvidenceLine{{Host: h.Name, Source: "proc/interrupts", Line: lineOf(most, cpu)}}
		return f, true
	}
	seen := false
	for _, irq := range n.IRQs {
		if irq.CPUs == nil {
			continue
		}
		seen = true
		if slices.ContainsFunc(irq.CPUs, func(c int) bool { return slices.Contains(local, c) }) {
			return f, false
		}
		f.Evidence = []record.EvidenceLine{{Host: h.Name, Source: irq.Source, Line: irq.Line}}
	}
	f.Have = "its interrupts may be served by other nodes alone"
	return f, seen
}
