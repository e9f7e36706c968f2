package check

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/record"
)

var checkDuplicateSubnet = Check{
	ID:     "duplicate-subnet",
	Title:  "a subnet of its own for every interface",
	Why:    "of two routes to one subnet the kernel takes the first: one interface carries all and the other nothing, even for a program that names its address",
	Worst:  record.Error,
	Source: "measured in the lab: 94 of 1000 Mb/s over the wrong one of two interfaces in a subnet",
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			for _, s := range subnets(h.Facts) {
				if len(s.names()) > 1 {
					w.sharedSubnet(h, s, r)
				}
			}
		}
	},
}

// inSubnet is an address of an interface.
type inSubnet struct {
	nic     *facts.Interface
	address netip.Prefix
}

// subnet are the addresses whose subnets overlap, and the widest of those.
type subnet struct {
	prefix netip.Prefix
	on     []inSubnet
}

// names are the interfaces, each once.
func (s subnet) names() (out []string) {
	for _, a := range s.on {
		if !slices.Contains(out, a.nic.Name) {
			out = append(out, a.nic.Name)
		}
	}
	return out
}

// subnets are those of a host's interfaces that are on.
func subnets(f *facts.Facts) (out []subnet) {
	for i := range f.NICs {
		n := &f.NICs[i]
		if !n.Up || n.Name == "lo" || n.Master != "" {
			continue
		}
		for _, a := range n.Addresses {
			if a.Addr().IsLinkLocalUnicast() || a.Bits() == a.Addr().BitLen() {
				continue
			}
			here := subnet{a.Masked(), []inSubnet{{n, a}}}
			apart := out[:0:0]
			for _, s := range out { // a wide one joins those that were apart
				if !s.prefix.Overlaps(here.prefix) {
					apart = append(apart, s)
					continue
				}
				here = subnet{wider(s.prefix, here.prefix), append(s.on, here.on...)}
			}
			out = append(apart, here)
		}
	}
	return out
}

// sharedSubnet says that several interfaces are in one subnet, and which of the addresses are not the plan's.
func (w *World) sharedSubnet(h *Host, s subnet, r *report) {
	names := s.names()
	f := record.Finding{
		Severity: record.Warning, Subject: h.Name + ": " + words(names),
		Have: fmt.Sprintf("%s are in %s", map[bool]string{true: "both", false: fmt.Sprintf("all %d", len(names))}[len(names) == 2], s.prefix),
		Want: "each in a subnet of its own, or all in one bond",
	}
	if len(names) == 2 {
		f.Want = "each in a subnet of its own, or both in one bond"
	}
	var about []string
	for i, name := range names {
		n := h.Facts.NIC(name)
		about = append(about, h.Name+": "+name)
		if i < 4 {
			f.Evidence = append(f.Evidence, seenAddresses(h, n, name))
		}
		if w.carries(h, name) {
			f.Severity = record.Error
		}
	}
	var fix, undo []string // of what is against the plan
	for _, a := range s.on {
		here := addressed(a.nic.Name, a.address)
		switch want, ok := w.belongs(h, a.nic.Name, a.address.Addr()); {
		case !ok:
			fix, undo = append(fix, delAddress.on(h, here...)), append(undo, addAddress.on(h, here...))
		case want != a.address: // with another length of its prefix
			there := addressed(a.nic.Name, want)
			fix = append(fix, then(h, delAddress.on(h, here...), addAddress.on(h, there...)))
			undo = append(undo, then(h, delAddress.on(h, there...), addAddress.on(h, here...)))
		}
	}
	f.Consequence = "which of them packets leave through is up to the routing table"
	if rules := h.Facts.Rules.Or(0); rules > 0 {
		f.Severity = record.Warning
		f.Consequence = fmt.Sprintf("%s; %d policy routing rules may give each address a way of its own (ip rule)", f.Consequence, rules)
	} else if route, ok := h.Facts.RouteTo(free(h.Facts, s)); ok {
		f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: sourceOf(h, "ip route", "netstat -rn"), Line: fmt.Sprintf("%s dev %s", route.Dst, route.Interface)})
		f.Consequence = "all that goes to " + route.Dst.String() + " leaves through " + route.Interface + ", whichever of the addresses a program uses"
	}
	switch last := s.on[len(s.on)-1]; {
	case w.Plan == nil:
		f.Fix = "give one of them another subnet, as " + delAddress.on(h, addressed(last.nic.Name, last.address)...) + ", and an address of another range at both ends of its link"
		f.Undo = addAddress.on(h, addressed(last.nic.Name, last.address)...)
	case len(fix) == 0:
		f.Fix = "the file itself has them so: give each of the links a subnet of its own there, or join the ports in a bond, then linerate apply"
	default:
		f.Fix, f.Undo = strings.Join(fix, "; "), strings.Join(undo, "; ")
	}
	r.found(f, about...)
}

// carries says whether a link of the plan is on that interface.
func (w *World) carries(h *Host, nic string) bool {
	for _, p := range w.plugged(h) {
		if p.nic.Name == nic || p.port.VLANInterface == nic {
			return true
		}
	}
	return false
}

func wider(a, b netip.Prefix) netip.Prefix {
	if a.Bits() <= b.Bits() {
		return a
	}
	return b
}

// free is an address that all of the subnet's interfaces take for one of theirs, and that is not the host's own.
func free(f *facts.Facts, s subnet) netip.Addr {
	narrow := s.on[0].address.Masked()
	for _, a := range s.on {
		if a.address.Bits() > narrow.Bits() {
			narrow = a.address.Masked()
		}
	}
	a := narrow.Addr().Next()
	for range 4096 {
		if holder, _ := holder(f, a); holder == nil && narrow.Contains(a) {
			return a
		}
		a = a.Next()
	}
	return netip.Addr{}
}
