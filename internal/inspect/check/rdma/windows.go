package rdma

import (
	"fmt"

	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// transport returns the planned RDMA transport of a port; empty: none, or its NIC is not declared.
func transport(p check.Port) string {
	if p.Host.Plan == nil {
		return ""
	}
	for _, n := range p.Host.Plan.Decl.NICs {
		if n.Name == p.Port.NIC && n.RDMA != "none" {
			return n.RDMA
		}
	}
	return ""
}

// RDMADisabled checks that RDMA is on where planned.
var RDMADisabled = check.Check{
	ID:      "rdma-disabled",
	Title:   "RDMA on where the plan has it",
	Why:     "without it SMB Direct and whatever else wants RDMA falls back to TCP, without a word",
	Worst:   record.Error,
	Source:  "Microsoft Learn: Get-NetAdapterRdma, Set-NetOffloadGlobalSetting -NetworkDirect",
	Because: []string{"no-interface", "link-down"},
	Look: func(w *check.World, r *check.Report) {
		machine := map[string]bool{}
		for p := range w.Ports() {
			h := p.Host
			if !h.Traits().PowerShell || transport(p) == "" || transport(p) == "ib" {
				continue
			}
			f := record.Finding{Severity: record.Error, Subject: p.Subject(),
				Want: "on: the plan has " + transport(p) + " there", Consequence: "what is to go over RDMA goes over TCP, or " +
					"not at all"}
			if v := h.Facts.Windows; v != nil && v.NetworkDirect.IsKnown() && !v.NetworkDirect.Or(true) {
				if !machine[h.Name] {
					f.Subject, f.Have = h.Subject("all adapters"), "RDMA is off for the whole machine (NetworkDirect)"
					f.Evidence = []record.EvidenceLine{check.Proven(h, v.Proofs["networkdirect"])}
					f.Fix, f.Undo = "Set-NetOffloadGlobalSetting -NetworkDirect Enabled", "Set-NetOffloadGlobalSetting "+
						"-NetworkDirect Disabled"
					r.Found(f, h.Subject())
				}
				machine[h.Name] = true
				continue
			}
			if p.Nic.Windows == nil || p.Nic.Windows.RDMA == nil {
				r.NotKnownOf(p.Subject(), "RDMA", "Get-NetAdapterRdma is not in the snapshot, or does not have the adapter")
				continue
			}
			d, name := p.Nic.Windows.RDMA, check.Quoted("windows", p.Nic.Name)
			on, known := d.Enabled.Get()
			running, known2 := d.Operational.Get()
			f.Evidence = []record.EvidenceLine{check.Proven(h, d.Proof)}
			switch {
			case known && !on:
				f.Have, f.Fix, f.Undo = "RDMA is off", "Enable-NetAdapterRdma -Name "+name, "Disable-NetAdapterRdma -Name "+name
			case known && on && known2 && !running:
				f.Have = "RDMA is on, and not in operation"
				f.Fix = "look at the link first, then at the adapter's driver and firmware, and at NetworkDirect Technology in " +
					"its properties"
			default:
				continue
			}
			r.Found(f, p.Subject())
		}
	},
}

// technology returns the RDMA transport of an interface as its system reports it; "roce": both versions.
func technology(h *check.Host, n *facts.Interface) (string, record.EvidenceLine) {
	if n.Windows != nil && n.Windows.RDMA != nil {
		if t, ok := n.Windows.RDMA.Technology.Get(); ok {
			return t, check.Seen(h, n, "technology", "Get-NetAdapterRdma", n.Name+": "+t)
		}
	}
	for _, d := range h.Facts.RDMA {
		for _, p := range d.Ports {
			for _, g := range p.GIDs {
				if g.Interface.Or("") != n.Name {
					continue
				}
				e := record.EvidenceLine{Host: h.Name, Source: "sys/class/infiniband/" + d.Name,
					Line: fmt.Sprintf("%s: node_type %s, GID %d %s", d.Name, d.NodeType.Or("not known"), g.Index, g.Type.Or(""))}
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

// matching reports whether two ends with these transports are compatible.
func matching(a, b string) bool {
	roce := func(t string) bool { return t == "rocev1" || t == "rocev2" }
	return a == b || a == "roce" && roce(b) || b == "roce" && roce(a)
}

// Transport checks that both ends of a link use the same RDMA transport.
var Transport = check.Check{
	ID:     "rdma-transport",
	Title:  "the same RDMA at both ends of a link",
	Why:    "iWARP, RoCE v1 and RoCE v2 do not understand each other: connections are refused, and SMB falls back to TCP",
	Worst:  record.Error,
	Source: "Microsoft, standardized keywords for Network Direct: *NetworkDirectTechnology; the roce-100g document (004)",
	Look: func(w *check.World, r *check.Report) {
		for p := range w.Ports() {
			have, e := technology(p.Host, p.Nic)
			if have == "" {
				continue
			}
			f := record.Finding{Severity: record.Error, Subject: p.Subject(), Have: have, Evidence: []record.EvidenceLine{e},
				Consequence: "no RDMA between these two hosts; SMB goes over TCP",
				Fix:         "set the same at both ends (NetworkDirect Technology in the adapter's properties)"}
			if transport(p) == "ib" && p.Host.Facts.Lab != 0 {
				continue // kernels need a NIC for InfiniBand; the lab reports its replacement
			}
			if wanted := transport(p); wanted != "" && !matching(have, wanted) {
				f.Want = wanted + ", as the plan has"
				f.Fix, f.Undo = setTechnology(p, wanted), setTechnology(p, have)
				r.Found(f, p.Subject())
				continue
			}
			other := w.Peer(p)
			if other == nil || transport(p) != "" {
				continue // each end is compared with the plan on its own
			}
			peer := w.Host(other.Host)
			if peer == nil || p.Host.Name > peer.Name || peer.Facts.NIC(other.Interface) == nil {
				continue
			}
			theirs, e2 := technology(peer, peer.Facts.NIC(other.Interface))
			if theirs == "" || matching(have, theirs) {
				continue
			}
			f.Want, f.Evidence = theirs+", as "+peer.Name+" has", append(f.Evidence, e2)
			f.Fix, f.Undo = setTechnology(p, theirs), setTechnology(p, have)
			r.Found(f, p.Subject())
		}
	},
}

// setTechnology returns the command that gives an adapter a transport.
func setTechnology(p check.Port, transport string) string {
	value := map[string]int{"iwarp": 1, "rocev1": 3, "rocev2": 4}[transport]
	if !p.Host.Traits().PowerShell || value == 0 {
		return "set " + transport + " at " + p.Nic.Name + ", where its driver can"
	}
	return fmt.Sprintf("Set-NetAdapterAdvancedProperty -Name %s -RegistryKeyword '*NetworkDirectTechnology' "+
		"-RegistryValue %d", check.Quoted("windows", p.Nic.Name), value)
}
