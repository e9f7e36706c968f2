package check

import (
	"net/netip"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// Addresses lists the addresses of an interface.
func Addresses(n *facts.Interface) string {
	switch {
	case n == nil:
		return "no such interface"
	case len(n.Addresses) == 0:
		return "no address"
	}
	list := xslices.Map(n.Addresses, netip.Prefix.String)
	return unit.List(list)
}

// SeenAddresses returns the evidence of an interface's addresses.
func SeenAddresses(h *Host, n *facts.Interface, name string) record.EvidenceLine {
	return Seen(h, n, "addresses", SourceOf(h, "ip address", "ifconfig"), name+": "+Addresses(n))
}

// Addressed returns the values of a command about an address.
func Addressed(nic string, a netip.Prefix) []any {
	return []any{"nic", nic, "address", a, "ip", a.Addr(), "bits", a.Bits(), "family", family(a.Addr())}
}

// family returns the address family in the words of FreeBSD's ifconfig and route.
func family(a netip.Addr) string {
	if a.Is4() {
		return "inet"
	}
	return "inet6"
}

// Holder returns the interface that has an address, and the address with its prefix there.
func Holder(f *facts.Facts, addr netip.Addr) (*facts.Interface, netip.Prefix) {
	for i := range f.NICs {
		for _, p := range f.NICs[i].Addresses {
			if p.Addr() == addr {
				return &f.NICs[i], p
			}
		}
	}
	return nil, netip.Prefix{}
}

// Belongs returns a port's address in the plan, if the plan has it on this interface of the host.
func (w *World) Belongs(h *Host, nic string, addr netip.Addr) (netip.Prefix, bool) {
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
