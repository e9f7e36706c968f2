package traffic

import (
	"cmp"
	"slices"
)

// steps returns the reads of all connections at one edge of the interval in the order of their stamps, each with the
// bytes up to and including it. base is the number of bytes before them. A connection that has read more often than is
// kept ends the list at its last kept read: beyond, the sum is unknown.
func steps(base int64, logs [][]edge) []Mark {
	var out []Mark
	known := int64(1<<63 - 1)
	for _, log := range logs {
		before := int64(0)
		if len(log) > 0 {
			before = log[0].inside - log[0].n
		}
		for _, e := range log {
			out = append(out, Mark{e.stamp, e.inside - before})
			before = e.inside
		}
		if len(log) == edgesKept {
			known = min(known, log[edgesKept-1].stamp)
		}
	}
	slices.SortStableFunc(out, func(a, b Mark) int { return cmp.Compare(a.NS, b.NS) })
	out = slices.DeleteFunc(out, func(m Mark) bool { return m.NS > known })
	for i := range out {
		base += out[i].Bytes
		out[i].Bytes = base
	}
	return out
}

// LeastLate returns the mark at which the most bytes had arrived for its time, at a rate in bytes a nanosecond: a read
// may be late, never early (see the package comment). There must be a mark.
func LeastLate(marks []Mark, rate float64) Mark {
	best, most := marks[0], 0.0
	for _, m := range marks[1:] {
		if ahead := float64(m.Bytes-marks[0].Bytes) - rate*float64(m.NS-marks[0].NS); ahead >= most {
			best, most = m, ahead
		}
	}
	return best
}
