package check

import (
	"fmt"
	"net/netip"

	"linerate/facts"
	"linerate/plan"
)

var checkDuplicateSubnet = Check{
	ID:     "duplicate-subnet",
	Title:  "a subnet of its own for every interface",
	Why:    "of two routes to one subnet the kernel takes the first: one interface carries all and the other nothing, even for a program that names it",
	Worst:  plan.Error,
	Source: "measured in the lab: 94 of 1000 Mb/s over the wrong one of two interfaces in a subnet",
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			type at struct {
				nic    *facts.Interface
				prefix netip.Prefix
			}
			var seen []at
			for i := range h.Facts.NICs {
				n := &h.Facts.NICs[i]
				if !n.Up || n.Name == "lo" || n.Master != "" {
					continue
				}
				for _, a := range n.Addresses {
					if a.Addr().IsLinkLocalUnicast() || a.Bits() == a.Addr().BitLen() {
						continue
					}
					for _, s := range seen {
						if s.nic.Name == n.Name || !s.prefix.Overlaps(a.Masked()) {
							continue
						}
						f := Finding{
							Severity: plan.Warning, Subject: h.Name + ": " + s.nic.Name + " and " + n.Name,
							Have: fmt.Sprintf("both are in %s", wider(s.prefix, a.Masked())), Want: "each in a subnet of its own, or both in one bond",
							Evidence: []Evidence{seenAddresses(h, s.nic, s.nic.Name), seenAddresses(h, n, n.Name)},
							Fix:      "give one of them another subnet: " + delAddress.on(h, addressed(n.Name, a)...) + ", and an address of another range at both ends of its link",
							Undo:     addAddress.on(h, addressed(n.Name, a)...),
						}
						f.Consequence = "which of them packets leave through is up to the routing table"
						if route, ok := h.Facts.RouteTo(free(a)); ok {
							f.Evidence = append(f.Evidence, Evidence{h.Name, sourceOf(h, "ip route", "netstat -rn"), fmt.Sprintf("%s dev %s", route.Dst, route.Interface)})
							f.Consequence = "all that goes to " + route.Dst.String() + " leaves through " + route.Interface + ", whatever a program asks for"
						}
						if w.carries(h, n.Name) || w.carries(h, s.nic.Name) {
							f.Severity = plan.Error
						}
						r.found(f, h.Name+": "+s.nic.Name, h.Name+": "+n.Name)
					}
					seen = append(seen, at{n, a.Masked()})
				}
			}
		}
	},
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

// free is another address of the subnet than that one.
func free(p netip.Prefix) netip.Addr {
	a := p.Addr().Next()
	if !a.IsValid() || !p.Contains(a) {
		a = p.Addr().Prev()
	}
	return a
}
