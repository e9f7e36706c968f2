package plan

import (
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/fabric"
)

// settings lists the settings of each host in the order in which they are applied: bonds first, the MTU before the
// address, because a route takes the MTU that the interface has.
func (b *builder) settings() {
	for _, h := range b.p.Hosts {
		var s []Setting
		for _, bond := range h.Decl.Bonds {
			of := xslices.Map(b.p.Members(bond), func(m *Port) string { return m.Interface })
			if p := b.ports[h.Name+"."+bond.Name]; p != nil {
				s = append(s, Setting{Kind: SetBond, Interface: p.Interface, Key: bond.Mode, Value: hashOf(bond), Of: of,
					Why: "bond " + p.ID})
			}
		}
		plugged := 0
		for _, p := range h.Ports {
			if p.Link == "" {
				continue
			}
			plugged++
			s = append(s, Setting{Kind: SetMTU, Interface: p.Interface, Int: p.MTU, Why: "MTU of link " + p.Link},
				Setting{Kind: SetLink, Interface: p.Interface, Why: "carries link " + p.Link})
			s = append(s, offloads(h, p)...)
			s = append(s, b.nic(h, p)...)
			if !p.Address.IsValid() {
				continue
			}
			on := p.Interface
			if p.VLAN != 0 {
				on = p.VLANInterface
				s = append(s,
					Setting{Kind: SetVLAN, Interface: p.Interface, Key: on, Int: p.VLAN,
						Why: "the subnet of link " + p.Link + " is tagged"},
					Setting{Kind: SetMTU, Interface: on, Int: p.MTU, Why: "MTU of link " + p.Link},
					Setting{Kind: SetLink, Interface: on, Why: "carries link " + p.Link})
			}
			s = append(s, Setting{Kind: SetAddress, Interface: on, Prefix: p.Address, Why: "address on link " + p.Link})
		}
		if plugged > 1 {
			s = append(s,
				Setting{Kind: SetSysctl, Key: "net.ipv4.conf.all.arp_ignore", Value: "1",
					Why: "several links: answer only for the address of the interface asked"},
				Setting{Kind: SetSysctl, Key: "net.ipv4.conf.all.arp_announce", Value: "2",
					Why: "several links: announce only the interface's own address"})
		}
		h.Settings = append(s, b.buffers(h)...)
	}
}

// nic lists the settings of a port of a NIC: its virtual functions, and the traffic classes on Ethernet.
func (b *builder) nic(h *Host, p *Port) []Setting {
	var s []Setting
	n := nic(h, p.NIC)
	if n == nil || n.VF != "" {
		return nil
	}
	if n.VFs > 0 {
		s = append(s, Setting{Kind: SetVFs, Interface: p.Interface, Int: n.VFs,
			Why: fmt.Sprintf("vfs of NIC %s.%s", h.Name, n.Name)})
	}
	if b.p.qos != nil && n.Mode != "ib" {
		s = append(s, Setting{Kind: SetQoS, Interface: p.Interface, QoS: b.p.qos,
			Why: "the fabric's classes, on link " + p.Link})
	}
	return s
}

// plannedRTT is the longest RTT in seconds that a fabric in one building is planned for. With the fastest link it gives
// the TCP window, which must fit into a socket's buffer.
const plannedRTT = 2e-3

// buffers sets the TCP buffer limits so that one stream fills the fastest link at plannedRTT; twice that, because Linux
// includes its own overhead.
func (b *builder) buffers(h *Host) []Setting {
	var fastest unit.BitRate
	for _, p := range h.Ports {
		if p.Link != "" {
			fastest = max(fastest, p.Speed)
		}
	}
	if fastest == 0 {
		return nil
	}
	limit := 4 << 20
	for float64(limit) < 2*float64(fastest)/8*plannedRTT {
		limit *= 2
	}
	why := fmt.Sprintf("one stream at %s and %s ms round trip", fastest, strconv.FormatFloat(plannedRTT*1e3, 'f', -1, 64))
	return []Setting{
		{Kind: SetSysctl, Key: "net.ipv4.tcp_rmem", Value: fmt.Sprintf("4096 131072 %d", limit), Why: why},
		{Kind: SetSysctl, Key: "net.ipv4.tcp_wmem", Value: fmt.Sprintf("4096 65536 %d", limit), Why: why},
	}
}

// atLeast are the kernel settings that are limits: the planned value is the least that is needed, and a host's larger
// one stays. The values are those of Linux 6.18, the largest of its own defaults that are known.
var atLeast = map[string]string{"net.ipv4.tcp_rmem": "4096 131072 33554432", "net.ipv4.tcp_wmem": "4096 16384 4194304",
	"net.core.rmem_max": "4194304", "net.core.wmem_max": "4194304", "net.core.netdev_max_backlog": "1000"}

// AtLeast reports whether a setting is a limit, so that a larger value is as good and must not be lowered.
func (s Setting) AtLeast() bool { return s.Kind == SetSysctl && atLeast[s.Key] != "" }

// AboveDefault returns the value of a limit, and nowhere less than the kernel's own default: so it is set, and written
// into a file for every boot. Other settings have their value.
func (s Setting) AboveDefault() string {
	own := strings.Fields(atLeast[s.Key])
	values := strings.Fields(s.Value)
	if !s.AtLeast() || len(own) != len(values) {
		return s.Value
	}
	for i := range values {
		planned, err0 := strconv.ParseUint(values[i], 10, 64)
		least, err1 := strconv.ParseUint(own[i], 10, 64)
		if err0 != nil || err1 != nil {
			return s.Value
		}
		values[i] = strconv.FormatUint(max(planned, least), 10)
	}
	return strings.Join(values, " ")
}

// OffloadFeatures returns the kernel's names of the features that a short name of ethtool -K sets: "tso" is
// tx-tcp-segmentation and more. Other names are names of features.
func OffloadFeatures(short string) []string {
	switch short {
	case "tso", "tcp-segmentation-offload":
		return []string{"tx-tcp-segmentation", "tx-tcp6-segmentation", "tx-tcp-ecn-segmentation",
			"tx-tcp-mangleid-segmentation"}
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

// offloads lists the offloads that the file switches at the NIC of a port, in the order of fabric.OffloadNames.
func offloads(h *Host, p *Port) []Setting {
	n := nic(h, p.NIC)
	if n == nil {
		return nil
	}
	var out []Setting
	for _, name := range fabric.OffloadNames() {
		if on, ok := n.Offloads[name]; ok {
			out = append(out, Setting{Kind: SetOffload, Interface: p.Interface, Key: name,
				Value: map[bool]string{true: "on", false: "off"}[on], Why: "settings of NIC " + h.Name + "." + n.Name})
		}
	}
	return out
}
