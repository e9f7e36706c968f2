package block

import (
	"context"
	"time"

	"linerate/internal/base/unit"
)

// Op is what a request does.
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

// Request is one that is handed over.
type Request struct {
	Offset int64
	Slot   int32
	Op     Op
}

// Completion is one request that has ended.
type Completion struct {
	Slot  int32
	Bytes int32 // read or written; less than asked for where the target ended
	Err   error // why it failed: a syscall.Errno where the system says one. It is nil before a Wait, which sets it where something failed
}

// Queue is one thread's way to the target, with a number of slots that each have a buffer and at most one request under way. It is used by one
// locked thread alone.
type Queue interface {
	// Submit queues requests, each of its slot's buffer. They may be handed over at once or with the next Wait.
	Submit(requests []Request)
	// Wait hands over what is queued and waits until least requests have ended, for timeout at most. It returns how many of them stand in done.
	// It may return with fewer, early. An error is of the way itself: nothing goes through it any more.
	Wait(least int, timeout time.Duration, done []Completion) (int, error)
	Close() error
}

// again is a Queue that takes the ends of reads and hands over the next read of each slot in one go, without a Completion and a Request in between:
// for jobs that read as fast as they can and look at nothing.
type again interface {
	// await is Wait that leaves what has ended in the queue.
	await(least int, timeout time.Duration) (int, error)
	// turn takes ended reads, most of them at most, counts them if they are inside of the window, and queues the next ones. It returns how many
	// it took: it stops at one that failed, and where the job has none left.
	turn(w *worker, most int, now int64, inside bool) int
	// take moves the next len(done) that have ended into done.
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

// Remote opens targets without a client of the system's.
type Remote interface {
	Knows(target string) bool
	Open(ctx context.Context, target string, write bool) (Volume, error)
}
