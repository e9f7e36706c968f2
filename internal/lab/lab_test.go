package lab

import (
	"net/netip"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
)

// pair is a plan of two hosts, a and b, on one link, 10.9.0.1/24 and 10.9.0.2/24.
func pair(speed unit.BitRate, mtu int) *plan.Plan {
	return mesh([]string{"a", "b"}, speed, mtu)
}

// mesh is a plan with a link between every two hosts.
func mesh(names []string, speed unit.BitRate, mtu int) *plan.Plan {
	p := &plan.Plan{Name: "test", MTU: mtu}
	hosts := map[string]*plan.Host{}
	for _, n := range names {
		h := &plan.Host{Name: n, OS: "linux", Decl: &fabric.Host{Name: n}}
		hosts[n] = h
		p.Hosts = append(p.Hosts, h)
	}
	subnet := byte(0)
	for i, a := range names {
		for _, b := range names[i+1:] {
			l := &plan.Link{Name: a + "--" + b, Speed: speed, MTU: mtu}
			for e, n := range []string{a, b} {
				h := hosts[n]
				port := &plan.Port{Host: n, Card: "nic", Index: len(h.Ports) + 1, Link: l.Name, Speed: speed, MTU: mtu}
				port.ID = n + ".nic." + string(rune('0'+port.Index))
				port.Interface = "nic" + string(rune('0'+port.Index))
				port.Address = netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 9, subnet, byte(e + 1)}), 24)
				h.Ports = append(h.Ports, port)
				l.Ends[e] = plan.End{ID: port.ID, Host: n}
				h.Settings = append(h.Settings,
					plan.Setting{Kind: plan.SetMTU, Interface: port.Interface, Int: mtu},
					plan.Setting{Kind: plan.SetAddress, Interface: port.Interface, Prefix: port.Address},
					plan.Setting{Kind: plan.SetLink, Interface: port.Interface})
			}
			p.Links = append(p.Links, l)
			subnet++
		}
	}
	for _, h := range p.Hosts {
		for _, l := range p.Links {
			for e := range l.Ends {
				if l.Ends[e].Host == h.Name {
					peer := hosts[l.Ends[1-e].Host]
					for _, port := range peer.Ports {
						if port.ID == l.Ends[1-e].ID {
							h.Names = append(h.Names, plan.Name{Address: port.Address.Addr(), Names: []string{peer.Name}})
						}
					}
				}
			}
		}
	}
	return p
}
