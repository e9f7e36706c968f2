package address

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// Address checks that every port has its planned address.
var Address = check.Check{
	ID:      "address",
	Title:   "the planned address on every port",
	Why:     "what the names of the hosts files lead to has to be there",
	Worst:   record.Error,
	Source:  "the fabric file",
	Because: []string{"no-interface"},
	Look: func(w *check.World, r *check.Report) {
		for p := range w.Ports() {
			h := p.Host
			if !p.Port.Address.IsValid() {
				continue
			}
			name, on := p.Nic.Name, p.Addressed()
			if p.Port.VLAN != 0 {
				name = p.Port.VLANInterface
			}
			if on != nil && slices.Contains(on.Addresses, p.Port.Address) {
				continue
			}
			f := record.Finding{Severity: record.Error, Subject: h.Subject(name), Have: "no address of the plan",
				Want:        p.Port.Address.String() + " of the link " + p.Port.Link,
				Evidence:    []record.EvidenceLine{check.SeenAddresses(h, on, name)},
				Consequence: "the peers reach it over another link, or not at all",
				Fix:         check.AddAddress.On(h, check.Addressed(name, p.Port.Address)...),
				Undo:        check.DelAddress.On(h, check.Addressed(name, p.Port.Address)...)}
			if on == nil && p.Port.VLAN != 0 { // the VLAN has no interface yet
				values := append(check.Addressed(name, p.Port.Address), "below", p.Nic.Name, "vlan", p.Port.VLAN)
				f.Fix, f.Undo = check.AddVLAN.On(h, values...), check.DelVLAN.On(h, values...)
			}
			if other, old := check.Holder(h.Facts, p.Port.Address.Addr()); other != nil {
				f.Have = check.Addresses(on)
				if other.Name != name {
					f.Have = "the address is on " + other.Name
					f.Evidence = append(f.Evidence, check.SeenAddresses(h, other, other.Name))
				} else {
					f.Consequence = "which addresses are behind this link is not what the plan has: others may be looked for where " +
						"they are not"
				}
				f.Fix = check.Then(h, check.DelAddress.On(h, check.Addressed(other.Name, old)...), f.Fix)
				f.Undo = check.Then(h, f.Undo, check.AddAddress.On(h, check.Addressed(other.Name, old)...))
			}
			r.Found(f, p.Subject(), h.Subject(name))
		}
	},
}

// DuplicateAddress checks that every address has one owner.
var DuplicateAddress = check.Check{
	ID:     "duplicate-address",
	Title:  "one owner for every address",
	Why:    "who answers first gets the packets, and that changes with every answer",
	Worst:  record.Error,
	Source: "RFC 5227; measured in the lab: connections stall and move",
	Look: func(w *check.World, r *check.Report) {
		type place struct {
			host   *check.Host
			nic    string
			prefix netip.Prefix
		}
		owners := map[netip.Addr][]place{}
		var order []netip.Addr
		for _, h := range w.Hosts {
			for _, n := range h.Facts.NICs {
				for _, a := range n.Addresses {
					addr := a.Addr()
					if addr.IsLoopback() || addr.IsLinkLocalUnicast() || n.Name == "lo" || ownNetwork(n) {
						continue
					}
					if owners[addr] == nil {
						order = append(order, addr)
					}
					// the address may be there twice, with two prefix lengths
					if !slices.ContainsFunc(owners[addr], func(p place) bool { return is(p.host, h) && p.nic == n.Name }) {
						owners[addr] = append(owners[addr], place{h, n.Name, a})
					}
				}
			}
		}
		for _, addr := range order {
			who := owners[addr]
			if len(who) < 2 {
				continue
			}
			f := record.Finding{Severity: record.Error, Subject: record.Subject{Address: addr}, Want: "one owner",
				Consequence: "connections to it stall, or end at the wrong machine"}
			names, about := []string{}, []record.Subject{{Address: addr}}
			for _, p := range who {
				names = append(names, p.host.Name+": "+p.nic)
				about = append(about, p.host.Subject(p.nic))
				f.Evidence = append(f.Evidence, record.EvidenceLine{Host: p.host.Name,
					Source: check.SourceOf(p.host, "ip address", "ifconfig"), Line: p.nic + " has " + addr.String()})
			}
			f.Have = unit.List(names) + " have it"
			wrong, owned := who[len(who)-1], false
			for _, p := range who { // has it against the plan
				if _, ok := w.Belongs(p.host, p.nic, addr); ok {
					owned = true
				} else if w.Plan != nil {
					wrong = p
				}
			}
			f.Fix = fmt.Sprintf("on %s: %s", wrong.host.Name, check.DelAddress.On(wrong.host,
				check.Addressed(wrong.nic, wrong.prefix)...))
			f.Undo = fmt.Sprintf("on %s: %s", wrong.host.Name, check.AddAddress.On(wrong.host,
				check.Addressed(wrong.nic, wrong.prefix)...))
			if !owned {
				f.Fix = "where it does not belong, as " + f.Fix
			}
			r.Found(f, about...)
		}
		probed := &check.Report{}
		answeredTwice(w, probed, false)
		answeredElsewhere(w, probed)
		for _, f := range probed.Findings { // the same duplicate by another witness
			i := slices.IndexFunc(r.Findings, func(g record.Finding) bool { return g.Subject.Is(f.Subject) })
			if i >= 0 {
				r.Findings[i].Evidence = append(r.Findings[i].Evidence, f.Evidence...)
				continue
			}
			r.Findings = append(r.Findings, f)
		}
	},
}

