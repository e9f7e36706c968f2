package measure

import (
	"fmt"
	"time"
)

// steady is the window of one direction cut at reads.
type steady struct {
	start, end int64   // stamps
	bytes      int64   // read in it, or arrived in it if that is less
	backlog    int64   // bytes less held at its end than at its start, 0 where not known
	streams    []int64 // read in it, by stream; in sum what was read
	warnings   []string
}

// seconds is the length of the window between the two cuts.
func (s steady) seconds() float64 { return float64(s.end-s.start) / 1e9 }

// rate is n bytes over the window, in bits per second.
func (s steady) rate(n int64) float64 {
	if s.end <= s.start {
		return 0
	}
	return float64(n) * 8 / s.seconds()
}

func (s steady) goodput() float64 { return s.rate(s.bytes) }

// cut applies the rule of the package comment to the streams of one direction.
func cut(w window, counters []*counter) steady {
	s := steady{streams: make([]int64, len(counters))}
	for _, c := range counters {
		if c.first != 0 && (s.start == 0 || c.first < s.start) {
			s.start = c.first
		}
		s.end = max(s.end, c.last)
	}
	if s.start == 0 {
		s.start, s.end = w.open, w.close
		s.warnings = append(s.warnings, "nothing was received in the window")
		return s
	}
	s.start, s.end = firstEdge(counters, s.start), lastEdge(counters, s.end)
	var shrunk int64
	for i, c := range counters {
		s.streams[i] = max(0, c.until(s.end)-c.before(s.start))
		s.bytes += s.streams[i]
		shrunk += c.shrunk(s.start, s.end)
	}
	s.backlog = shrunk
	s.bytes = max(0, s.bytes-max(0, shrunk))
	edge := (w.close - w.open) / edgeShare
	if late := s.start - w.open; late > edge {
		s.warnings = append(s.warnings, fmt.Sprintf("nothing was received in the first %v of the window", time.Duration(late).Round(time.Millisecond)))
		s.start = w.open
	}
	if early := w.close - s.end; early > edge {
		s.warnings = append(s.warnings, fmt.Sprintf("nothing was received in the last %v of the window", time.Duration(early).Round(time.Millisecond)))
		s.end = w.close
	}
	return s
}

// firstEdge is the stamp of the first read that left nothing behind, else of the first one whose stamp is not late,
// else first, which is that of the first read at all.
func firstEdge(counters []*counter, first int64) int64 {
	var clean, known int64
	for _, c := range counters {
		for _, e := range c.head {
			if e.held == 0 && (clean == 0 || e.stamp < clean) {
				clean = e.stamp
			}
			if e.held >= 0 && (known == 0 || e.stamp < known) {
				known = e.stamp
			}
		}
	}
	switch {
	case clean != 0:
		return clean
	case known != 0:
		return known
	}
	return first
}

// lastEdge is the same from the other end.
func lastEdge(counters []*counter, last int64) int64 {
	var clean, known int64
	for _, c := range counters {
		for _, e := range c.foot {
			if e.held == 0 {
				clean = max(clean, e.stamp)
			}
			if e.held >= 0 {
				known = max(known, e.stamp)
			}
		}
	}
	switch {
	case clean != 0:
		return clean
	case known != 0:
		return known
	}
	return last
}
