package traffic

import (
	"math"
	"sync/atomic"
)

const (
	// edgesKept is the most reads that are kept of one edge of the interval.
	edgesKept = 4096
	// askEvery is the time between two questions to the kernel at an edge, in nanoseconds: rare enough not to disturb.
	askEvery = 200_000
	// lateAfter is the age of a read's stamp, in nanoseconds, from which on it is late: this thread did not run in
	// between, and what arrived then has no stamp of its own.
	lateAfter = 100_000
)

// edge is a read near an edge of the interval.
type edge struct {
	stamp  int64
	n      int64 // bytes of this read
	inside int64 // bytes in the interval up to and including it
	held   int64 // bytes left in the socket; -1: not asked, or asked too late
}

// Counter counts what one connection receives. One goroutine adds; Total and Slices may be read meanwhile, all else
// after its end.
type Counter struct {
	w      Interval
	Total  atomic.Int64
	Slices []atomic.Int64

	// The slice of the latest stamp (-1: outside of the interval), the stamps between which it holds, and the inner ends
	// of the two edges. They are kept because a division at each read would cost more than all else here.
	at                 int
	since, until       int64
	headEnd, footBegin int64

	arrived     int64 // stamp of the first read of all, 0: none
	first, Last int64 // stamps of the first and last read in the interval, 0: none
	firstBytes  int64
	inside      int64  // bytes of all reads in the interval
	head, foot  []edge // reads at its two edges
	asked       int64
}

// NewCounter makes a counter of an interval.
func NewCounter(w Interval) *Counter {
	return &Counter{w: w, Slices: make([]atomic.Int64, w.Slices()), headEnd: w.Open + w.Zone(),
		footBegin: w.Close - w.Zone()}
}

// enter finds the slice of a stamp, and its two ends.
func (c *Counter) enter(stamp int64) {
	switch c.at = c.w.Slice(stamp); {
	case c.at >= 0:
		c.since = c.w.Open + int64(c.at)*c.w.Step
		c.until = min(c.since+c.w.Step, c.w.Close)
	case stamp < c.w.Open:
		c.since, c.until = math.MinInt64, c.w.Open
	default:
		c.since, c.until = c.w.Close, math.MaxInt64
	}
}

// Add counts a read of n bytes that returned at stamp. held asks the kernel what the socket holds.
func (c *Counter) Add(stamp int64, n int, held func() int64) {
	if c.Total.Add(int64(n)) == int64(n) {
		c.arrived = stamp
	}
	if stamp < c.since || stamp >= c.until {
		c.enter(stamp)
	}
	if c.at < 0 {
		return
	}
	c.Slices[c.at].Add(int64(n))
	if c.first == 0 {
		c.first, c.firstBytes = stamp, int64(n)
	}
	c.Last = stamp
	c.inside += int64(n)
	log := &c.head
	switch {
	case stamp < c.headEnd:
	case stamp >= c.footBegin:
		log = &c.foot
	default:
		return
	}
	if len(*log) == edgesKept {
		return
	}
	e := edge{stamp: stamp, n: int64(n), inside: c.inside, held: -1}
	if stamp-c.asked >= askEvery {
		c.asked = stamp
		if h := held(); Now()-stamp <= lateAfter {
			e.held = h
		}
	}
	*log = append(*log, e)
}

// before returns what was read in the interval up to and including stamp, which lies in the first edge.
func (c *Counter) before(stamp int64) int64 {
	switch {
	case c.first == 0 || stamp < c.first:
		return 0
	case stamp == c.first:
		return c.firstBytes
	}
	read := int64(0)
	for _, e := range c.head {
		if e.stamp <= stamp {
			read = e.inside
		}
	}
	return read
}

// upTo returns what was read in the interval up to and including stamp, which lies in the last edge.
func (c *Counter) upTo(stamp int64) int64 {
	if stamp >= c.Last || len(c.foot) == 0 {
		return c.inside
	}
	read := c.beforeFoot()
	for _, e := range c.foot {
		if e.stamp <= stamp {
			read = e.inside
		}
	}
	return read
}

// beforeFoot returns what was read in the interval before its last edge.
func (c *Counter) beforeFoot() int64 {
	if len(c.foot) > 0 {
		return c.foot[0].inside - c.foot[0].n
	}
	return c.inside
}

// shrunk returns how much less the socket held at end than at start; 0 if either is unknown.
func (c *Counter) shrunk(start, end int64) int64 {
	atStart, atEnd := int64(-1), int64(-1)
	for _, e := range c.head {
		if e.held >= 0 && e.stamp >= start {
			atStart = e.held
			break
		}
	}
	for _, e := range c.foot {
		if e.held >= 0 && e.stamp <= end {
			atEnd = e.held
		}
	}
	if atStart < 0 || atEnd < 0 {
		return 0
	}
	return atStart - atEnd
}
