package measure

import "linerate/result"

// SelftestClock is the part of Selftest that is about clock and timer; it takes a quarter of a second, nearly all of it asleep.
func SelftestClock() (*result.Instrument, error) {
	i := &result.Instrument{SleepAsked: sleepAsked.Seconds()}
	for _, part := range []func(*result.Instrument) error{testClock, testSleep} {
		if err := part(i); err != nil {
			return nil, err
		}
	}
	return i, nil
}
