package plan

import (
	"fmt"
	"strconv"
	"strings"
)

// settings lists what makes each host follow the plan, in the order in which it
// is applied: bonds, MTU before address (a route takes the MTU it finds), up last.
func (b *builder) settings() {
	for _, h := range b.p.Hosts {
		var s []Setting
		for _, bond := range h.Decl.Bonds {
			var of []string
			for _, m := range b.p.Members(bond) {
				of = append(of, m.Interface)
			}
			if p := b.ports[h.Name+"."+bond.Name]; p != nil {
				s = append(s, Setting{Kind: SetBond, Interface: p.Interface, Key: bond.Mode, Value: hashOf(bond), Of: of, Why: "bond " + p.ID})
			}
		}
		plugged := 0
		for _, p := range h.Ports {
			if p.Link == "" {
				continue
			}
			plugged++
			s = append(s,
				Setting{Kind: SetMTU, Interface: p.Interface, Int: p.MTU, Why: "MTU of link " + p.Link},
				Setting{Kind: SetLink, Interface: p.Interface, Why: "carries link " + p.Link})
			s = append(s, b.offloads(h, p)...)
			s = append(s, b.card(h, p)...)
			if !p.Address.IsValid() {
				continue
			}
			on := p.Interface
			if p.VLAN != 0 {
				on = p.VLANInterface
				s = append(s,
					Setting{Kind: SetVLAN, Interface: p.Interface, Key: on, Int: p.VLAN, Why: "the subnet of link " + p.Link + " is tagged"},
					Setting{Kind: SetMTU, Interface: on, Int: p.MTU, Why: "MTU of link " + p.Link},
					Setting{Kind: SetLink, Interface: on, Why: "carries link " + p.Link})
			}
			s = append(s, Setting{Kind: SetAddress, Interface: on, Prefix: p.Address, Why: "address on link " + p.Link})
		}
		if plugged > 1 {
			s = append(s,
				Setting{Kind: SetSysctl, Key: "net.ipv4.conf.all.arp_ignore", Value: "1", Why: "several links: answer only for the address of the interface asked"},
				Setting{Kind: SetSysctl, Key: "net.ipv4.conf.all.arp_announce", Value: "2", Why: "several links: announce only the interface's own address"})
		}
		h.Settings = append(s, b.buffers(h)...)
	}
}

// card lists what a port of a real card gets: virtual functions, and the traffic classes, which belong
// to Ethernet and to the physical function.
func (b *builder) card(h *Host, p *Port) []Setting {
	var s []Setting
	for _, n := range h.Decl.NICs {
		if n.Name != p.Card || n.VF != "" {
			continue
		}
		if n.VFs > 0 {
			s = append(s, Setting{Kind: SetVFs, Interface: p.Interface, Int: n.VFs, Why: fmt.Sprintf("vfs of card %s.%s", h.Name, n.Name)})
		}
		if b.p.qos != nil && n.Mode != "ib" {
			s = append(s, Setting{Kind: SetQoS, Interface: p.Interface, QoS: b.p.qos, Why: "the fabric's classes, on link " + p.Link})
		}
	}
	return s
}

// The largest round trip that a fabric in one building is planned for; with the
// fastest link it gives the TCP window that must fit into a socket's buffer.
const plannedRTT = 2e-3

// buffers sets the TCP buffer limits so that one stream can fill the fastest
// link at plannedRTT; twice that, because Linux counts its own overhead in.
func (b *builder) buffers(h *Host) []Setting {
	fastest := 0.0
	for _, p := range h.Ports {
		if p.Link != "" {
			fastest = max(fastest, float64(p.Speed))
		}
	}
	if fastest == 0 {
		return nil
	}
	limit := 4 << 20
	for float64(limit) < 2*fastest/8*plannedRTT {
		limit *= 2
	}
	why := fmt.Sprintf("one stream at %s and %s ms round trip", strings.TrimSpace(rateText(fastest)), strconv.FormatFloat(plannedRTT*1e3, 'f', -1, 64))
	return []Setting{
		{Kind: SetSysctl, Key: "net.ipv4.tcp_rmem", Value: fmt.Sprintf("4096 131072 %d", limit), Why: why},
		{Kind: SetSysctl, Key: "net.ipv4.tcp_wmem", Value: fmt.Sprintf("4096 65536 %d", limit), Why: why},
	}
}
