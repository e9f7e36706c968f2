package udp

import "linerate/internal/traffic"

// seenDatagrams is the largest distance from the newest datagram at which a late one is told apart from a duplicate.
// One that is later counts as received and reordered.
const seenDatagrams = 1 << 17

// sequence counts what one connection receives by the datagrams' numbers.
//
// Lost, of a direction, is what the sender sent in its interval less what was received of it until the experiment ends,
// 300 ms after the last datagram. The time of arrival, and the edges of the receiver's interval, make no difference: a
// late datagram is not a lost one. Reordered is one that arrives behind a datagram with a higher number (RFC 4737
// section 3). Jitter is the estimate of RFC 3550 section 6.4.1 over the times at which reads returned and the senders'
// calls began: datagrams of one call have one time.
type sequence struct {
	newest     int64 // highest number so far, -1: none
	seen       []uint64
	received   int64 // of the interval, each once
	reordered  int64
	duplicated int64
	arrived    int64 // all, each once
	jitter     float64
	lastTrip   int64 // arrival less sending of the one before, two clocks
	started    bool
	gaps       int64   // jumps over numbers
	lastGap    int64   // the first number of the last one
	steps      int64   // from one gap to the next
	sum, sumSq float64 // of these steps, in numbers
}

// fewestSteps is the least number of steps between gaps whose scatter means something.
const fewestSteps = 20

// gap notes that the numbers from first on did not arrive, at least for now.
func (s *sequence) gap(first int64) {
	if s.gaps > 0 {
		d := float64(first - s.lastGap)
		s.steps, s.sum, s.sumSq = s.steps+1, s.sum+d, s.sumSq+d*d
	}
	s.gaps, s.lastGap = s.gaps+1, first
}

// scatter returns the variance of the steps from one gap to the next by the square of their mean: 0 where losses come
// evenly, near 1 where they come by chance; also 0 where there are too few.
func (s *sequence) scatter() float64 {
	if s.steps < fewestSteps {
		return 0
	}
	mean := s.sum / float64(s.steps)
	return max(0, s.sumSq/float64(s.steps)-mean*mean) / (mean * mean)
}

func newSequence() *sequence { return &sequence{newest: -1, seen: make([]uint64, seenDatagrams/64)} }

// add counts one datagram, and reports whether it is new.
func (s *sequence) add(d traffic.Stamp, arrival int64) bool {
	fresh, late := true, false
	switch {
	case d.Number > s.newest:
		if d.Number > s.newest+1 {
			s.gap(s.newest + 1)
		}
		s.forget(s.newest+1, d.Number)
		s.newest = d.Number
	case d.Number > s.newest-seenDatagrams:
		late = true
		fresh = s.seen[d.Number%seenDatagrams/64]&(1<<(d.Number%64)) == 0
	default:
		late = true
	}
	if d.Number > s.newest-seenDatagrams {
		s.seen[d.Number%seenDatagrams/64] |= 1 << (d.Number % 64)
	}
	if !fresh {
		if d.Interval {
			s.duplicated++
		}
		return false
	}
	s.arrived++
	if !d.Interval {
		return true
	}
	s.received++
	if late {
		s.reordered++
	}
	trip := arrival - d.Time
	if s.started {
		s.jitter += (float64(max(trip-s.lastTrip, s.lastTrip-trip)) - s.jitter) / 16
	}
	s.started, s.lastTrip = true, trip
	return true
}

// forget clears the places of the numbers from a up to and without b.
func (s *sequence) forget(a, b int64) {
	if b-a >= seenDatagrams {
		clear(s.seen)
		return
	}
	for a < b {
		from := a % 64
		n := min(64-from, b-a)
		s.seen[a%seenDatagrams/64] &^= (1<<n - 1) << from
		a += n
	}
}
