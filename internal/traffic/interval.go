package traffic

import "time"

// Slice is the width of one step of a series; in long intervals it is a multiple, so that there are at most mostSlices.
const (
	Slice      = 100 * time.Millisecond
	mostSlices = 3000
)

// tail is how long the active end goes on after the interval, so that the passive end, whose clock is known only within
// half a round trip, has traffic to its end.
const tail = 50 * time.Millisecond

// edgeShare is one over the part of the interval in which the first and the last read must lie.
const edgeShare = 20

// Interval has the times of an experiment, on this process's clock.
type Interval struct {
	Begin    int64 // first byte
	Open     int64 // end of the warm-up
	Close    int64
	Stop     int64 // last byte
	Deadline int64 // what still runs is cut off
	Step     int64 // width of a slice
	Whole    bool  // an amount is carried from begin on, and close is only the limit
}

// NewInterval makes the interval of a setup that begins at a stamp.
func NewInterval(begin int64, s Setup, drain time.Duration) Interval {
	w := Interval{Begin: begin, Whole: s.Amount > 0}
	w.Open = begin + int64(s.Warmup)
	w.Close = w.Open + int64(s.Interval)
	w.Stop = w.Close + int64(tail)
	w.Deadline = w.Stop + int64(drain)
	w.Step = int64(Slice) * max(1, (int64(s.Interval)+mostSlices*int64(Slice)-1)/(mostSlices*int64(Slice)))
	return w
}

// Slices returns the number of slices.
func (w Interval) Slices() int {
	return int((w.Close - w.Open + w.Step - 1) / w.Step)
}

// Slice returns the step in which a stamp lies, -1 outside of the interval.
func (w Interval) Slice(stamp int64) int {
	if stamp < w.Open || stamp >= w.Close {
		return -1
	}
	return int((stamp - w.Open) / w.Step)
}

// Zone returns the length of the two edges of the interval in which reads are kept one by one.
func (w Interval) Zone() int64 { return min((w.Close-w.Open)/edgeShare, int64(100*time.Millisecond)) }
