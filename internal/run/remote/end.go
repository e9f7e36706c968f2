package remote

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/failure"
	"linerate/internal/traffic"
)

// End is one end of a repeat.
type End struct {
	Name       string // from or to
	Host       string
	Client     *agent.Client
	Setup      traffic.Setup
	Experiment *agent.Experiment
	Outcome    *traffic.Outcome
	Err        error
	Note       string // for the record
}

// stopDeadline is the limit of ending the work of an end.
const stopDeadline = time.Second

// Stop ends the work of the ends; an end that cannot be reached is gone, and so is its work.
func Stop(ctx context.Context, ends []*End) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopDeadline)
	defer cancel()
	var wg sync.WaitGroup
	for _, e := range ends {
		if e.Experiment != nil {
			wg.Go(func() { _ = e.Experiment.Stop(ctx) })
		}
	}
	wg.Wait()
}

// FirstCause is the error that explains the others: when one end fails, the other one's connections close.
func FirstCause(ctx context.Context, ends []*End) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("the measurement was stopped: %w", context.Cause(ctx))
	}
	weight := func(err error) int {
		var e *failure.Error
		switch {
		case err == nil:
			return 0
		case errors.Is(err, context.Canceled):
			return 1
		case errors.As(err, &e) && e.Code == failure.CodeStopped:
			return 2
		case ClosedByOther(err):
			return 3
		}
		return 4
	}
	var worst error
	for _, e := range ends {
		if weight(e.Err) > weight(worst) {
			worst = e.Err
		}
	}
	return worst
}

// ClosedByOther reports whether an end failed because the other one closed or reset a data connection.
func ClosedByOther(err error) bool {
	var e *failure.Error
	return errors.As(err, &e) && e.Code == failure.CodeReset
}

// AsError is the error of an agent within an error; nil: there is none.
func AsError(err error) *failure.Error {
	var e *failure.Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// NoticeDeadline is how long the report that an agent is gone may take beyond the end of its data connections: both end
// with the process, but are noticed separately.
const NoticeDeadline = 5 * time.Second

// WaitFor waits until a channel is closed, ctx ends, or a time has passed.
func WaitFor(ctx context.Context, closed <-chan struct{}, while time.Duration) {
	t := time.NewTimer(while)
	defer t.Stop()
	select {
	case <-closed:
	case <-t.C:
	case <-ctx.Done():
	}
}

// HostDeadline is the limit of every request to a host other than measuring.
const HostDeadline = 30 * time.Second

// AnswerDeadline is how much longer than planned a repeat may take.
const AnswerDeadline = 12 * time.Second

const (
	// ahead is the part of HeadStart that does not depend on the streams.
	ahead = 50 * time.Millisecond
	// PerStream is the part of HeadStart of every stream.
	PerStream = 500 * time.Microsecond
)

// HeadStart returns how long before the first byte the start is sent, in addition to the delay to the agents: every
// stream first needs a thread and its buffers.
func HeadStart(streams int) time.Duration {
	return ahead + time.Duration(streams)*PerStream
}

const (
	// leadFirst is the additional lead of a start after one that came late; it doubles each further time.
	leadFirst = time.Second
	// lateTries is how often a start is repeated.
	lateTries = 2
)

// InTime calls f with a growing lead until its start is in time; again gets the reason of each further call.
func InTime(ctx context.Context, lead *time.Duration, again func(why error), f func(lead time.Duration) error) error {
	for try := 0; ; try++ {
		err := f(*lead)
		var e *failure.Error
		if !errors.As(err, &e) || e.Code != failure.CodeLate || try == lateTries || ctx.Err() != nil {
			return err
		}
		*lead = max(leadFirst, 2**lead)
		again(err)
	}
}
