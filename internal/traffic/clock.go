package traffic

import (
	"context"
	"time"
)

var processStart = time.Now()

// Now is this process's clock: nanoseconds of monotonic time since the process started. Every stamp that crosses the
// agent's protocol is on it; wall clocks step.
func Now() int64 { return int64(time.Since(processStart)) }

// SleepUntil waits until Now is at, and reports whether that came before the end of ctx.
func SleepUntil(ctx context.Context, at int64) bool {
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

const (
	// Gather is how long before the first byte the threads that send are ready.
	Gather = 20 * time.Millisecond
	// GatherEach is the further time of each thread.
	GatherEach = 100 * time.Microsecond
)

// AwaitStart waits for the first byte. The last part of it is a sleep of this thread in the kernel: the runtime's
// timers wake one thread through another, and with hundreds of streams each of these steps would wait for its turn
// behind the streams that already send, so that the late ones, perhaps all of one direction, hardly start at all.
func (t *Flow) AwaitStart(ctx context.Context) bool {
	ready := t.Interval.Begin - int64(Gather) - int64(t.Setup.Connections()+t.Setup.Background)*int64(GatherEach)
	return SleepUntil(ctx, ready) && t.Setup.SleepThread(ctx, t.Interval.Begin)
}

// SleepThread waits in the kernel until Now is at: for the last moment before many threads begin at once, see
// AwaitStart. On other systems than Linux the runtime's timers do it.
func SleepThread(at int64) { sleepThread(context.Background(), at) }
