package traffic

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/traffic/socket"
)

// End is one prepared end of an experiment: an engine, and the state that all engines share.
type End struct {
	Setup  Setup
	Entry  Entry
	Engine Engine

	Mu      sync.Mutex
	Started bool
	closed  bool
	running sync.WaitGroup
	closing sync.Once
	stops   []context.CancelCauseFunc // of what is under way
}

// Prepare opens the data port, or every connection to that of the other end. What is returned must be closed. program
// is linerate-verbs as the controller sent it; nil: this host's own is used. Errors are of type *failure.Error.
func (t Table) Prepare(ctx context.Context, s Setup, program []byte) (*End, error) {
	if err := t.Check(s); err != nil {
		return nil, err
	}
	entry, err := t.Find(s)
	if err != nil {
		return nil, err
	}
	if err := socket.CheckFiles(s.Connections()); err != nil {
		return nil, err
	}
	local, err := newEndpoint(s, program)
	if err != nil {
		return nil, err
	}
	engine, err := entry.Prepare(ctx, local)
	if err != nil {
		return nil, failure.Of(s.Local.String()+" -> "+s.Remote.String(), err)
	}
	return NewEnd(entry, s, engine), nil
}

// NewEnd makes an end of a prepared engine.
func NewEnd(entry Entry, s Setup, engine Engine) *End {
	return &End{Setup: s, Entry: entry, Engine: engine}
}

// Ready returns what the other end and the controller need to know.
func (e *End) Ready() Ready {
	r := Ready{Size: e.Entry.Size(e.Setup)}
	e.Engine.Ready(&r)
	return r
}

// Join gives the end what the other ends reported, and connects it to them. It comes between Prepare and Run, for
// methods that need it.
func (e *End) Join(ctx context.Context, peers Peers) error {
	ctx, done, err := e.begin(ctx, false)
	if err != nil {
		return &failure.Error{Code: failure.CodeInput, Subject: e.Setup.Method, Text: errNothingToJoin.Text}
	}
	defer done(nil)
	if err := e.Engine.Join(ctx, peers); err != errNothingToJoin {
		return err
	}
	return &failure.Error{Code: failure.CodeInput, Subject: e.Setup.Method, Text: errNothingToJoin.Text}
}

// errTooLate is why nothing begins at an end that was started or closed.
var errTooLate = errors.New("it was started or closed before")

// begin notes that Join or Run is under way, which Close ends and waits for. done must be called.
func (e *End) begin(ctx context.Context, run bool) (_ context.Context, done context.CancelCauseFunc, err error) {
	e.Mu.Lock()
	defer e.Mu.Unlock()
	if e.Started || e.closed {
		return nil, nil, errTooLate
	}
	e.Started = run
	ctx, cancel := context.WithCancelCause(ctx)
	e.stops = append(e.stops, cancel)
	e.running.Add(1)
	return ctx, func(cause error) { cancel(cause); e.running.Done() }, nil
}

// Close ends what runs, and closes the port and every connection. It may be called at any time and more than once.
func (e *End) Close() {
	e.Mu.Lock()
	e.closed = true
	stops := e.stops
	e.Mu.Unlock()
	for _, stop := range stops {
		stop(&failure.Error{Code: failure.CodeStopped, Text: "stopped"})
	}
	e.running.Wait()
	e.closing.Do(e.Engine.Close)
}

// errOver is why what still runs at the deadline ends; it is not a failure.
var errOver = errors.New("the time of the experiment is over")

// IsOver reports whether err is that of an experiment whose time is over.
func IsOver(err error) bool { return errors.Is(err, errOver) }

// Run carries the experiment out: the first byte at begin on this process's clock, then warm-up and interval. emit gets
// samples, at most ten times a second, from one goroutine. Errors are of type *failure.Error; an End runs once.
func (e *End) Run(ctx context.Context, begin int64, emit func([]Sample)) (*Outcome, error) {
	ctx, done, err := e.begin(ctx, true)
	if err != nil {
		return nil, &failure.Error{Code: failure.CodeInput, Subject: e.Setup.Method, Text: err.Error()}
	}
	defer done(nil)
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	w := NewInterval(begin, e.Setup, e.Entry.Drain)
	if late := Now() - w.Open; late > 0 {
		return nil, &failure.Error{Code: failure.CodeLate, Subject: e.Setup.Method, Text: fmt.Sprintf(
			"the start came %v after the beginning of the interval; the control channel is slow", time.Duration(late))}
	}
	x := Execution{Interval: w, Emit: emit, Watch: ctx, Fail: fail}
	ctx, stop := context.WithDeadlineCause(ctx, time.Now().Add(time.Duration(w.Deadline-Now())), errOver)
	defer stop()
	return e.Engine.Run(ctx, x)
}
