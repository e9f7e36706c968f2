package block

import (
	"context"
	"io"
	"os"
)

// remoteWay is the engine of a Volume: a queue a thread.
func remoteWay(j Job, t *target) (way, string, error) {
	name, why := t.volume.Way()
	if j.Way != "" && j.Way != name {
		return way{}, "", input("way", "%s is got at by %s alone; leave way out", j.Target, name)
	}
	return way{name, func(ctx context.Context, w *worker, _ []byte) (Queue, string, error) {
		slots := make([][]byte, len(w.slots))
		for i := range slots {
			slots[i] = w.slots[i].buffer
		}
		q, err := t.volume.Queue(ctx, slots)
		return q, "", err
	}}, why, nil
}

// remoteReader is reader with a queue of its own.
func (t *target) remoteReader(b []byte, free func()) (read func(offset int64) ([]byte, error), end func(), err error) {
	ctx, cancel := context.WithTimeout(context.Background(), drainFor)
	defer cancel()
	q, err := t.volume.Queue(ctx, [][]byte{b})
	if err != nil {
		free()
		return nil, nil, err
	}
	done := make([]Completion, 1)
	return func(offset int64) ([]byte, error) {
		done[0] = Completion{}
		q.Submit([]Request{{Offset: offset, Op: OpRead}})
		n, err := q.Wait(1, drainFor, done)
		switch {
		case err != nil:
			return b, err
		case n == 0:
			return b, os.ErrDeadlineExceeded
		case done[0].Err == nil && int(done[0].Bytes) < len(b):
			return b, io.ErrUnexpectedEOF
		}
		return b, done[0].Err
	}, func() { _ = q.Close(); free() }, nil
}
