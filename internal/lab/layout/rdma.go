package layout

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
)

// RDMAPorts returns the interfaces of a host for which the plan has RDMA.
func RDMAPorts(h *plan.Host) (out []RDMAPort) {
	if h.Decl == nil {
		return nil
	}
	var first *fabric.NIC // of the InfiniBand adapters
	for _, nic := range h.Decl.NICs {
		if nic.RDMA == "" || nic.RDMA == "none" {
			continue
		}
		other := false
		if nic.RDMA == infiniBand {
			first = cmp.Or(first, nic)
			other = nic.Part != first.Part
		}
		for _, p := range h.Ports {
			if p.NIC != nic.Name || p.Link == "" {
				continue
			}
			name := InterfaceName(overBond(h, p.Interface))
			if !slices.ContainsFunc(out, func(q RDMAPort) bool { return q.Interface == name }) {
				out = append(out, RDMAPort{Interface: name, Transport: nic.RDMA, InPlace: other})
			}
		}
	}
	return out
}

// overBond returns the bond of an interface, or the interface itself. For the kernel, packets received by a member
// belong to the bond, so soft RDMA over the member would never see them.
func overBond(h *plan.Host, name string) string {
	for _, s := range h.Settings {
		if s.Kind == plan.SetBond && slices.Contains(s.Of, name) {
			return s.Interface
		}
	}
	return name
}

// SoftRDMA is the kernel's emulation of an RDMA transport.
type SoftRDMA struct {
	Kind    string // of rdma link add, and the beginning of the device's name
	Modules []string
	Note    string
}

// SoftRDMAOf returns the emulation for a port.
func SoftRDMAOf(p RDMAPort) SoftRDMA {
	siw := SoftRDMA{Kind: "siw", Modules: []string{"siw", "rdma_ucm", "ib_uverbs"},
		Note: "it is soft iWARP (siw), in the kernel and not in a NIC"}
	rxe := SoftRDMA{Kind: "rxe", Modules: []string{"rdma_rxe", "rdma_ucm", "ib_uverbs"},
		Note: "it is soft RoCE (rdma_rxe), in the kernel and not in a NIC"}
	switch {
	case p.Transport == iWARP:
		return siw
	case p.InPlace:
		siw.Note = fmt.Sprintf(
			"it is soft iWARP (siw) in place of %s, which no kernel does without a NIC, so that it is another adapter than "+
				"the soft RoCE of the first NIC", p.Transport)
		return siw
	case !strings.HasPrefix(p.Transport, "roce"):
		rxe.Note = fmt.Sprintf("it is soft RoCE (rdma_rxe) in place of %s, which no kernel does without a NIC", p.Transport)
	}
	return rxe
}
