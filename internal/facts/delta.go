package facts

func rebooted(before, after *Facts) bool {
	return before.Boot != "" && after.Boot != "" && before.Boot != after.Boot
}

// subtractable says whether counters of the two captures can be subtracted.
func subtractable(before, after *Facts) bool {
	return before != nil && after != nil && !rebooted(before, after)
}

// CounterDelta is by how much a counter of an interface grew: one of the kernel's
// (rx_bytes) or else one of the driver's. It is false when either capture lacks it,
// and when it went back: the interface was made anew or its counters reset, so that
// what came before is not known.
func CounterDelta(before, after *Facts, iface, name string) (uint64, bool) {
	if !subtractable(before, after) {
		return 0, false
	}
	a, b := before.NIC(iface), after.NIC(iface)
	if a == nil || b == nil || a.Index != 0 && b.Index != 0 && a.Index != b.Index {
		return 0, false
	}
	if _, ok := b.Counters[name]; ok {
		return grown(a.Counters, b.Counters, name)
	}
	return grown(a.Driven, b.Driven, name)
}

// SNMPDelta is by how much a counter of the host's protocols grew, by its name in
// Facts.Counters ("Tcp.RetransSegs"). It is false when either capture lacks it or it
// went back.
func SNMPDelta(before, after *Facts, name string) (uint64, bool) {
	if !subtractable(before, after) {
		return 0, false
	}
	return grown(before.Counters, after.Counters, name)
}

func grown(before, after map[string]uint64, name string) (uint64, bool) {
	a, okA := before[name]
	b, okB := after[name]
	if !okA || !okB || b < a {
		return 0, false
	}
	return b - a, true
}
