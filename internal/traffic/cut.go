package traffic

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

// cut applies the rule of the package comment to the streams of one direction. begin and end are the censuses at the
// window's two edges, nil where the kernel does not tell.
func cut(w window, counters []*counter, begin, end []arrival) steady {
	s := steady{streams: make([]int64, len(counters))}
	var total int64
	for _, c := range counters {
		if c.first != 0 && (s.start == 0 || c.first < s.start) {
			s.start = c.first
		}
		s.end = max(s.end, c.last)
		total += c.inside
	}
	if s.start == 0 {
		s.start, s.end = w.open, w.close
		s.warnings = append(s.warnings, "nothing was received in the window")
		return s
	}
	head, foot := headSteps(counters), footSteps(counters)
	rate := float64(total) / float64(max(1, s.end-s.start))
	if len(head) > 0 {
		s.start = LeastLate(head, rate).NS
	}
	if len(foot) > 0 {
		s.end = LeastLate(foot, rate).NS
	}
	var shrunk int64
	for i, c := range counters {
		s.streams[i] = max(0, c.upTo(s.end)-c.before(s.start))
		s.bytes += s.streams[i]
		shrunk += c.shrunk(s.start, s.end)
	}
	if came, ok := arrived(w, begin, end); ok {
		shrunk = 0
		if unread, waiting := pending(begin); unread > heldUnread || waiting > 0 {
			shrunk = s.bytes - int64(came*s.seconds())
		}
		unread, _ := pending(end)
		if share := float64(unread) / float64(max(1, total)); share > behind {
			s.warnings = append(s.warnings, fmt.Sprintf("%.1f %% of what arrived in the window waited unread at its end: the threads that read are behind, and the figure is what they have read", 100*share/(1+share)))
		}
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

// behind is the share of what arrived from which on it is said that it was not read in time.
const behind = 0.01
