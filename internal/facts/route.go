package facts

import (
	"net/netip"
	"slices"
)

// RouteTo returns the route of a packet to addr: the one with the longest prefix and, among those, the lowest metric;
// of several next hops the first. An address of the host itself is reached over loopback. It is false if there is no
// route, if the best one rejects the packet, or if policy routing rules may select another table. Unknown rules count
// as none.
func (f *Facts) RouteTo(addr netip.Addr) (Route, bool) {
	addr = addr.Unmap().WithZone("")
	if !addr.IsValid() {
		return Route{}, false
	}
	for _, nic := range f.NICs {
		for _, own := range nic.Addresses {
			if own.Addr() == addr {
				return Route{Dst: netip.PrefixFrom(addr, addr.BitLen()), Interface: "lo", Source: addr}, true
			}
		}
	}
	if addr.IsLoopback() {
		return Route{Dst: netip.PrefixFrom(addr, addr.BitLen()), Interface: "lo"}, true
	}
	if f.Rules.Or(0) > 0 {
		return Route{}, false
	}
	best, found := f.best(addr)
	if best.Kind != "" || best.Interface == "" {
		return Route{}, false
	}
	return best, found
}

// Rejected returns the route that rejects packets to addr (blackhole, unreachable, prohibit), if it is the best one and
// no policy routing rule may select another table.
func (f *Facts) Rejected(addr netip.Addr) (Route, bool) {
	best, found := f.best(addr.Unmap().WithZone(""))
	return best, found && best.Kind != "" && f.Rules.Or(0) == 0
}

// best returns the route with the longest prefix and, among those, the lowest metric.
func (f *Facts) best(addr netip.Addr) (best Route, found bool) {
	for _, r := range f.Routes {
		if !r.Dst.Contains(addr) {
			continue
		}
		if !found || r.Dst.Bits() > best.Dst.Bits() || r.Dst.Bits() == best.Dst.Bits() && r.Metric < best.Metric {
			best, found = r, true
		}
	}
	return best, found
}

// Neighbour is an entry of a host's neighbour table (ARP, NDP), learned or static.
type Neighbour struct {
	Address   netip.Addr `json:"address"`
	Interface string     `json:"interface"`
	MAC       string     `json:"mac"` // empty: no answer
	// State is the kernel's word: REACHABLE, DELAY and PROBE were confirmed a short while ago, STALE was once, PERMANENT
	// is static.
	State string `json:"state"`
	Proof
}

// Fresh reports whether the answer is at most about a minute old. A static entry, or one of an adapter that was
// replaced since, is not.
func (n Neighbour) Fresh() bool {
	return n.MAC != "" && slices.Contains([]string{"REACHABLE", "DELAY", "PROBE"}, n.State)
}

// Neighbour returns the entry of an address on the network of an interface.
func (f *Facts) Neighbour(nic string, a netip.Addr) (Neighbour, bool) {
	i := slices.IndexFunc(f.Neighbours, func(n Neighbour) bool { return n.Interface == nic && n.Address == a })
	if i < 0 {
		return Neighbour{}, false
	}
	return f.Neighbours[i], true
}
