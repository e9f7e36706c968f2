package rdma

import (
	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// PortType checks that a port is Ethernet or InfiniBand as planned.
var PortType = check.Check{
	ID:    "port-type",
	Title: "Ethernet or InfiniBand, as the link is planned",
	Why: "a port of a VPI NIC is one or the other by a setting of its firmware, and NICs for InfiniBand come set to " +
		"InfiniBand. Then there is no Ethernet interface",
	Worst:  record.Error,
	Source: "NVIDIA, MFT: mlxconfig LINK_TYPE_P1",
	Look: func(w *check.World, r *check.Report) {
		seen := map[string]bool{}
		for p := range rdmaPorts(w) {
			if p.plan == nil || p.plan.Link == nil {
				continue
			}
			seen[p.plan.Port.ID] = true
			if p.plan.Link.InfiniBand && p.host.Facts.Lab != 0 {
				continue // a lab carries it as Ethernet, and reports that
			}
			layer, ok := p.port.LinkLayer.Get()
			if !ok || layer == unit.If(p.plan.Link.InfiniBand, "InfiniBand", "Ethernet") {
				continue
			}
			r.Found(portType(p.host, p.subject(), layer, p.plan.Port, p.evidence("link_layer")), p.about()...)
		}
		for _, h := range w.Hosts {
			if h.Plan == nil {
				continue
			}
			for _, port := range h.Plan.Ports {
				link := w.Plan.Link(port.Link)
				if port.Link == "" || link == nil || seen[port.ID] || link.InfiniBand || h.Facts.NIC(port.Interface) != nil {
					continue
				}
				// A port without an interface may be an InfiniBand one, if everything on the host that is not Ethernet is
				// InfiniBand.
				if p, ok := strayInfiniBand(w, h); ok {
					r.Found(portType(h, p.subject(), "InfiniBand", port, p.evidence("link_layer")),
						append(p.about(), h.Subject(port.Interface))...)
				}
			}
		}
	},
}

// strayInfiniBand returns an InfiniBand port of a host for which none is planned.
func strayInfiniBand(w *check.World, h *check.Host) (rdmaPort, bool) {
	for _, p := range h.Plan.Ports {
		if l := w.Plan.Link(p.Link); l != nil && l.InfiniBand {
			return rdmaPort{}, false
		}
	}
	for p := range rdmaPorts(w) {
		if p.host == h && p.plan == nil && p.infiniband() {
			return p, true
		}
	}
	return rdmaPort{}, false
}

func portType(h *check.Host, subject record.Subject, layer string, port *plan.Port,
	evidence []record.EvidenceLine) record.Finding {
	want, value, back := "Ethernet", "2", "1"
	if layer == "Ethernet" {
		want, value, back = "InfiniBand", "1", "2"
	}
	return record.Finding{
		Severity: record.Error, Subject: subject, Have: layer, Want: want + ", as the link " + port.Link + " is planned",
		Evidence: evidence, Consequence: "the link " + port.Link + " carries nothing",
		Fix: "mlxconfig -d " + mstDevice(h) + " set LINK_TYPE_P1=" + value + "\nLINK_TYPE_P2 is the second port; then " +
			"restart the machine; a NIC whose firmware does not take it is of one kind only",
		Undo: "mlxconfig -d " + mstDevice(h) + " set LINK_TYPE_P1=" + back + "\nthen restart the machine",
	}
}

// mstDevice returns the device that mlxconfig was called with, where that is known.
func mstDevice(h *check.Host) string {
	if len(h.Facts.Firmware) > 0 && h.Facts.Firmware[0].Device != "" {
		return h.Facts.Firmware[0].Device
	}
	return "DEVICE"
}

// SubnetManager checks that each InfiniBand fabric has a subnet manager.
var SubnetManager = check.Check{
	ID:    "no-subnet-manager",
	Title: "a subnet manager of each InfiniBand",
	Why: "a link of InfiniBand comes up by itself, but carries nothing until a subnet manager has given its ports " +
		"addresses",
	Worst:  record.Error,
	Source: "InfiniBand Architecture, volume 1, 14.4; ibstat: State: Initializing",
	Look: func(w *check.World, r *check.Report) {
		found := func(h *check.Host, subject record.Subject, e []record.EvidenceLine, about ...record.Subject) {
			r.Found(record.Finding{
				Severity: record.Error, Subject: subject, Have: "the link is up and was not given an address (Initializing)",
				Want:     "ACTIVE, by a subnet manager",
				Evidence: e, Consequence: "nothing but management goes over this port",
				Fix: "run a subnet manager on one host of the fabric (Debian: apt-get install opensm; systemctl enable --now " +
					"opensm) or on a switch that has one; sminfo reports whether there is one",
				Undo: "systemctl disable --now opensm",
			}, about...)
		}
		for p := range rdmaPorts(w) {
			if p.infiniband() && p.port.State.Or("") == "INIT" && p.port.PhysState.Or("") == "LinkUp" {
				found(p.host, p.subject(), p.evidence("state", "phys_state", "sm"), p.about()...)
			}
		}
		for h, l := range ibLinks(w) {
			if l.State == "INIT" && l.Phys == "LinkUp" {
				found(h, h.Subject(l.Node), []record.EvidenceLine{{Host: h.Name, Source: l.Source, Line: l.Line}},
					record.PartsOf(l.Node))
			}
		}
	},
}

// ibLinks returns the links of InfiniBand fabrics that hosts see.
func ibLinks(w *check.World) func(yield func(*check.Host, *facts.IBLink) bool) {
	return func(yield func(*check.Host, *facts.IBLink) bool) {
		for _, h := range w.Hosts {
			for i := range h.Facts.IBLinks {
				if !yield(h, &h.Facts.IBLinks[i]) {
					return
				}
			}
		}
	}
}
