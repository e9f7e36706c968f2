package traffic

import (
	"sync/atomic"
	"time"

	"linerate/internal/record"
)

const (
	overheadBatches = 20
	overheadTrips   = 500
)

// readClock is what this host's clock can tell apart, what a reading costs, and what of each round trip is this
// program's own: the same steps as between the two stamps of a round trip, with calls that return at once in place of
// the socket's. Of each the batch that was disturbed least counts. It takes about a millisecond.
func readClock() *record.Clock {
	c := &record.Clock{}
	step, cost, own := int64(0), int64(0), int64(0)
	least := func(v *int64, d int64) {
		if d > 0 && (*v == 0 || d < *v) {
			*v = d
		}
	}
	var sent atomic.Int64
	message := make([]byte, 64)
	for range overheadBatches {
		begin := Now()
		last := begin
		for range overheadTrips {
			now := Now()
			step = divisor(step, now-last)
			last = now
		}
		least(&cost, last-begin)
		trips := int64(0)
		for range overheadTrips {
			start := Now()
			n, err := noSocket(message)
			sent.Add(int64(n))
			if err == nil {
				_, _ = noSocket(message)
			}
			trips += Now() - start
		}
		least(&own, trips)
	}
	c.Resolution = float64(step) / float64(time.Second)
	c.Cost = float64(cost) / overheadTrips / float64(time.Second)
	c.Overhead = float64(own) / overheadTrips / float64(time.Second)
	return c
}

// divisor is the greatest common one: what all differences of readings are multiples of is the clock's step, which may
// be far smaller than the cost of a reading.
func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// noSocket stands for a call of a socket.
//
//go:noinline
func noSocket(p []byte) (int, error) { return len(p), nil }
