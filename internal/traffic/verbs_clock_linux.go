package traffic

import "golang.org/x/sys/unix"

// monotonic is the kernel's CLOCK_MONOTONIC, which other processes of this machine have, too.
func monotonic() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return Now()
	}
	return t.Nano()
}
