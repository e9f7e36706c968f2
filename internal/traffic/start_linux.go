package traffic

import (
	"context"

	"golang.org/x/sys/unix"
)

// sleepThread is sleepUntil for a locked thread and a short time: it does not end early with ctx.
func sleepThread(ctx context.Context, at int64) bool {
	for d := at - Now(); d > 0; d = at - Now() {
		ts := unix.NsecToTimespec(d)
		if err := unix.Nanosleep(&ts, nil); err != nil && err != unix.EINTR {
			return sleepUntil(ctx, at)
		}
	}
	return ctx.Err() == nil
}
