package check

import (
	"fmt"
	"net/netip"
	"slices"

	"linerate/facts"
	"linerate/plan"
)

var checkAddress = Check{
	ID:      "address",
	Title:   "the planned address on every port",
	Why:     "what the names of the hosts files lead to has to be there",
	Worst:   plan.Error,
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
			f := Finding{
				Severity: plan.Error, Subject: h.Name + ": " + name,
				Have: "no address of the plan", Want: p.port.Address.String() + " of the link " + p.port.Link,
				Evidence:    []Evidence{seenAddresses(h, on, name)},
				Consequence: "the peers reach it over another link, or not at all",
				Fix:         addAddress.on(h, addressed(name, p.port.Address)...), Undo: delAddress.on(h, addressed(name, p.port.Address)...),
			}
			if other := holder(h.Facts, p.port.Address.Addr()); other != nil {
				f.Have = addresses(on)
				if other.Name != name {
					f.Have = "the address is on " + other.Name
					f.Evidence = append(f.Evidence, seenAddresses(h, other, other.Name))
				}
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
func seenAddresses(h *Host, n *facts.Interface, name string) Evidence {
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

// holder is the interface that has an address.
func holder(f *facts.Facts, addr netip.Addr) *facts.Interface {
	for i := range f.NICs {
		if slices.ContainsFunc(f.NICs[i].Addresses, func(p netip.Prefix) bool { return p.Addr() == addr }) {
			return &f.NICs[i]
		}
	}
	return nil
}

var checkDuplicateAddress = Check{
	ID:     "duplicate-address",
	Title:  "one owner for every address",
	Why:    "who answers first gets the packets, and that changes with every answer",
	Worst:  plan.Error,
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
					owners[addr] = append(owners[addr], place{h, n.Name, a})
				}
			}
		}
		for _, addr := range order {
			who := owners[addr]
			if len(who) < 2 {
				continue
			}
			f := Finding{Severity: plan.Error, Subject: "address " + addr.String(), Want: "one owner",
				Consequence: "connections to it stall, or end at the wrong machine"}
			names, about := []string{}, []string{addr.String()}
			for _, p := range who {
				names = append(names, p.host.Name+": "+p.nic)
				about = append(about, p.host.Name+": "+p.nic)
				f.Evidence = append(f.Evidence, Evidence{p.host.Name, sourceOf(p.host, "ip address", "ifconfig"), p.nic + " has " + addr.String()})
			}
			f.Have = words(names) + " have it"
			wrong := who[len(who)-1]
			for _, p := range who { // who has it against the plan
				if w.Plan != nil && !planned(w, p.host.Name, addr) {
					wrong = p
				}
			}
			f.Fix = fmt.Sprintf("on %s: %s", wrong.host.Name, delAddress.on(wrong.host, addressed(wrong.nic, wrong.prefix)...))
			f.Undo = fmt.Sprintf("on %s: %s", wrong.host.Name, addAddress.on(wrong.host, addressed(wrong.nic, wrong.prefix)...))
			r.found(f, about...)
		}
		probed := &report{}
		answeredTwice(w, probed, false)
		for _, f := range probed.findings { // the same duplicate by another witness
			i := slices.IndexFunc(r.findings, func(g Finding) bool { return g.Subject == f.Subject })
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

func planned(w *World, host string, addr netip.Addr) bool {
	h := w.Plan.Host(host)
	return h != nil && slices.ContainsFunc(h.Ports, func(p *plan.Port) bool { return p.Address.IsValid() && p.Address.Addr() == addr })
}
