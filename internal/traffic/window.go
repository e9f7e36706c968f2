package traffic

import "time"

// slice is the width of one step of a series; in long windows it is a multiple, so that there are at most mostSlices.
const (
	slice      = 100 * time.Millisecond
	mostSlices = 3000
)

// tail is how long the active end goes on after the window, so that the passive end, whose clock is known only
// within half a round trip, has traffic to the end of it.
const tail = 50 * time.Millisecond

// edgeShare is the part of the window in which the first and the last read must lie, one in so many.
const edgeShare = 20

// window is the times of an experiment, on this process's clock.
type window struct {
	begin    int64 // first byte
	open     int64 // end of the warm-up
	close    int64
	stop     int64 // last byte
	deadline int64 // what still runs is cut off
	step     int64 // width of a slice
	whole    bool  // an amount is carried from begin on, and close is only the limit
}

func newWindow(begin int64, s Setup, drain time.Duration) window {
	w := window{begin: begin, whole: s.Amount > 0}
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

// zone is the length of the two edges of the window in which reads are looked at one by one.
func (w window) zone() int64 { return min((w.close-w.open)/edgeShare, int64(100*time.Millisecond)) }
