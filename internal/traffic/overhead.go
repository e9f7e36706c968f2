package traffic

import (
	"sync/atomic"
	"time"

	"linerate/internal/record"
)

const (
	overheadBatches    = 20
	overheadRTTSamples = 500
)

// ReadClock measures the resolution of this host's clock, the cost of a reading, and the part of each round trip that
// is this program's own: the same steps as between its two stamps, with calls that return at once in place of the
// socket's. Of each the batch that was disturbed least counts. It takes about a millisecond.
func ReadClock() *record.Clock {
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
		for range overheadRTTSamples {
			now := Now()
			step = divisor(step, now-last)
			last = now
		}
		least(&cost, last-begin)
		rttSamples := int64(0)
		for range overheadRTTSamples {
			start := Now()
			n, err := noSocket(message)
			sent.Add(int64(n))
			if err == nil {
				_, _ = noSocket(message)
			}
			rttSamples += Now() - start
		}
		least(&own, rttSamples)
	}
	c.Resolution = float64(step) / float64(time.Second)
	c.Cost = float64(cost) / overheadRTTSamples / float64(time.Second)
	c.Overhead = float64(own) / overheadRTTSamples / float64(time.Second)
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
