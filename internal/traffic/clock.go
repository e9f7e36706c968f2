package traffic

import (
	"context"
	"time"
)

var processStart = time.Now()

// Now is this process's clock: nanoseconds of monotonic time since the process started. Every stamp that crosses the
// agent's protocol is on it; wall clocks step.
func Now() int64 { return int64(time.Since(processStart)) }

// sleepUntil waits until Now is at, and says whether it got there before ctx ended.
func sleepUntil(ctx context.Context, at int64) bool {
	d := time.Duration(at - Now())
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
