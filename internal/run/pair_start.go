package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"linerate/internal/traffic"
)

// noticeDeadline is how long the news that an agent is gone may take beyond the end of its data connections: both end
// with the process, and come by different ways.
const noticeDeadline = 5 * time.Second

// startPair lets both ends of a pair measure from begin on, a stamp of this process's clock, beside what the caller does
// until it waits for wg. When one end fails, cancel, which ends ctx, tells the other one: it has nothing to measure any
// more. first is the number of the pair's first stream.
func startPair(ctx context.Context, cancel func(), wg *sync.WaitGroup, a, b *side, begin int64, samples *collector, first int) {
	over := map[*side]chan struct{}{a: make(chan struct{}), b: make(chan struct{})}
	measureAt := func(e, other *side) {
		e.outcome, e.err = e.exp.Start(ctx, begin+e.client.Clock().Nanoseconds, samples.from(e, first))
		close(over[e])
		if e.err == nil && brokenAt(e.outcome) == nil {
			return
		}
		if e.setup.Method == Verbs { // the other end has figures until it sees that this one is gone
			t := time.NewTimer(verbsNotice)
			defer t.Stop()
			select {
			case <-over[other]:
			case <-t.C:
			case <-ctx.Done():
			}
			cancel()
			return
		}
		if closedByOther(e.err) {
			t := time.NewTimer(noticeDeadline)
			defer t.Stop()
			select {
			case <-other.client.Gone():
			case <-t.C:
			case <-ctx.Done():
			}
		}
		cancel()
	}
	wg.Go(func() { measureAt(a, b) })
	wg.Go(func() { measureAt(b, a) })
}

// closedByOther says whether an end failed because the other one closed or reset a data connection.
func closedByOther(err error) bool {
	var e *traffic.Error
	return errors.As(err, &e) && e.Code == traffic.CodeReset
}

// stop ends what the ends still do; an end that cannot be told is gone, and so is what it did.
func stop(ctx context.Context, ends []*side) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopDeadline)
	defer cancel()
	var wg sync.WaitGroup
	for _, e := range ends {
		if e.exp != nil {
			wg.Go(func() { _ = e.exp.Stop(ctx) })
		}
	}
	wg.Wait()
}

// firstCause is the error that explains the others: when one end fails, the other sees its connections close.
func firstCause(ctx context.Context, ends []*side) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("the measurement was stopped: %w", context.Cause(ctx))
	}
	weight := func(err error) int {
		var e *traffic.Error
		switch {
		case err == nil:
			return 0
		case errors.Is(err, context.Canceled):
			return 1
		case errors.As(err, &e) && e.Code == traffic.CodeStopped:
			return 2
		case closedByOther(err):
			return 3
		}
		return 4
	}
	var worst error
	for _, e := range ends {
		if weight(e.err) > weight(worst) {
			worst = e.err
		}
	}
	return worst
}
