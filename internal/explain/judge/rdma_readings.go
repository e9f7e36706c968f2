package judge

import (
	"cmp"
	"maps"
	"strconv"
	"strings"

	"linerate/internal/facts"
)

// rdmaReadings finds a counter of an RDMA device port in two snapshots, in hw_counters or else in counters.
func rdmaReadings(subject, counter string, a, b *facts.Facts) (was, now uint64, narrow bool, why string) {
	find := func(f *facts.Facts) map[string]uint64 {
		device, number, _ := strings.Cut(subject, "/")
		d := f.RDMADevice(device)
		if d == nil {
			return nil
		}
		for _, p := range d.Ports {
			if strconv.Itoa(p.Port) == cmp.Or(number, "1") {
				all := maps.Clone(p.Counters)
				if all == nil {
					all = map[string]uint64{}
				}
				maps.Copy(all, p.HWCounters)
				return all
			}
		}
		return nil
	}
	m, n := find(a), find(b)
	switch {
	case m == nil && n == nil:
		return 0, 0, false, "the host has no such RDMA device"
	case n == nil:
		return 0, 0, false, "the RDMA device was gone afterwards"
	case m == nil:
		return 0, 0, false, "the RDMA device was not there at first"
	}
	return both(m, n, counter)
}
