package traffic

import (
	"math"
	"sync/atomic"
)

const (
	// edgesKept bounds the reads that are kept of one edge of the window.
	edgesKept = 4096
	// askEvery is how often, in nanoseconds, the kernel is asked at an edge what is held: rarely enough not to be felt.
	askEvery = 200_000
	// lateAfter is how much later, in nanoseconds, a read's stamp may be read again before it counts as late: this
	// thread did not run in between, and what arrived then has no stamp of its own.
	lateAfter = 100_000
)

// edge is a read near an edge of the window.
type edge struct {
	stamp  int64
	n      int64 // bytes of this read
	inside int64 // bytes in the window up to and including it
	held   int64 // bytes left in the socket; -1: not asked, or asked too late
}

// counter counts what one connection receives. One goroutine adds; total and slices may be read meanwhile, all else
// when it has ended.
type counter struct {
	w      window
	total  atomic.Int64
	slices []atomic.Int64

	// What a division a read would cost more than all else here: the slice of the latest stamp, -1 outside of the window, and
	// the stamps from and until which it is that one; and the inner ends of the two edges.
	at                 int
	since, until       int64
	headEnd, footBegin int64

	arrived     int64 // stamp of the first read of all, 0: none
	first, last int64 // stamps of the first and last read in the window, 0: none
	firstBytes  int64
	inside      int64  // bytes of all reads in the window
	head, foot  []edge // reads at its two edges
	asked       int64
}

func newCounter(w window) *counter {
	return &counter{w: w, slices: make([]atomic.Int64, w.slices()), headEnd: w.open + w.zone(), footBegin: w.close - w.zone()}
}

// enter finds the slice of a stamp, and how long it lasts.
func (c *counter) enter(stamp int64) {
	switch c.at = c.w.slice(stamp); {
	case c.at >= 0:
		c.since = c.w.open + int64(c.at)*c.w.step
		c.until = min(c.since+c.w.step, c.w.close)
	case stamp < c.w.open:
		c.since, c.until = math.MinInt64, c.w.open
	default:
		c.since, c.until = c.w.close, math.MaxInt64
	}
}

// add counts a read of n bytes that returned at stamp. held asks the kernel what is in the socket.
func (c *counter) add(stamp int64, n int, held func() int64) {
	if c.total.Add(int64(n)) == int64(n) {
		c.arrived = stamp
	}
	if stamp < c.since || stamp >= c.until {
		c.enter(stamp)
	}
	if c.at < 0 {
		return
	}
	c.slices[c.at].Add(int64(n))
	if c.first == 0 {
		c.first, c.firstBytes = stamp, int64(n)
	}
	c.last = stamp
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

// before is what was read in the window up to and including stamp, which lies in the first edge.
func (c *counter) before(stamp int64) int64 {
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

// upTo is what was read in the window up to and including stamp, which lies in the last edge.
func (c *counter) upTo(stamp int64) int64 {
	if stamp >= c.last || len(c.foot) == 0 {
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

// beforeFoot is what was read in the window before its last edge.
func (c *counter) beforeFoot() int64 {
	if len(c.foot) > 0 {
		return c.foot[0].inside - c.foot[0].n
	}
	return c.inside
}

// shrunk is how much less was held at end than at start; 0 if either is not known.
func (c *counter) shrunk(start, end int64) int64 {
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
