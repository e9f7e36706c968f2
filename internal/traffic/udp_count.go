package traffic

// seenDatagrams is how far behind the newest datagram one may arrive and still be told from a duplicate. One that is
// later still counts as received and reordered.
const seenDatagrams = 1 << 17

// sequence counts what one connection receives by the datagrams' numbers.
//
// Lost, of a direction, is what the sender sent in its window less what was received of it until the experiment ends,
// drain (300 ms) after the last datagram: when a datagram arrives, and where the receiver's window has its edges, make
// no difference, so that a late datagram is not a lost one. Reordered is one that arrives behind a datagram with a
// higher number (RFC 4737 section 3). Jitter is the estimate of RFC 3550 section 6.4.1 over the times at which reads
// returned and the senders' calls began: what one call handed over or took at once has one time.
type sequence struct {
	newest     int64 // highest number so far, -1: none
	seen       []uint64
	received   int64 // of the window, each once
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

// fewestSteps is from how many steps between gaps on their scatter means something.
const fewestSteps = 20

// gap notes that the numbers from the given one on did not come, at least for now.
func (s *sequence) gap(first int64) {
	if s.gaps > 0 {
		d := float64(first - s.lastGap)
		s.steps, s.sum, s.sumSq = s.steps+1, s.sum+d, s.sumSq+d*d
	}
	s.gaps, s.lastGap = s.gaps+1, first
}

// scatter is the variance of the steps from one gap to the next by the square of their mean: 0 where losses come evenly, near 1 where
// they come by chance; also 0 where there are too few.
func (s *sequence) scatter() float64 {
	if s.steps < fewestSteps {
		return 0
	}
	mean := s.sum / float64(s.steps)
	return max(0, s.sumSq/float64(s.steps)-mean*mean) / (mean * mean)
}

func newSequence() *sequence { return &sequence{newest: -1, seen: make([]uint64, seenDatagrams/64)} }

// add counts one datagram, and says whether it is new.
func (s *sequence) add(d stamp, arrival int64) bool {
	fresh, late := true, false
	switch {
	case d.number > s.newest:
		if d.number > s.newest+1 {
			s.gap(s.newest + 1)
		}
		s.forget(s.newest+1, d.number)
		s.newest = d.number
	case d.number > s.newest-seenDatagrams:
		late = true
		fresh = s.seen[d.number%seenDatagrams/64]&(1<<(d.number%64)) == 0
	default:
		late = true
	}
	if d.number > s.newest-seenDatagrams {
		s.seen[d.number%seenDatagrams/64] |= 1 << (d.number % 64)
	}
	if !fresh {
		if d.window {
			s.duplicated++
		}
		return false
	}
	s.arrived++
	if !d.window {
		return true
	}
	s.received++
	if late {
		s.reordered++
	}
	trip := arrival - d.time
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
