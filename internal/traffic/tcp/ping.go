package tcp

import (
	"context"
	"io"

	"linerate/internal/base/failure"
	"linerate/internal/traffic"
)

// ask sends a message and waits for it to come back, one at a time, and records the time of every round trip that began
// inside the interval. One that is still under way at the end counts with the time that it has taken so far: a stall at
// the end must not vanish.
func ask(t *task) error {
	if t.Setup.Every > 0 {
		return t.askOpen(t.Ctx)
	}
	out := t.Payload(t.Size)
	in := make([]byte, len(out))
	t.wire.Hold()
	for {
		now := traffic.Now()
		if now >= t.Interval.Stop {
			break
		}
		t.Yield(now)
		start := traffic.Now()
		n, err := t.wire.Write(out)
		t.Sent.Add(int64(n))
		if err == nil {
			_, err = t.whole(in)
		}
		end := traffic.Now()
		if start >= t.Interval.Open && start < t.Interval.Close && (err == nil || end >= t.Interval.Deadline) {
			t.Trip(start, end)
		}
		if err != nil {
			return t.cutOff(err)
		}
		t.Counter.Total.Add(int64(len(in)))
	}
	if err := t.wire.CloseWrite(); err != nil {
		return t.cutOff(failure.Of(t.wire.peer, err))
	}
	return t.finish()
}

// whole reads one message, blocking or spinning; io.EOF is an end before its first byte.
func (t *task) whole(p []byte) (int, error) {
	if t.Setup.Tuning.Spin {
		return t.wire.Spin(p)
	}
	return io.ReadFull(t.wire, p)
}

// answer sends every message back as it is.
func answer(t *task) error {
	buf := make([]byte, t.Size)
	t.wire.Hold()
	for {
		t.Yield(traffic.Now()) // while the message is on its way
		n, err := t.whole(buf)
		t.Counter.Total.Add(int64(n))
		if err == io.EOF {
			if traffic.Now() < t.Interval.Close {
				return t.early()
			}
			t.wire.drained = true
			return t.wire.CloseWrite()
		}
		if err == nil {
			n, err = t.wire.Write(buf)
			t.Sent.Add(int64(n))
		}
		if err != nil {
			return t.cutOff(failure.Of(t.wire.peer, err))
		}
	}
}

// askOpen is ask with questions at fixed times.
func (t *task) askOpen(ctx context.Context) error {
	o := traffic.NewOpenQuestions(t.Flow)
	out, in := t.Payload(t.Size), make([]byte, t.Size)
	k, last := int64(0), traffic.Now()
	err := o.Both(ctx, true, func(int64, int64, bool) error {
		n, err := t.wire.Write(out)
		t.Sent.Add(int64(n))
		if err != nil {
			return t.cutOff(failure.Of(t.wire.peer, err))
		}
		return nil
	}, func() error {
		for ; ; k++ {
			t.Yield(last)
			_, err := t.whole(in)
			last = traffic.Now()
			switch {
			case err != nil && o.Over.Load() && k == o.Next.Load():
				return nil
			case err != nil:
				return t.cutOff(err)
			}
			t.Counter.Total.Add(int64(len(in)))
			o.Answer(k, last)
		}
	}, func() { _ = t.wire.CloseWrite() }, t.wire.Interrupt)
	if err == nil {
		t.wire.drained = k == o.Next.Load()
		o.Unanswered(k, traffic.Now())
	}
	return err
}
