package traffic

import (
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// PingSize is one cache line: the size of a message of ping where none is asked for.
const PingSize unit.Bytes = 64

// SliceMemory returns about what one connection takes for its slices.
func SliceMemory(s Setup) unit.Bytes { return 2 * 8 * unit.Bytes(NewInterval(0, s, 0).Slices()) }

// ClockOf returns this host's clock where it times round trips; nil: the other end does.
func ClockOf(s Setup) *record.Clock {
	if s.Active(0) || s.Direction == Both {
		return ReadClock()
	}
	return nil
}

// Trip records one round trip.
func (t *Flow) Trip(start, end int64) {
	t.RTTSamples.Record(time.Duration(end - start))
	if i := t.Interval.Slice(start); i >= 0 {
		t.Slow[i].Store(max(t.Slow[i].Load(), end-start))
		t.Counter.Slices[i].Add(1)
	}
}

// PingMessage returns the size of a message of ping in effect.
func PingMessage(s Setup) unit.Bytes {
	if s.Size > 0 {
		return s.Size
	}
	return PingSize
}
