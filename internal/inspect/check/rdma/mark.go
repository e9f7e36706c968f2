package rdma

import (
	"fmt"

	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// Unmarked checks the DSCP value that RoCE is sent with.
var Unmarked = check.Check{
	ID:    "rdma-unmarked",
	Title: "the mark that RoCE is sent with",
	Why: "a lossless class helps only what is sorted into it: RoCE is sent with DSCP 0 unless the host is configured " +
		"otherwise",
	Worst: record.Warning,
	Source: "mlnx-tools: cma_roce_tos; sysfs tc/1/traffic_class; measured by others: all bytes in priority 0 while " +
		"PFC was on for 3",
	Because: []string{"roce-version", "port-type"},
	Look: func(w *check.World, r *check.Report) {
		if w.Plan != nil && w.Plan.QoS() != nil && w.Plan.QoS().RoCEMark() >= 0 {
			mark := w.Plan.QoS().RoCEMark()
			for p := range rdmaPorts(w) {
				if p.plan != nil && !p.infiniband() && p.host.Plan.SpeaksRoCEv2(p.plan.Port) {
					unmarked(p, mark, r)
				}
			}
		}
		for _, h := range w.Hosts {
			for i := range h.Facts.NICs {
				inNoClass(h, &h.Facts.NICs[i], r)
			}
		}
	},
}

// unmarked compares the DSCP value that the host uses for RoCE with the planned mark.
func unmarked(p rdmaPort, mark int, r *check.Report) {
	tos := mark<<2 | 2
	f := record.Finding{Severity: record.Warning, Subject: p.subject(),
		Want: fmt.Sprintf("DSCP %d (type of service %d)", mark, tos)}
	f.Consequence = "it travels in no lossless class: a queue that fills drops it, and RoCE sends again from the lost " +
		"packet on"
	if have, ok := p.port.ToS.Get(); ok && have>>2 != mark {
		f.Have, f.Evidence = fmt.Sprintf("connections made by RDMA CM are sent with DSCP %d", have>>2), p.evidence("tos")
		f.Fix = fmt.Sprintf("cma_roce_tos -d %s -p %d -t %d", p.device.Name, p.port.Port, tos)
		f.Undo = fmt.Sprintf("cma_roce_tos -d %s -p %d -t %d", p.device.Name, p.port.Port, have)
		r.Found(f, p.about()...)
	} else if have, ok := p.port.TrafficClass.Get(); ok && have>>2 != mark {
		f.Have, f.Evidence = fmt.Sprintf("what is not connected by RDMA CM is sent with DSCP %d", have>>2),
			p.evidence("traffic class")
		f.Fix = fmt.Sprintf("echo %d > /sys/class/infiniband/%s/tc/%d/traffic_class", tos, p.device.Name, p.port.Port)
		f.Undo = fmt.Sprintf("echo %d > /sys/class/infiniband/%s/tc/%d/traffic_class", have, p.device.Name, p.port.Port)
		r.Found(f, p.about()...)
	} else if !p.port.ToS.IsKnown() && !p.port.TrafficClass.IsKnown() {
		r.NotKnownOf(p.subject(), "the mark of RoCE", "neither cma_roce_tos nor tc/%d/traffic_class of %s is in the snapshot",
			p.port.Port, p.device.Name)
	}
}

// enoughRDMA is the number of bytes from which on a counter shows the class of RDMA.
const enoughRDMA = 1e9

// inNoClass checks the driver's own counters for RDMA that was sent, with no byte in a paused priority.
func inNoClass(h *check.Host, n *facts.Interface, r *check.Report) {
	if n.Effect == nil || n.Driven["tx_vport_rdma_unicast_bytes"] < enoughRDMA {
		return
	}
	lossless, why := n.Effect.PFC()
	if why != "" || len(lossless) == 0 {
		return
	}
	f := record.Finding{Severity: record.Warning, Subject: h.Subject(n.Name),
		Have: fmt.Sprintf("%d bytes of RDMA were sent, none in a priority that PFC is on for",
			n.Driven["tx_vport_rdma_unicast_bytes"]),
		Want:        fmt.Sprintf("RoCE in priority %d", lossless[0]),
		Consequence: "a queue that fills drops it, and RoCE sends again from the lost packet on",
		Fix: "give RoCE the DSCP of that priority: cma_roce_tos -d DEVICE -t (DSCP x 4 + 2), and " +
			"tc/1/traffic_class of the device (ibdev2netdev names it)",
		Undo: "the same with 0"}
	source := "ethtool -S " + n.Name
	for _, k := range lossless {
		name := fmt.Sprintf("tx_prio%d_bytes", k)
		bytes, ok := n.Driven[name]
		if !ok || bytes > 0 {
			return
		}
		f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: source, Line: name + ": 0"})
	}
	if p, ok := n.Effect.Proofs["pfc"]; ok {
		f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: p.Source, Line: p.Line})
	}
	f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: source,
		Line: fmt.Sprintf("tx_vport_rdma_unicast_bytes: %d", n.Driven["tx_vport_rdma_unicast_bytes"])})
	r.Found(f, f.Subject)
}
