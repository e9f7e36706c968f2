package traffic

import (
	"fmt"
	"time"
)

// Steady is the interval of one direction, cut at reads.
type Steady struct {
	start, end int64   // stamps
	bytes      int64   // read in it, or arrived in it if that is less
	backlog    int64   // bytes less held at its end than at its start, 0 where unknown
	Streams    []int64 // read in it, by stream; in sum what was read
	warnings   []string
}

// seconds is the length of the interval between the two cuts.
func (s Steady) seconds() float64 { return float64(s.end-s.start) / 1e9 }

// Rate is n bytes over the interval, in bits per second.
func (s Steady) Rate(n int64) float64 {
	if s.end <= s.start {
		return 0
	}
	return float64(n) * 8 / s.seconds()
}

func (s Steady) goodput() float64 { return s.Rate(s.bytes) }

// cut applies the rule of the package comment to the streams of one direction. begin and end are the censuses at the
// two edges of the interval; nil: unknown.
func cut(w Interval, counters []*Counter, begin, end []Arrival) Steady {
	s := Steady{Streams: make([]int64, len(counters))}
	var total int64
	for _, c := range counters {
		if c.first != 0 && (s.start == 0 || c.first < s.start) {
			s.start = c.first
		}
		s.end = max(s.end, c.Last)
		total += c.inside
	}
	if s.start == 0 {
		s.start, s.end = w.Open, w.Close
		s.warnings = append(s.warnings, "nothing was received in the interval")
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
		s.Streams[i] = max(0, c.upTo(s.end)-c.before(s.start))
		s.bytes += s.Streams[i]
		shrunk += c.shrunk(s.start, s.end)
	}
	if came, ok := arrived(w, begin, end); ok {
		shrunk = 0
		if unread, waiting := pending(begin); unread > heldUnread || waiting > 0 {
			shrunk = s.bytes - int64(came*s.seconds())
		}
		unread, _ := pending(end)
		if share := float64(unread) / float64(max(1, total)); share > behind {
			s.warnings = append(s.warnings, fmt.Sprintf("%.1f %% of what arrived in the interval waited unread at its end: the "+
				"threads that read are behind, and the figure is what they have read", 100*share/(1+share)))
		}
	}
	s.backlog = shrunk
	s.bytes = max(0, s.bytes-max(0, shrunk))
	edge := (w.Close - w.Open) / edgeShare
	if late := s.start - w.Open; late > edge {
		s.warnings = append(s.warnings, fmt.Sprintf("nothing was received in the first %v of the interval",
			time.Duration(late).Round(time.Millisecond)))
		s.start = w.Open
	}
	if early := w.Close - s.end; early > edge {
		s.warnings = append(s.warnings, fmt.Sprintf("nothing was received in the last %v of the interval",
			time.Duration(early).Round(time.Millisecond)))
		s.end = w.Close
	}
	return s
}

// behind is the share of unread bytes from which on a warning says that readers are behind.
const behind = 0.01

// Arrival is what the kernel has received of one connection up to a stamp, read or not.
type Arrival struct {
	Stamp   int64 // 0: unknown
	Bytes   int64 // in order, since the connection began
	Unread  int64 // of them, in the socket
	Waiting int64 // memory of segments that wait for a lost one before them, an upper bound of their bytes
}

// heldUnread is the number of unread bytes up to which readers are not behind: a packet of the largest size has just
// arrived, and the one before it is being read.
const heldUnread = 128 << 10

// pending returns the unread bytes of all sockets, and the memory of those that wait for a lost segment.
func pending(all []Arrival) (unread, waiting int64) {
	for _, a := range all {
		unread, waiting = unread+a.Unread, waiting+a.Waiting
	}
	return unread, waiting
}

// arrived returns the bytes a second that arrived between two censuses; ok is false when they do not suffice. The time
// of each connection is that between its own two readings.
func arrived(w Interval, a, b []Arrival) (perSecond float64, ok bool) {
	if len(a) == 0 || len(a) != len(b) {
		return 0, false
	}
	var freed int64
	var mean float64
	for i := range a {
		length := b[i].Stamp - a[i].Stamp
		if a[i].Stamp == 0 || b[i].Stamp == 0 || length < (w.Close-w.Open)/2 {
			return 0, false
		}
		perSecond += float64(b[i].Bytes-a[i].Bytes) / float64(length) * 1e9
		freed += a[i].Waiting - b[i].Waiting
		mean += float64(length) / float64(len(a))
	}
	// What waited behind a hole at the beginning and not at the end arrived before the interval.
	return perSecond - float64(max(0, freed))/mean*1e9, true
}
