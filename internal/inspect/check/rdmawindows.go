package check

import (
	"fmt"

	"linerate/internal/facts"
	"linerate/internal/record"
)

// transport is the RDMA that the plan has at a port; empty: none, or its card is not declared.
func (p plugged) transport() string {
	if p.host.Plan == nil {
		return ""
	}
	for _, n := range p.host.Plan.Decl.NICs {
		if n.Name == p.port.Card && n.RDMA != "none" {
			return n.RDMA
		}
	}
	return ""
}

var checkRDMADisabled = Check{
	ID:      "rdma-disabled",
	Title:   "RDMA on where the plan has it",
	Why:     "without it SMB Direct and whatever else wants RDMA falls back to TCP, without a word",
	Worst:   record.Error,
	Source:  "Microsoft Learn: Get-NetAdapterRdma, Set-NetOffloadGlobalSetting -NetworkDirect",
	Because: []string{"no-interface", "link-down"},
	look: func(w *World, r *report) {
		machine := map[string]bool{}
		for p := range w.ports() {
			h := p.host
			if h.system() != "windows" || p.transport() == "" || p.transport() == "ib" {
				continue
			}
			f := record.Finding{Severity: record.Error, Subject: p.subject(), Want: "on: the plan has " + p.transport() + " there", Consequence: "what is to go over RDMA goes over TCP, or not at all"}
			if v := h.Facts.Windows; v != nil && v.NetworkDirect.IsKnown() && !v.NetworkDirect.Or(true) {
				if !machine[h.Name] {
					f.Subject, f.Have = h.Name+": all adapters", "RDMA is off for the whole machine (NetworkDirect)"
					f.Evidence = []record.EvidenceLine{proven(h, v.Proofs["networkdirect"])}
					f.Fix, f.Undo = "Set-NetOffloadGlobalSetting -NetworkDirect Enabled", "Set-NetOffloadGlobalSetting -NetworkDirect Disabled"
					r.found(f, h.Name)
				}
				machine[h.Name] = true
				continue
			}
			if p.nic.Windows == nil || p.nic.Windows.RDMA == nil {
				r.notKnown(p.subject()+": RDMA", "Get-NetAdapterRdma is not in the capture, or does not have the adapter")
				continue
			}
			d, name := p.nic.Windows.RDMA, quoted("windows", p.nic.Name)
			on, known := d.Enabled.Get()
			running, known2 := d.Operational.Get()
			f.Evidence = []record.EvidenceLine{proven(h, d.Proof)}
			switch {
			case known && !on:
				f.Have, f.Fix, f.Undo = "RDMA is off", "Enable-NetAdapterRdma -Name "+name, "Disable-NetAdapterRdma -Name "+name
			case known && on && known2 && !running:
				f.Have = "RDMA is on, and not in operation"
				f.Fix = "look at the link first, then at the adapter's driver and firmware, and at NetworkDirect Technology in its properties"
			default:
				continue
			}
			r.found(f, p.subject())
		}
	},
}

// technology is the RDMA that an interface has, as its system says it; "roce": of both versions.
func technology(h *Host, n *facts.Interface) (string, record.EvidenceLine) {
	if n.Windows != nil && n.Windows.RDMA != nil {
		if t, ok := n.Windows.RDMA.Technology.Get(); ok {
			return t, seen(h, n, "technology", "Get-NetAdapterRdma", n.Name+": "+t)
		}
	}
	for _, d := range h.Facts.RDMA {
		for _, p := range d.Ports {
			for _, g := range p.GIDs {
				if g.Interface.Or("") != n.Name {
					continue
				}
				e := record.EvidenceLine{Host: h.Name, Source: "sys/class/infiniband/" + d.Name, Line: fmt.Sprintf("%s: node_type %s, GID %d %s", d.Name, d.NodeType.Or("not known"), g.Index, g.Type.Or(""))}
				switch {
				case d.NodeType.Or("") == "RNIC":
					return "iwarp", e
				case p.LinkLayer.Or("") == "Ethernet":
					return "roce", e
				}
			}
		}
	}
	return "", record.EvidenceLine{}
}

// matching says whether two ends with these transports understand each other.
func matching(a, b string) bool {
	roce := func(t string) bool { return t == "rocev1" || t == "rocev2" }
	return a == b || a == "roce" && roce(b) || b == "roce" && roce(a)
}

var checkTransport = Check{
	ID:     "rdma-transport",
	Title:  "the same RDMA at both ends of a link",
	Why:    "iWARP, RoCE v1 and RoCE v2 do not understand each other: connections are refused, and SMB falls back to TCP",
	Worst:  record.Error,
	Source: "Microsoft, standardized keywords for Network Direct: *NetworkDirectTechnology; the roce-100g document (004)",
	look: func(w *World, r *report) {
		for p := range w.ports() {
			have, e := technology(p.host, p.nic)
			if have == "" {
				continue
			}
			f := record.Finding{Severity: record.Error, Subject: p.subject(), Have: have, Evidence: []record.EvidenceLine{e}, Consequence: "no RDMA between these two hosts; SMB goes over TCP",
				Fix: "set the same at both ends (NetworkDirect Technology in the adapter's properties)"}
			if p.transport() == "ib" && p.host.Facts.Lab != 0 {
				continue // no kernel does InfiniBand without a card; the lab says what stands in its place
			}
			if wanted := p.transport(); wanted != "" && !matching(have, wanted) {
				f.Want = wanted + ", as the plan has"
				f.Fix, f.Undo = setTechnology(p, wanted), setTechnology(p, have)
				r.found(f, p.subject())
				continue
			}
			other := w.peer(p)
			if other == nil || p.transport() != "" {
				continue // against the plan each end is judged by itself
			}
			peer := w.Host(other.Host)
			if peer == nil || p.host.Name > peer.Name || peer.Facts.NIC(other.Interface) == nil {
				continue
			}
			theirs, e2 := technology(peer, peer.Facts.NIC(other.Interface))
			if theirs == "" || matching(have, theirs) {
				continue
			}
			f.Want, f.Evidence = theirs+", as "+peer.Name+" has", append(f.Evidence, e2)
			f.Fix, f.Undo = setTechnology(p, theirs), setTechnology(p, have)
			r.found(f, p.subject())
		}
	},
}

// setTechnology is how an adapter is given a transport.
func setTechnology(p plugged, transport string) string {
	value := map[string]int{"iwarp": 1, "rocev1": 3, "rocev2": 4}[transport]
	if p.host.system() != "windows" || value == 0 {
		return "set " + transport + " at " + p.nic.Name + ", where its driver can"
	}
	return fmt.Sprintf("Set-NetAdapterAdvancedProperty -Name %s -RegistryKeyword '*NetworkDirectTechnology' -RegistryValue %d", quoted("windows", p.nic.Name), value)
}
