package host

import (
	"fmt"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// Steering checks the CPUs that an adapter's queues use (RPS, XPS).
var Steering = check.Check{
	ID:    "packet-steering",
	Title: "CPUs that a NIC's queues are given to (RPS, XPS)",
	Why: "with RPS the named CPUs do the work of receiving: one alone, or those of another node, bound it. " +
		"With XPS all may be made to send through one queue, and wait for its lock",
	Worst:  record.Warning,
	Source: "Documentation/networking/scaling.rst: RPS, XPS",
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			if h.Facts.Lab != 0 || h.Facts.CPUs().Or(0) < 2 {
				continue // hosts of a lab are one machine
			}
			for i := range h.Facts.NICs {
				n := &h.Facts.NICs[i]
				var rx, tx []facts.QueueCPUs
				for _, q := range n.Steered {
					if q.Transmit {
						tx = append(tx, q)
					} else {
						rx = append(rx, q)
					}
				}
				if n.Speed.Or(0) < check.FastLink && !w.Carries(h, n.Name) {
					continue
				}
				f, ok := receivedByOne(h, n, rx)
				if !ok {
					f, ok = receivedFar(h, n, rx)
				}
				if ok {
					f.Severity = w.There(h, n.Name, record.Warning)
					r.Found(f, h.Subject(n.Name))
				}
				if f, ok = sentByOne(h, n, tx); ok {
					f.Severity = w.There(h, n.Name, record.Warning)
					r.Found(f, h.Subject(n.Name))
				}
			}
		}
	},
}

// together returns the CPUs of all queues, and the number of queues that have any.
func together(queues []facts.QueueCPUs) (cpus map[int]bool, set int) {
	cpus = map[int]bool{}
	for _, q := range queues {
		if len(q.CPUs) > 0 {
			set++
		}
		for _, c := range q.CPUs.List() {
			cpus[c] = true
		}
	}
	return cpus, set
}

// receivedByOne reports whether several queues are all steered to one CPU. For a single queue that costs nothing: the
// CPU takes half of the work from the one that is interrupted.
func receivedByOne(h *check.Host, n *facts.Interface, rx []facts.QueueCPUs) (f record.Finding, ok bool) {
	cpus, set := together(rx)
	if set < 2 || set < len(rx) || len(cpus) != 1 {
		return f, false
	}
	f = steered(h, n, rx)
	f.Have = fmt.Sprintf("all %d receive queues are handed to CPU%d (RPS), of %d CPUs", set, rx[0].CPUs.List()[0],
		h.Facts.CPUs().Or(0))
	f.Want = "each queue served where its interrupt is: no RPS with several queues"
	f.Consequence = "what the NIC receives is bound by what one core does, as with one queue"
	return f, true
}

// receivedFar reports whether all received packets are steered to CPUs on nodes other than the NIC's.
func receivedFar(h *check.Host, n *facts.Interface, rx []facts.QueueCPUs) (f record.Finding, ok bool) {
	device := h.Facts.PCIAt(n.PCI)
	cpus, set := together(rx)
	if device == nil || device.NUMA.Or(-1) < 0 || set == 0 || set < len(rx) {
		return f, false
	}
	node, local, nodes := device.NUMA.Or(-1), []int(nil), 0
	for _, o := range h.Facts.NUMA {
		if len(o.CPUs) > 0 {
			nodes++
		}
		if o.Node == node {
			local = o.CPUs
		}
	}
	if nodes < 2 || len(local) == 0 {
		return f, false
	}
	for _, c := range local {
		if cpus[c] {
			return f, false
		}
	}
	f = steered(h, n, rx)
	f.Have = fmt.Sprintf("all that it receives is handed to CPUs away from its node %d (RPS)", node)
	f.Want = fmt.Sprintf("to CPUs of node %d, or no RPS", node)
	f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: device.From,
		Line: fmt.Sprintf("%s: numa_node %d", device.Address, node)})
	f.Consequence = "each packet crosses the link between the CPUs; how much that costs differs by machine: " +
		"measure with linerate pinned to either node"
	return f, true
}

// steered returns a finding about RPS: the fix switches it off, the undo restores it.
func steered(h *check.Host, n *facts.Interface, rx []facts.QueueCPUs) (f record.Finding) {
	f.Subject = h.Subject(n.Name)
	f.Evidence = proofsOf(h, rx)
	f.Fix = fmt.Sprintf("for q in /sys/class/net/%s/queues/rx-*; do echo 0 > $q/rps_cpus; done (and in what sets it at "+
		"boot)", n.Name)
	f.Undo = restore(rx)
	return f
}

// sentByOne reports whether every CPU sends through the same one of several queues. A CPU without a mask chooses its
// queue freely.
func sentByOne(h *check.Host, n *facts.Interface, tx []facts.QueueCPUs) (f record.Finding, ok bool) {
	cpus, set := together(tx)
	if len(tx) < 2 || set != 1 || len(cpus) < h.Facts.CPUs().Or(0) {
		return f, false
	}
	var one facts.QueueCPUs
	for _, q := range tx {
		if len(q.CPUs) > 0 {
			one = q
		}
	}
	return record.Finding{
		Subject: h.Subject(n.Name), Have: fmt.Sprintf("all %d CPUs send through queue tx-%d of %d (XPS)",
			h.Facts.CPUs().Or(0), one.Queue, len(tx)), Want: "a queue for each CPU, or no XPS",
		Evidence:    proofsOf(h, append([]facts.QueueCPUs{one}, tx...)),
		Consequence: "programs on several cores wait for that queue's lock, and one core frees what all of them sent",
		Fix: fmt.Sprintf("for q in /sys/class/net/%s/queues/tx-*; do echo 0 > $q/xps_cpus; done (the kernel "+
			"spreads flows then; setting the number of queues again, ethtool -L, has the driver give each CPU its queue)",
			n.Name),
		Undo: restore(tx),
	}, true
}

// proofsOf returns the lines of the first queues, each once.
func proofsOf(h *check.Host, queues []facts.QueueCPUs) (out []record.EvidenceLine) {
	for _, q := range queues {
		e := record.EvidenceLine{Host: h.Name, Source: q.Source, Line: q.Line}
		if len(out) < 2 && (len(out) == 0 || out[0] != e) {
			out = append(out, e)
		}
	}
	return out
}

// restore returns the commands that restore the present setting of the first queues.
func restore(queues []facts.QueueCPUs) string {
	var back []string
	for _, q := range queues {
		file, mask, _ := strings.Cut(q.Line, ":")
		if len(q.CPUs) > 0 && len(back) < 8 {
			back = append(back, fmt.Sprintf("echo %s > %s", mask, file))
		}
	}
	if _, set := together(queues); set > len(back) {
		back = append(back, "and so on")
	}
	return strings.Join(back, "; ")
}
