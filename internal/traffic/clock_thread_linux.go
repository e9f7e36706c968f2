package traffic

import "golang.org/x/sys/unix"

// threadClock is the processor time of the calling thread, which must be locked, in nanoseconds.
func threadClock() int64 {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts) != nil {
		return Now()
	}
	return ts.Nano()
}
