package traffic

import "golang.org/x/sys/unix"

// finer makes the timers of the calling thread, which must be locked, wake it within microseconds (PR_SET_TIMERSLACK);
// the kernel's default is 50 us late. False: it could not.
func finer() bool { return unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) == nil }
