package icmp

import (
	"slices"

	"linerate/internal/record"
)

const (
	// probeTries is the number of probes without an answer from which on a size is too large: packets are lost, too.
	probeTries = 3
	// probesAtOnce is the number of parts into which a round divides the range that is left.
	probesAtOnce = 16
)

// usualMTUs are tried first: minima of IPv4 and IPv6, PPPoE, Ethernet, VXLAN on top of it, FDDI and Infiniband, jumbo.
var usualMTUs = []int{68, 576, 1280, 1400, 1492, 1500, 1550, 2044, 4092, 4352, 8900, 9000, 9216}

// answerOf is what became of packets of several sizes that were sent at once.
type answerOf struct {
	back []int  // sizes that were answered
	hop  string // that answered "too big"; empty: none
	mtu  int    // that it named; 0: none
}

// searchMTU finds the largest packet that comes back, between least and device bytes; probe sends one of each size,
// waits, and is asked again for those that did not come back.
func searchMTU(least, device int, probe func(sizes []int) (answerOf, error)) (*record.PathMTU, error) {
	m := &record.PathMTU{Device: device}
	low, high := 0, device+1
	round := func(sizes []int) error {
		var open []int
		for _, n := range sizes {
			if n > low && n < high && !slices.Contains(open, n) {
				open = append(open, n)
			}
		}
		for try := 0; try < probeTries && len(open) > 0; try++ {
			a, err := probe(open)
			if err != nil {
				return err
			}
			m.Tried += len(open)
			for _, n := range a.back {
				low = max(low, n)
			}
			if a.hop != "" {
				m.Hop, m.Reported = a.hop, a.mtu
			}
			open = slices.DeleteFunc(open, func(n int) bool {
				return n <= low || m.Reported > 0 && m.Reported >= low && n > m.Reported
			})
		}
		// What is left, and what a hop has refused, is too large, if anything smaller came back.
		for _, n := range sizes {
			if n > low && n < high {
				high = n
			}
		}
		return nil
	}
	if err := round(slices.DeleteFunc(append(slices.Clone(usualMTUs), least, device),
		func(n int) bool { return n < least || n > device })); err != nil {
		return nil, err
	}
	if low == 0 {
		m.Why = "packets of no size came back"
		return m, nil
	}
	for high-low > 1 {
		sizes := []int{low + 1}
		if m.Reported > low && m.Reported+1 < high {
			sizes = append(sizes, m.Reported, m.Reported+1)
		}
		for i := 1; i < probesAtOnce; i++ {
			sizes = append(sizes, low+(high-low)*i/probesAtOnce)
		}
		if err := round(sizes); err != nil {
			return nil, err
		}
	}
	m.Bytes = low
	if low < device {
		m.Fails = high
		m.Silent = m.Hop == ""
	}
	return m, nil
}
