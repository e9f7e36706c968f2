// Package labtest makes plans for the tests of labs. Only tests import it.
package labtest

import (
	"net/netip"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
)

// Pair returns a plan of two hosts, a and b, on one link, 10.9.0.1/24 and 10.9.0.2/24.
func Pair(speed unit.BitRate, mtu int) *plan.Plan { return Mesh([]string{"a", "b"}, speed, mtu) }

// Mesh returns a plan with a link between every two hosts.
func Mesh(names []string, speed unit.BitRate, mtu int) *plan.Plan {
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
				port := &plan.Port{Host: n, NIC: "nic", Index: len(h.Ports) + 1, Link: l.Name, Speed: speed, MTU: mtu}
				port.ID = n + ".nic." + string(rune('0'+port.Index))
				port.Interface = "nic" + string(rune('0'+port.Index))
				port.Address = netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 9, subnet, byte(e + 1)}), 24)
				h.Ports = append(h.Ports, port)
				l.Ends[e] = plan.End{ID: port.ID, Host: n}
				h.Settings = append(h.Settings, plan.Setting{Kind: plan.SetMTU, Interface: port.Interface, Int: mtu},
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

// Star returns a plan of hosts on one switch with these VLANs, each with a virtual machine if vms is set.
func Star(vlans []int, vms bool) *plan.Plan {
	p := &plan.Plan{Name: "star", MTU: 1500}
	sw := &plan.Switch{Name: "sw1"}
	p.Switches = []*plan.Switch{sw}
	for i, vlan := range vlans {
		n := string(rune('a' + i))
		id := "sw1." + string(rune('1'+i))
		l := &plan.Link{Name: n + "--sw", Speed: unit.GigabitPerSecond, MTU: 1500, VLAN: vlan,
			Ends: [2]plan.End{{ID: n + ".nic.1", Host: n}, {ID: id, Switch: "sw1"}}}
		port := &plan.Port{ID: n + ".nic.1", Host: n, NIC: "nic", Index: 1, Interface: "eth0", MTU: 1500, Link: l.Name,
			Address: netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 8, 0, byte(i + 1)}), 24)}
		h := &plan.Host{Name: n, Ports: []*plan.Port{port}, Decl: &fabric.Host{Name: n}, Settings: hostSettings(port)}
		p.Hosts, p.Links = append(p.Hosts, h), append(p.Links, l)
		sw.Ports = append(sw.Ports, plan.SwitchPort{ID: id, Index: i + 1, MTU: 9216, VLAN: vlan, Link: l.Name})
		if vms {
			vf := &plan.Port{ID: "vm" + n + ".vf.1", Host: "vm" + n, NIC: "vf", Index: 1, Interface: "eth0", MTU: 1500,
				Address: netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 8, 0, byte(i + 101)}), 24)}
			p.Hosts = append(p.Hosts, &plan.Host{Name: "vm" + n, Ports: []*plan.Port{vf}, Settings: hostSettings(vf),
				Decl: &fabric.Host{Name: "vm" + n, On: n, NICs: []*fabric.NIC{{Name: "vf", VF: n + ".nic.1"}}}})
		}
	}
	return p
}

func hostSettings(port *plan.Port) []plan.Setting {
	return []plan.Setting{
		{Kind: plan.SetAddress, Interface: port.Interface, Prefix: port.Address},
		{Kind: plan.SetLink, Interface: port.Interface},
	}
}
