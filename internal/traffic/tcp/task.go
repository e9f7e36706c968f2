package tcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/traffic"
)

// task is what one end does with one connection over TCP.
type task struct {
	*traffic.Flow
	wire   *Wire
	share  int64   // bytes that this connection carries; 0: as many as it can
	source *source // of what stream's active end sends; nil: memory
	buffer []byte  // what stream's active end sends
	pacer  traffic.Pacer
	trial  *trial // of stream's passive end, shared by all of its direction; nil: none
}

func newTask(s traffic.Endpoint, what service, size unit.Bytes, w traffic.Interval, index int, c *Wire) *task {
	t := &task{Flow: traffic.NewFlow(s, what.asks, size, w, index), wire: c, share: s.Share(index)}
	t.Kernel = c
	return t
}

// run does the connection's part.
func (t *task) run(ctx context.Context, what service) error {
	work := what.passive
	t.atBegin()
	if t.Active() {
		work = what.active
		if !what.asks {
			b, free, err := pages(int(max(t.Size, t.largestSend())))
			if err != nil {
				return &failure.Error{Code: failure.CodeLimit, Subject: t.wire.peer, Text: err.Error()}
			}
			defer free()
			t.Fill(b)
			t.buffer = b
		}
		if !t.AwaitStart(ctx) {
			return context.Cause(ctx)
		}
	}
	return work(t)
}

// largestSend returns the largest buffer that a trial may order of the sender.
func (t *task) largestSend() unit.Bytes {
	if !t.Setup.Tuning.Trial {
		return 0
	}
	return largestBufferOf(t.Setup.Setup)
}

// mostOrders is the most bytes of orders that may come after the sender has stopped reading them.
const mostOrders = 256

// finish waits until the other end has closed its direction too.
func (t *task) finish() error {
	var b [64]byte
	came := 0
	for came <= mostOrders {
		n, err := t.wire.Read(b[:])
		came += n
		switch {
		case err == io.EOF:
			t.wire.drained = true
			return nil
		case err != nil:
			return t.cutOff(err)
		}
	}
	return &failure.Error{Code: failure.CodeInternal, Subject: t.wire.peer,
		Text: fmt.Sprintf("%d bytes came back from an end that only receives", came)}
}

// cutOff forgives an error after the interval: what is under way then may be cut off.
func (t *task) cutOff(err error) error {
	if traffic.Now() >= t.Interval.Close {
		return nil
	}
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return t.early()
	}
	return err
}

// early returns the error of a connection that ended inside the interval.
func (t *task) early() error {
	left := time.Duration(t.Interval.Close - traffic.Now()).Round(time.Millisecond)
	return &failure.Error{Code: failure.CodeReset, Subject: t.wire.peer,
		Text: fmt.Sprintf("the other end closed the connection %v before the end of the interval; look whether its agent "+
			"still runs", left)}
}

// left returns how many bytes of its share the sending task has not sent yet, as much as one call may take.
func (t *task) left() int {
	if t.share == 0 {
		return math.MaxInt
	}
	return int(min(t.share-t.Sent.Load(), math.MaxInt))
}

// allIn reports whether the receiving task has everything that it waits for.
func (t *task) allIn() bool { return t.share > 0 && t.Counter.Total.Load() == t.share }

// atBegin and through read the socket at the two ends of an amount, which are not those of the interval.
func (t *task) atBegin() {
	if t.share > 0 {
		t.Before, _ = t.wire.Reading()
	}
}

func (t *task) through() {
	if t.share > 0 {
		t.After, _ = t.wire.Reading()
	}
}

// setPace chooses what holds a sending task back. Where the kernel keeps the rate, the program sends as fast as the
// kernel takes it.
func (t *task) setPace() error {
	byKernel, err := t.PaceInKernel(func() error { return t.wire.pace(t.Setup.Pace) })
	if byKernel {
		t.Effect.PaceBy = traffic.PaceByKernel
	} else {
		t.pacer = traffic.NewPacer(t.Setup.Pace, t.Interval.Begin)
	}
	return err
}
