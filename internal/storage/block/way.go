package block

import (
	"context"
	"time"

	"linerate/internal/base/unit"
)

// way is the engine that sends the requests. Without queue the workers make blocking calls.
type way struct {
	name  string
	queue func(ctx context.Context, w *worker, memory []byte) (q Queue, says string, err error)
}

// Op is the operation of a request.
type Op uint8

// Operations.
const (
	OpRead Op = iota
	OpWrite
)

func (o Op) String() string {
	if o == OpWrite {
		return "write"
	}
	return "read"
}

// Request is one request to submit.
type Request struct {
	Offset int64
	Slot   int32
	Op     Op
}

// Completion is one request that has ended.
type Completion struct {
	Slot  int32
	Bytes int32 // read or written; less than requested at the end of the target
	// why it failed: a syscall.Errno where the system gives one. It is nil before a Wait, which sets it only for a failure
	Err error
}

// Queue is one thread's connection to the target, with a number of slots that each have a buffer and at most one
// outstanding request. Only one locked thread uses it.
type Queue interface {
	// Submit queues requests, each with its slot's buffer. They are sent at once or with the next Wait.
	Submit(requests []Request)
	// Wait sends what is queued and waits until least requests have completed, for at most timeout. It returns the number
	// of completions in done. It may return early with fewer. An error is of the queue itself: it is unusable from then
	// on.
	Wait(least int, timeout time.Duration, done []Completion) (int, error)
	Close() error
}

// again is a Queue that takes completed reads and submits the next read of each slot in one step, without a Completion
// and a Request in between: for jobs that read as fast as they can and check nothing.
type again interface {
	// await is Wait that leaves the completions in the queue.
	await(least int, timeout time.Duration) (int, error)
	// turn takes at most most completed reads, counts them if they are inside of the interval, and queues the next ones.
	// It returns how many it took: it stops at a failed read, and when the job has none left.
	turn(w *worker, most int, now int64, inside bool) int
	// take moves the next len(done) completions into done.
	take(done []Completion)
}

// Volume is an open target of a Remote.
type Volume interface {
	Size() unit.Bytes
	Sector() unit.Bytes                                           // the smallest that it reads or writes
	Identity() string                                             // serial number or NGUID; "": it has none
	Way() (way, why string)                                       // for Ready
	Queue(ctx context.Context, slots [][]byte) (q Queue, e error) // one a thread, called by that thread
	Flush(ctx context.Context) error
	Close() error
}

// Remote opens targets without a client of the system.
type Remote interface {
	Knows(target string) bool
	Open(ctx context.Context, target string, write bool) (Volume, error)
}
