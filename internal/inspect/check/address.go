package check

import (
	"fmt"
	"net/netip"
	"slices"

	"linerate/internal/facts"
	"linerate/internal/record"
)

var checkAddress = Check{
	ID:      "address",
	Title:   "the planned address on every port",
	Why:     "what the names of the hosts files lead to has to be there",
	Worst:   record.Error,
	Source:  "the fabric file",
	Because: []string{"no-interface"},
	look: func(w *World, r *report) {
		for p := range w.ports() {
			h := p.host
			if !p.port.Address.IsValid() {
				continue
			}
			name, on := p.nic.Name, p.addressed()
			if p.port.VLAN != 0 {
				name = p.port.VLANInterface
			}
			if on != nil && slices.Contains(on.Addresses, p.port.Address) {
				continue
			}
			f := record.Finding{
				Severity: record.Error, Subject: h.Name + ": " + name,
				Have: "no address of the plan", Want: p.port.Address.String() + " of the link " + p.port.Link,
				Evidence:    []record.EvidenceLine{seenAddresses(h, on, name)},
				Consequence: "the peers reach it over another link, or not at all",
				Fix:         addAddress.on(h, addressed(name, p.port.Address)...), Undo: delAddress.on(h, addressed(name, p.port.Address)...),
			}
			if on == nil && p.port.VLAN != 0 { // the VLAN has no interface of its own yet
				values := append(addressed(name, p.port.Address), "below", p.nic.Name, "vlan", p.port.VLAN)
				f.Fix, f.Undo = addVLAN.on(h, values...), delVLAN.on(h, values...)
			}
			if other, old := holder(h.Facts, p.port.Address.Addr()); other != nil {
				f.Have = addresses(on)
				if other.Name != name {
					f.Have = "the address is on " + other.Name
					f.Evidence = append(f.Evidence, seenAddresses(h, other, other.Name))
				} else {
					f.Consequence = "which addresses are behind this link is not what the plan has: others may be looked for where they are not"
				}
				f.Fix = then(h, delAddress.on(h, addressed(other.Name, old)...), f.Fix)
				f.Undo = then(h, f.Undo, addAddress.on(h, addressed(other.Name, old)...))
			}
			r.found(f, p.subject(), h.Name+": "+name)
		}
	},
}

func addresses(n *facts.Interface) string {
	switch {
	case n == nil:
		return "no such interface"
	case len(n.Addresses) == 0:
		return "no address"
	}
	var list []string
	for _, a := range n.Addresses {
		list = append(list, a.String())
	}
	return words(list)
}

// seenAddresses is the line of evidence for what an interface has.
func seenAddresses(h *Host, n *facts.Interface, name string) record.EvidenceLine {
	return seen(h, n, "addresses", sourceOf(h, "ip address", "ifconfig"), name+": "+addresses(n))
}

// addressed are the values of a command about an address.
func addressed(nic string, a netip.Prefix) []any {
	return []any{"nic", nic, "address", a, "ip", a.Addr(), "bits", a.Bits(), "family", family(a.Addr())}
}

// family is an address' as ifconfig and route of FreeBSD name it.
func family(a netip.Addr) string {
	if a.Is4() {
		return "inet"
	}
	return "inet6"
}

// holder is the interface that has an address, and the address as it stands there.
func holder(f *facts.Facts, addr netip.Addr) (*facts.Interface, netip.Prefix) {
	for i := range f.NICs {
		for _, p := range f.NICs[i].Addresses {
			if p.Addr() == addr {
				return &f.NICs[i], p
			}
		}
	}
	return nil, netip.Prefix{}
}

var checkDuplicateAddress = Check{
	ID:     "duplicate-address",
	Title:  "one owner for every address",
	Why:    "who answers first gets the packets, and that changes with every answer",
	Worst:  record.Error,
	Source: "RFC 5227; measured in the lab: connections stall and move",
	look: func(w *World, r *report) {
		type place struct {
			host   *Host
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
					if !slices.ContainsFunc(owners[addr], func(p place) bool { return p.host.is(h) && p.nic == n.Name }) { // with two prefix lengths
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
			f := record.Finding{Severity: record.Error, Subject: "address " + addr.String(), Want: "one owner",
				Consequence: "connections to it stall, or end at the wrong machine"}
			names, about := []string{}, []string{addr.String()}
			for _, p := range who {
				names = append(names, p.host.Name+": "+p.nic)
				about = append(about, p.host.Name+": "+p.nic)
				f.Evidence = append(f.Evidence, record.EvidenceLine{Host: p.host.Name, Source: sourceOf(p.host, "ip address", "ifconfig"), Line: p.nic + " has " + addr.String()})
			}
			f.Have = words(names) + " have it"
			wrong, owned := who[len(who)-1], false
			for _, p := range who { // who has it against the plan
				if _, ok := w.belongs(p.host, p.nic, addr); ok {
					owned = true
				} else if w.Plan != nil {
					wrong = p
				}
			}
			f.Fix = fmt.Sprintf("on %s: %s", wrong.host.Name, delAddress.on(wrong.host, addressed(wrong.nic, wrong.prefix)...))
			f.Undo = fmt.Sprintf("on %s: %s", wrong.host.Name, addAddress.on(wrong.host, addressed(wrong.nic, wrong.prefix)...))
			if !owned {
				f.Fix = "where it does not belong, as " + f.Fix
			}
			r.found(f, about...)
		}
		probed := &report{}
		answeredTwice(w, probed, false)
		answeredElsewhere(w, probed)
		for _, f := range probed.findings { // the same duplicate by another witness
			i := slices.IndexFunc(r.findings, func(g record.Finding) bool { return g.Subject == f.Subject })
			if i >= 0 {
				r.findings[i].Evidence = append(r.findings[i].Evidence, f.Evidence...)
				continue
			}
			r.findings = append(r.findings, f)
		}
	},
}

// ownNetwork says whether the interface is one that every machine of its kind makes for itself, with the same address
// everywhere: of containers and virtual machines.
func ownNetwork(n facts.Interface) bool {
	return slices.Contains([]string{"docker0", "virbr0", "podman0", "cni0", "lxcbr0"}, n.Name)
}

// belongs is a port's address in the plan, if the plan has that address on that interface of a host.
func (w *World) belongs(h *Host, nic string, addr netip.Addr) (netip.Prefix, bool) {
	if h.Plan == nil {
		return netip.Prefix{}, false
	}
	for _, p := range h.Plan.Ports {
		on := p.Interface
		if p.VLAN != 0 {
			on = p.VLANInterface
		}
		if p.Address.IsValid() && p.Address.Addr() == addr && on == nic {
			return p.Address, true
		}
	}
	return netip.Prefix{}, false
}
