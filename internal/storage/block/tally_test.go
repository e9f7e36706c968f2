package block

import (
	"sync/atomic"
	"testing"
)

// A thread that was delayed after taking its stamp counts after one with a later stamp: the end of the job stays the
// latest.
func TestLastCompletion(t *testing.T) {
	var stop atomic.Int64
	stop.Store(1000)
	tally := newTally(times{slice: 10, close: 1000}, &stop, -1)
	for _, now := range []int64{600, 300} {
		tally.advance(now)
		tally.ended(1, now)
		tally.count(OpWrite, 1)
	}
	tally.share()
	if tally.last != 600 || tally.batches != 2 || tally.batched != 2 {
		t.Errorf("last %d, %d batches of %d", tally.last, tally.batches, tally.batched)
	}
	if got := tally.series[60]; got[OpWrite] != 2 {
		t.Errorf("the slice of the latest has %v", got)
	}
}
