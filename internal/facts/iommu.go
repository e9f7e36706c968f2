package facts

import (
	"strings"

	"linerate/internal/base/unit"
)

// GroupMember is a device of an IOMMU group. A virtual machine gets all devices of a group, or none.
type GroupMember struct {
	Group   string `json:"group"`   // its number
	Address string `json:"address"` // "0000:01:00.1"
	Class   string `json:"class"`   // "020000"; empty: unknown
	Proof
}

// Bridge reports whether it is a bridge, which remains with the host: VFIO only needs the other devices of a group.
func (g *GroupMember) Bridge() bool { return strings.HasPrefix(g.Class, "06") }

// GroupOf returns the group of a device, and the other devices in it that are not bridges; unsure are devices of
// unknown class, which may be bridges. Empty: unknown.
func (f *Facts) GroupOf(address string) (group string, others, unsure []GroupMember) {
	for _, m := range f.GroupMembers {
		if m.Address == address {
			group = m.Group
		}
	}
	for _, m := range f.GroupMembers {
		if group == "" || m.Group != group || m.Address == address {
			continue
		}
		if d := f.PCIAt(m.Address); m.Class == "" && d != nil {
			m.Class = d.Class
			if d.Bridge() {
				continue
			}
			if m.Class == "" && d.Kind != "" {
				m.Class = "ffffff" // not a bridge, whatever it is
			}
		}
		switch {
		case m.Bridge():
		case m.Class == "":
			unsure = append(unsure, m)
		default:
			others = append(others, m)
		}
	}
	return group, others, unsure
}

// FunctionOf returns the interface whose SR-IOV function n is, and its index.
func (f *Facts) FunctionOf(n *Interface) (of *Interface, index int, ok bool) {
	if n.PCI == "" {
		return nil, 0, false
	}
	for i := range f.NICs {
		for _, v := range f.NICs[i].VFs {
			if v.PCI == n.PCI {
				return &f.NICs[i], v.Index, true
			}
		}
	}
	return nil, 0, false
}

// BootWord returns the value of a word of the kernel's command line: "pt" of iommu=pt. The last one counts.
func (f *Facts) BootWord(key string) (value string, ok bool) {
	for _, w := range strings.Fields(f.BootLine.Or("")) {
		if k, v, _ := strings.Cut(w, "="); k == key {
			value, ok = v, true
		}
	}
	return value, ok
}

// VirtualFunction is an SR-IOV function of an interface, with its settings at the interface (the physical function).
type VirtualFunction struct {
	Index      int              `json:"index"`
	MAC        string           `json:"mac"`
	VLAN       int              `json:"vlan"`        // 0: none
	SpoofCheck unit.Opt[bool]   `json:"spoof_check"` // the adapter drops frames from other MAC addresses
	Trust      unit.Opt[bool]   `json:"trust"`       // it may become promiscuous and change its address
	LinkState  unit.Opt[string] `json:"link_state"`  // auto, enable, disable
	// Machine has it, under the name Adapter; empty: unknown (only Hyper-V reports it).
	Machine  string `json:"machine"`
	Adapter  string `json:"adapter"`
	PCI      string `json:"pci"` // address of its own device; empty: unknown
	PCIProof Proof  `json:"pci_proof"`
	Proof           // of its settings at the interface; empty: unknown
}
