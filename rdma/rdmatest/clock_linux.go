package rdmatest

import (
	"time"

	"golang.org/x/sys/unix"
)

// Now is CLOCK_MONOTONIC of this machine.
func Now() time.Duration {
	var t unix.Timespec
	unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return time.Duration(t.Nano())
}
