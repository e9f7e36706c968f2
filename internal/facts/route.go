package facts

import "net/netip"

// RouteTo is the route that a packet to addr takes: the one with the longest prefix
// and, among those, the lowest metric; of several next hops the first. An address of
// the host itself is reached over loopback. It is false when there is no route, when
// the best one rejects the packet, and when policy routing rules may choose another
// table than the one that was read. Rules that are unknown count as none.
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

// Rejected is the route that keeps packets to addr from leaving (blackhole, unreachable, prohibit), if the best one is of that kind
// and no policy routing rule may choose another table.
func (f *Facts) Rejected(addr netip.Addr) (Route, bool) {
	best, found := f.best(addr.Unmap().WithZone(""))
	return best, found && best.Kind != "" && f.Rules.Or(0) == 0
}

// best is the route of the table with the longest prefix and, among those, the lowest metric.
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
