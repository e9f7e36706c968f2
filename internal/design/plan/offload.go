package plan

import (
	"linerate/internal/design/fabric"
)

// OffloadFeatures are the kernel's names (ethtool's features) behind a short name of ethtool -K: "tso" is
// tx-tcp-segmentation and its kin. A name that is none of the short ones stands for itself.
func OffloadFeatures(short string) []string {
	switch short {
	case "tso", "tcp-segmentation-offload":
		return []string{"tx-tcp-segmentation", "tx-tcp6-segmentation", "tx-tcp-ecn-segmentation", "tx-tcp-mangleid-segmentation"}
	case "gso", "generic-segmentation-offload":
		return []string{"tx-generic-segmentation"}
	case "gro", "generic-receive-offload":
		return []string{"rx-gro"}
	case "lro", "large-receive-offload":
		return []string{"rx-lro"}
	case "rx", "rx-checksumming":
		return []string{"rx-checksum"}
	case "tx", "tx-checksumming":
		return []string{"tx-checksum-ip-generic", "tx-checksum-ipv4", "tx-checksum-ipv6", "tx-checksum-sctp"}
	case "sg", "scatter-gather":
		return []string{"tx-scatter-gather", "tx-scatter-gather-fraglist"}
	case "rxvlan", "rx-vlan-offload":
		return []string{"rx-vlan-hw-parse"}
	case "txvlan", "tx-vlan-offload":
		return []string{"tx-vlan-hw-insert"}
	case "rxhash", "receive-hashing":
		return []string{"rx-hashing"}
	case "ntuple", "ntuple-filters":
		return []string{"rx-ntuple-filter"}
	}
	return []string{short}
}

// offloads are the settings of a port whose card's file switches offloads, in the order of fabric.OffloadNames.
func (b *builder) offloads(h *Host, p *Port) []Setting {
	var out []Setting
	for _, n := range h.Decl.NICs {
		if n.Name != p.Card {
			continue
		}
		for _, name := range fabric.OffloadNames() {
			on, ok := n.Offloads[name]
			if !ok {
				continue
			}
			value := map[bool]string{true: "on", false: "off"}[on]
			out = append(out, Setting{Kind: SetOffload, Interface: p.Interface, Key: name, Value: value, Why: "settings of card " + h.Name + "." + n.Name})
		}
	}
	return out
}
