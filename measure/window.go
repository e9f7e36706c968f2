package measure

import (
	"fmt"
	"sync/atomic"
	"time"
)

// slice is the width of one step of a series; in long windows it is a multiple, so that there are at most mostSlices.
const (
	slice      = 100 * time.Millisecond
	mostSlices = 3000
)

// tail is how long the active end goes on after the window, so that the passive end, whose clock is known only
// within half a round trip, has traffic to the end of it.
const tail = 50 * time.Millisecond

// edgeShare is the part of the window in which the first and the last read must lie.
const edgeShare = 20

// window is the times of an experiment, on this process's clock.
type window struct {
	begin    int64 // first byte
	open     int64 // end of the warm-up
	close    int64
	stop     int64 // last byte
	deadline int64 // what still runs is cut off
	step     int64 // width of a slice
}

func newWindow(begin int64, s Setup, drain time.Duration) window {
	w := window{begin: begin}
	w.open = begin + int64(s.Warmup)
	w.close = w.open + int64(s.Window)
	w.stop = w.close + int64(tail)
	w.deadline = w.stop + int64(drain)
	w.step = int64(slice) * max(1, (int64(s.Window)+mostSlices*int64(slice)-1)/(mostSlices*int64(slice)))
	return w
}

func (w window) slices() int {
	return int((w.close - w.open + w.step - 1) / w.step)
}

// slice is the step in which a stamp lies, -1 outside of the window.
func (w window) slice(stamp int64) int {
	if stamp < w.open || stamp >= w.close {
		return -1
	}
	return int((stamp - w.open) / w.step)
}

// counter counts what one connection receives. One goroutine adds; total and slices may be read meanwhile, all else
// when it has ended.
type counter struct {
	w      window
	total  atomic.Int64
	slices []atomic.Int64

	first      int64 // stamp of the first read in the window, 0: none
	firstBytes int64
	last       int64 // stamp of the last one
	inside     int64 // bytes of all reads in the window, the first included
	held       int64 // bytes in the socket after the first one
	past       bool  // a read came after the window
	left       int64 // bytes in the socket after that one
}

func newCounter(w window) *counter { return &counter{w: w, slices: make([]atomic.Int64, w.slices())} }

// add counts a read of n bytes that returned at stamp. held asks the kernel what is in the socket; it is called at
// the two edges only. The first stamp is taken again after that, so that nothing that arrived after it counts as held.
func (c *counter) add(stamp int64, n int, held func() int64) {
	c.total.Add(int64(n))
	if i := c.w.slice(stamp); i >= 0 {
		c.slices[i].Add(int64(n))
	}
	switch {
	case stamp < c.w.open:
	case stamp > c.w.close:
		if !c.past {
			c.past = true
			c.left = held()
		}
	case c.first == 0:
		c.held = held()
		c.first = min(max(stamp, Now()), c.w.close)
		c.firstBytes = int64(n)
		c.last = c.first
		c.inside = int64(n)
	default:
		c.last = stamp
		c.inside += int64(n)
	}
}

// steady is the window of one direction cut at reads.
type steady struct {
	start, end int64   // stamps
	bytes      int64   // read in it, or arrived in it if that is less
	streams    []int64 // read in it, by stream; in sum what was read
	warnings   []string
}

// seconds is the length of the window between the two cuts.
func (s steady) seconds() float64 { return float64(s.end-s.start) / 1e9 }

// goodput is in bits per second.
func (s steady) goodput() float64 {
	if s.end <= s.start {
		return 0
	}
	return float64(s.bytes) * 8 / s.seconds()
}

// cut applies the rule of the package comment to the streams of one direction.
func cut(w window, counters []*counter) steady {
	s := steady{streams: make([]int64, len(counters))}
	firstOf := -1
	for i, c := range counters {
		if c.first == 0 {
			continue
		}
		if firstOf < 0 || c.first < s.start {
			firstOf, s.start = i, c.first
		}
		s.end = max(s.end, c.last)
	}
	if firstOf < 0 {
		s.start, s.end = w.open, w.close
		s.warnings = append(s.warnings, "nothing was received in the window")
		return s
	}
	var heldBefore, heldAfter int64
	for i, c := range counters {
		s.streams[i] = c.inside
		if i == firstOf {
			s.streams[i] -= c.firstBytes
		}
		s.bytes += s.streams[i]
		heldBefore += c.held
		heldAfter += c.left
	}
	edge := (w.close - w.open) / edgeShare
	if late := s.start - w.open; late > edge {
		s.warnings = append(s.warnings, fmt.Sprintf("nothing was received in the first %v of the window", time.Duration(late).Round(time.Millisecond)))
		s.start = w.open
	}
	if early := w.close - s.end; early > edge {
		s.warnings = append(s.warnings, fmt.Sprintf("nothing was received in the last %v of the window", time.Duration(early).Round(time.Millisecond)))
		s.end = w.close
	}
	if shrunk := heldBefore - heldAfter; shrunk > 0 {
		s.bytes = max(0, s.bytes-shrunk)
	}
	return s
}
