package traffic

import (
	"linerate/internal/record"
)

// SelftestClock is the part of Selftest that is about clock and timer; it takes a quarter of a second, nearly all of it asleep.
func SelftestClock() (*record.Instrument, error) {
	i := &record.Instrument{SleepAsked: sleepAsked.Seconds()}
	for _, part := range []func(*record.Instrument) error{testClock, testSleep} {
		if err := part(i); err != nil {
			return nil, err
		}
	}
	return i, nil
}
