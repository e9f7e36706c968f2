package measure

import (
	"time"

	"linerate/unit"
)

// paceStep is how long one message of a paced stream lasts at most: the rate is
// even down to this.
const paceStep = time.Millisecond

// pacer makes a sending program hand over no more than a rate, as a program does
// that reads from a slow source. The kernel's own pacing is left alone: it would hold
// back the connection, not the program.
type pacer struct {
	rate  float64 // bits per second, 0: none
	begin int64
}

func newPacer(rate unit.BitRate, begin int64) pacer { return pacer{float64(rate), begin} }

// message is how large a message may be so that none lasts longer than paceStep.
func (p pacer) message(size int) int {
	if p.rate <= 0 {
		return size
	}
	return max(1, min(size, int(p.rate/8*paceStep.Seconds())))
}

// due is the stamp at which the next byte may be handed over after sent bytes.
func (p pacer) due(sent int64) int64 {
	return p.begin + int64(float64(sent)*8/p.rate*1e9)
}

// wait sleeps until the next message is due, or until stop.
func (p pacer) wait(sent, stop int64) {
	if p.rate <= 0 {
		return
	}
	if d := min(p.due(sent), stop) - Now(); d > 0 {
		time.Sleep(time.Duration(d))
	}
}
