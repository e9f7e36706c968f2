package rdma

import (
	"fmt"
	"net/netip"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// GID checks that each RDMA port over Ethernet has a GID.
var GID = check.Check{
	ID:    "gid-index",
	Title: "a GID for each RDMA port over Ethernet",
	Why: "RoCE addresses a port by an entry of its table of GIDs, which follows from the interface's IP addresses; " +
		"without the right one no connection comes about",
	Worst: record.Error,
	Source: "Documentation/ABI/stable/sysfs-class-infiniband: gids, gid_attrs; tried: with an empty entry \"Failed to " +
		"modify QP to RTR\"",
	Because: []string{"address"},
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			if c := h.Facts.GIDs; c != nil && c.N == 0 {
				r.Found(record.Finding{
					Severity: record.Warning, Subject: h.Subject(), Have: "no GID on any RDMA port",
					Want:        "one for each address that RDMA is to use",
					Evidence:    []record.EvidenceLine{{Host: h.Name, Source: c.Source, Line: c.Line}},
					Consequence: "no RDMA connection over Ethernet can be made from here",
					Fix: "look whether there is an RDMA device here at all (rdma link; in a container or virtual machine " +
						"it has to be passed in), and give its interface its address (ip address add)",
				}, h.Subject())
			}
		}
		for p := range rdmaPorts(w) {
			if p.infiniband() || p.iwarp() || p.port.GIDs == nil || p.port.State.Or("") != "ACTIVE" {
				continue
			}
			f := record.Finding{Severity: record.Warning, Subject: p.subject(),
				Consequence: "no RoCE connection can be made over this port", Evidence: p.evidence("state", "link_layer")}
			if len(p.port.GIDs) == 0 {
				f.Have, f.Want = "its table of GIDs is empty", "an entry for each address of its interface"
				f.Fix = "ip link set dev " + p.port.Interface.Or("INTERFACE") + " up, and give it its address; the entries " +
					"follow from that"
				r.Found(f, p.about()...)
				continue
			}
			if p.plan == nil || !p.plan.Port.Address.IsValid() {
				continue
			}
			address := p.plan.Port.Address.Addr()
			if len(gidsOf(p.port, address)) > 0 {
				continue
			}
			f.Severity = record.Error
			f.Have, f.Want = "no GID of "+address.String(), "one of "+address.String()+", the address of the link "+
				p.plan.Port.Link
			for _, g := range p.port.GIDs {
				f.Evidence = append(f.Evidence, p.gidEvidence(g))
			}
			f.Consequence = "no RoCE connection to or from " + address.String()
			f.Fix = "ip address add " + p.plan.Port.Address.String() + " dev " + p.port.Interface.Or(p.plan.Port.Interface)
			r.Found(f, append(p.about(), record.Subject{Address: address})...)
		}
	},
}

// RoCEVersion checks the version of RoCE.
var RoCEVersion = check.Check{
	ID:    "roce-version",
	Title: "the version of RoCE",
	Why: "version 1 is not an IP: its packets carry no DSCP, pass no router, and a peer of version 2 does not " +
		"answer them",
	Worst:   record.Error,
	Source:  "RoCE annexes A16 and A17 of the InfiniBand Architecture; Documentation/ABI/testing/configfs-rdma_cm",
	Because: []string{"gid-index"},
	Look: func(w *check.World, r *check.Report) {
		for p := range rdmaPorts(w) {
			if p.plan == nil || p.infiniband() || !p.host.Plan.SpeaksRoCEv2(p.plan.Port) {
				continue
			}
			if address := p.plan.Port.Address; address.IsValid() {
				list := gidsOf(p.port, address.Addr())
				v1 := 0
				for _, g := range list {
					if kind, ok := g.Type.Get(); ok && !strings.Contains(kind, "v2") {
						v1++
					}
				}
				if v1 > 0 && v1 == len(list) {
					r.Found(record.Finding{
						Severity: record.Error, Subject: p.subject(), Have: "GIDs of " + address.Addr().String() +
							" of RoCE version 1 only", Want: "one of version 2, as the plan has it",
						Evidence: []record.EvidenceLine{p.gidEvidence(list[0])},
						Consequence: "a peer that speaks version 2 is not reached; what is sent has no DSCP, so that switches sort it " +
							"by VLAN priority or not at all",
						Fix: "a NIC that speaks version 2 (ConnectX-3 Pro and later; a ConnectX-3 does not), or rdma: rocev1 of the " +
							"NIC in the fabric file at all ends",
					}, p.about()...)
					continue
				}
			}
			if mode, ok := p.port.Mode.Get(); ok && !strings.Contains(mode, "v2") {
				r.Found(record.Finding{
					Severity: record.Warning, Subject: p.subject(), Have: "RDMA CM takes " + mode, Want: "RoCE v2",
					Evidence: p.evidence("mode"),
					Consequence: "connections that are made through RDMA CM carry no DSCP, and do not reach a peer that listens " +
						"with version 2",
					Fix:  fmt.Sprintf("cma_roce_mode -d %s -p %d -m 2", p.device.Name, p.port.Port),
					Undo: fmt.Sprintf("cma_roce_mode -d %s -p %d -m 1", p.device.Name, p.port.Port),
				}, p.about()...)
			}
		}
	},
}

// gidsOf returns the entries for an address in a port's table.
func gidsOf(p *facts.RDMAPort, address netip.Addr) (out []facts.GID) {
	for _, g := range p.GIDs {
		if g.GID.Unmap() == address.Unmap() {
			out = append(out, g)
		}
	}
	return out
}

// gidEvidence returns the line of an entry of the table.
func (p rdmaPort) gidEvidence(g facts.GID) record.EvidenceLine {
	if proof, ok := p.port.Proofs[fmt.Sprintf("gid %d", g.Index)]; ok {
		return record.EvidenceLine{Host: p.host.Name, Source: proof.Source, Line: proof.Line}
	}
	return record.EvidenceLine{Host: p.host.Name, Source: "GIDs of " + p.device.Name,
		Line: fmt.Sprintf("%d: %s %s %s", g.Index, g.GID, g.Type.Or(""), g.Interface.Or(""))}
}