// ownNetwork reports whether the interface is one of containers or virtual machines, which has the same address on
// every machine.
func ownNetwork(n facts.Interface) bool {
	return slices.Contains([]string{"docker0", "virbr0", "podman0", "cni0", "lxcbr0"}, n.Name)
}

// DuplicateSubnet checks that every interface has a subnet of its own.
var DuplicateSubnet = check.Check{
	ID:    "duplicate-subnet",
	Title: "a subnet of its own for every interface",
	Why: "of two routes to one subnet the kernel takes the first: one interface carries all and the other nothing, " +
		"even for a program that names its address",
	Worst:  record.Error,
	Source: "measured in the lab: 94 of 1000 Mb/s over the wrong one of two interfaces in a subnet",
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			for _, s := range check.Subnets(h.Facts) {
				if len(s.Names()) > 1 {
					w.SharedSubnet(h, s, r)
				}
			}
		}
	},
}

// DuplicateMAC checks that no two adapters have one hardware address.
var DuplicateMAC = check.Check{
	ID:    "duplicate-mac",
	Title: "one hardware address, one NIC",
	Why: "a switch sends frames to the port where it saw the address last: two NICs of one address take each " +
		"other's traffic",
	Worst: record.Error,
	Source: "IEEE 802.1Q: a bridge learns one port for an address; cloned virtual machines and copied configurations " +
		"have the same ones",
	Look: func(w *check.World, r *check.Report) {
		first := map[string]check.Port{}
		for p := range w.Ports() {
			mac := strings.ToLower(p.Nic.MAC)
			if mac == "" || mac == "00:00:00:00:00:00" {
				continue
			}
			o, seen := first[mac]
			if !seen {
				first[mac] = p
				continue
			}
			if is(o.Host, p.Host) { // a bond gives all of its members one address
				continue
			}
			f := record.Finding{
				Severity: record.Warning, Subject: p.Subject(), Have: fmt.Sprintf("%s, which %s has too", mac, o.Subject()),
				Want: "an address of its own",
				Evidence: []record.EvidenceLine{
					{Host: p.Host.Name, Source: "ip link", Line: fmt.Sprintf("%s: link/ether %s", p.Nic.Name, mac)},
					{Host: o.Host.Name, Source: "ip link", Line: fmt.Sprintf("%s: link/ether %s", o.Nic.Name, mac)},
				},
				Consequence: "nothing while no switch sees both",
				Fix: fmt.Sprintf("ip link set dev %s address ADDRESS\nwith the one that is printed on the NIC; of a "+
					"cloned machine, let its hypervisor give it a new one", p.Nic.Name),
				Undo: fmt.Sprintf("ip link set dev %s address %s", p.Nic.Name, mac),
			}
			if sameSwitch(w, o, p) {
				f.Severity = record.Error
				f.Consequence = fmt.Sprintf("the switches send to %s and %s alternately what is for one of them: "+
					"connections stall "+
					"and break", o.Subject(), p.Subject())
			}
			r.Found(f, p.Subject(), o.Subject())
		}
	},
}

// is reports whether two hosts are one machine under two names: with the same boot id and NICs. Network namespaces
// share the boot id and have different NICs.
func is(h *check.Host, o *check.Host) bool {
	if h == o {
		return true
	}
	a, b := h.Facts, o.Facts
	return a.Boot != "" && a.Boot == b.Boot && slices.EqualFunc(a.NICs, b.NICs, func(x, y facts.Interface) bool {
		return x.Name == y.Name && x.MAC == y.MAC && slices.Equal(x.Addresses, y.Addresses)
	})
}

// sameSwitch reports whether both ports are plugged into switches, which the plan connects.
func sameSwitch(w *check.World, a, b check.Port) bool {
	on := func(p check.Port) bool {
		return p.Link != nil && (p.Link.Ends[0].Switch != "" || p.Link.Ends[1].Switch != "")
	}
	return on(a) && on(b)
}
