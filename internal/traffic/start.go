package traffic

import (
	"context"
	"time"
)

const (
	// gather and gatherEach are how long before the first byte the threads that send stand ready, in all and a thread.
	gather     = 20 * time.Millisecond
	gatherEach = 100 * time.Microsecond
)

// awaitStart waits for the first byte. The last part of it is a sleep of this thread in the kernel: the runtime's
// timers wake one thread through another, and with hundreds of streams each of these steps would wait for its turn
// behind the streams that already send, so that those that come late, perhaps all of one direction, hardly start at all.
func (t *task) awaitStart(ctx context.Context) bool {
	ready := t.window.begin - int64(gather) - int64(t.setup.connections()+t.setup.Beside)*int64(gatherEach)
	return sleepUntil(ctx, ready) && t.setup.sleepThread(ctx, t.window.begin)
}

// sleepThread is the sleep of a thread in the kernel, or what a test puts in its place.
func (s *Setup) sleepThread(ctx context.Context, at int64) bool {
	if s.sleep != nil {
		return s.sleep(ctx, at)
	}
	return sleepThread(ctx, at)
}

// SleepThread waits in the kernel until Now is at: for the last moment before many threads begin at once, see awaitStart. Where the kernel is not asked the runtime's timers do it.
func SleepThread(at int64) { sleepThread(context.Background(), at) }
