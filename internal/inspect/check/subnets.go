package check

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/base/unit"

	"linerate/internal/base/xslices"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// inSubnet is an address of an interface.
type inSubnet struct {
	nic     *facts.Interface
	address netip.Prefix
}

// Subnet are the addresses whose subnets overlap, and the widest of the subnets.
type Subnet struct {
	prefix netip.Prefix
	on     []inSubnet
}

// Names returns the interfaces, each once.
func (s Subnet) Names() (out []string) {
	for _, a := range s.on {
		out = xslices.AppendNew(out, a.nic.Name)
	}
	return out
}

// Subnets returns the subnets of a host's enabled interfaces.
func Subnets(f *facts.Facts) (out []Subnet) {
	for i := range f.NICs {
		n := &f.NICs[i]
		if !n.Up || n.Name == "lo" || n.Master != "" {
			continue
		}
		for _, a := range n.Addresses {
			if a.Addr().IsLinkLocalUnicast() || a.Bits() == a.Addr().BitLen() {
				continue
			}
			here := Subnet{a.Masked(), []inSubnet{{n, a}}}
			apart := out[:0:0]
			for _, s := range out { // a wide subnet joins separate ones
				if !s.prefix.Overlaps(here.prefix) {
					apart = append(apart, s)
					continue
				}
				here = Subnet{wider(s.prefix, here.prefix), append(s.on, here.on...)}
			}
			out = append(apart, here)
		}
	}
	return out
}

// SharedSubnet reports that several interfaces are in one subnet, and which of the addresses are not in the plan.
func (w *World) SharedSubnet(h *Host, s Subnet, r *Report) {
	names := s.Names()
	f := record.Finding{Severity: record.Warning, Subject: h.Subject(names...),
		Have: fmt.Sprintf("%s are in %s", unit.If(len(names) == 2, "both", fmt.Sprintf("all %d", len(names))), s.prefix),
		Want: "each in a subnet of its own, or all in one bond"}
	if len(names) == 2 {
		f.Want = "each in a subnet of its own, or both in one bond"
	}
	var about []record.Subject
	for i, name := range names {
		n := h.Facts.NIC(name)
		about = append(about, h.Subject(name))
		if i < 4 {
			f.Evidence = append(f.Evidence, SeenAddresses(h, n, name))
		}
		if w.Carries(h, name) {
			f.Severity = record.Error
		}
	}
	var fix, undo []string // of what differs from the plan
	for _, a := range s.on {
		here := Addressed(a.nic.Name, a.address)
		switch want, ok := w.Belongs(h, a.nic.Name, a.address.Addr()); {
		case !ok:
			fix, undo = append(fix, DelAddress.On(h, here...)), append(undo, AddAddress.On(h, here...))
		case want != a.address: // with another length of its prefix
			there := Addressed(a.nic.Name, want)
			fix = append(fix, Then(h, DelAddress.On(h, here...), AddAddress.On(h, there...)))
			undo = append(undo, Then(h, DelAddress.On(h, there...), AddAddress.On(h, here...)))
		}
	}
	f.Consequence = "which of them packets leave through is up to the routing table"
	if rules := h.Facts.Rules.Or(0); rules > 0 {
		f.Severity = record.Warning
		f.Consequence = fmt.Sprintf("%s; %d policy routing rules may give each address a way of its own (ip rule)",
			f.Consequence, rules)
	} else if route, ok := h.Facts.RouteTo(free(h.Facts, s)); ok {
		f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: SourceOf(h, "ip route", "netstat -rn"),
			Line: fmt.Sprintf("%s dev %s", route.Dst, route.Interface)})
		f.Consequence = "all that goes to " + route.Dst.String() + " leaves through " + route.Interface +
			", whichever of the addresses a program uses"
	}
	switch last := s.on[len(s.on)-1]; {
	case w.Plan == nil:
		f.Fix = "give one of them another subnet, as " + DelAddress.On(h, Addressed(last.nic.Name, last.address)...) +
			", and an address of another range at both ends of its link"
		f.Undo = AddAddress.On(h, Addressed(last.nic.Name, last.address)...)
	case len(fix) == 0:
		f.Fix = "the file itself has them so: give each of the links a subnet of its own there, or join the ports in a " +
			"bond, then linerate apply"
	default:
		f.Fix, f.Undo = strings.Join(fix, "; "), strings.Join(undo, "; ")
	}
	r.Found(f, about...)
}

// Carries reports whether a link of the plan uses the interface.
func (w *World) Carries(h *Host, nic string) bool {
	return slices.ContainsFunc(w.Plugged(h), func(p Port) bool {
		return p.Nic.Name == nic || p.Port.VLANInterface == nic
	})
}

func wider(a, b netip.Prefix) netip.Prefix {
	if a.Bits() <= b.Bits() {
		return a
	}
	return b
}

// free returns an address that is in the subnets of all these interfaces, and is not the host's own.
func free(f *facts.Facts, s Subnet) netip.Addr {
	narrow := s.on[0].address.Masked()
	for _, a := range s.on {
		if a.address.Bits() > narrow.Bits() {
			narrow = a.address.Masked()
		}
	}
	a := narrow.Addr().Next()
	for range 4096 {
		if holder, _ := Holder(f, a); holder == nil && narrow.Contains(a) {
			return a
		}
		a = a.Next()
	}
	return netip.Addr{}
}
