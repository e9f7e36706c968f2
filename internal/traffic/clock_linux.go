package traffic

import (
	"context"

	"golang.org/x/sys/unix"
)

// sleepThread is SleepUntil for a locked thread and a short time: it does not end early with ctx.
func sleepThread(ctx context.Context, at int64) bool {
	for d := at - Now(); d > 0; d = at - Now() {
		ts := unix.NsecToTimespec(d)
		if err := unix.Nanosleep(&ts, nil); err != nil && err != unix.EINTR {
			return SleepUntil(ctx, at)
		}
	}
	return ctx.Err() == nil
}

// finer makes the timers of the calling thread, which must be locked, wake it within microseconds (PR_SET_TIMERSLACK);
// the kernel's default is 50 us late. False: it could not.
func finer() bool { return unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) == nil }
