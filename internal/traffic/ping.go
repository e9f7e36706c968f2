package traffic

import (
	"io"
	"time"

	"linerate/internal/base/unit"
)

// pingSize is one cache line.
func pingSize(int) unit.Bytes { return 64 }

// ask sends a message and waits for it to come back, one at a time, and records the time of every round trip that
// began inside the window. One that is still out when the time is up counts with the time it has taken so far: a
// stall at the end must not vanish.
func ask(t *task) error {
	if t.setup.Every > 0 {
		return t.askOpen(t.ctx)
	}
	out := t.payload(t.size)
	in := make([]byte, len(out))
	t.wire.hold()
	for {
		now := Now()
		if now >= t.window.stop {
			break
		}
		t.yield(now)
		start := Now()
		n, err := t.wire.Write(out)
		t.sent.Add(int64(n))
		if err == nil {
			_, err = t.whole(in)
		}
		end := Now()
		if start >= t.window.open && start < t.window.close && (err == nil || end >= t.window.deadline) {
			t.trip(start, end)
		}
		if err != nil {
			return t.cutOff(err)
		}
		t.counter.total.Add(int64(len(in)))
	}
	if err := t.wire.closeWrite(); err != nil {
		return t.cutOff(connectError(t.wire.peer, err))
	}
	return t.finish()
}

// whole reads one message, asleep or spinning; io.EOF is an end before its first byte.
func (t *task) whole(p []byte) (int, error) {
	if t.setup.Tuning.Spin {
		return t.wire.spin(p)
	}
	return io.ReadFull(t.wire, p)
}

// answer sends every message back as it is.
func answer(t *task) error {
	buf := make([]byte, t.size)
	t.wire.hold()
	for {
		t.yield(Now()) // while the message is on its way
		n, err := t.whole(buf)
		t.counter.total.Add(int64(n))
		if err == io.EOF {
			if Now() < t.window.close {
				return t.early()
			}
			t.wire.drained = true
			return t.wire.closeWrite()
		}
		if err == nil {
			n, err = t.wire.Write(buf)
			t.sent.Add(int64(n))
		}
		if err != nil {
			return t.cutOff(connectError(t.wire.peer, err))
		}
	}
}

// trip records one round trip.
func (t *task) trip(start, end int64) {
	t.trips.Record(time.Duration(end - start))
	if i := t.window.slice(start); i >= 0 {
		t.slow[i].Store(max(t.slow[i].Load(), end-start))
		t.counter.slices[i].Add(1)
	}
}
