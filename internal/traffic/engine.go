package traffic

import (
	"context"

	"linerate/internal/base/failure"
)

// Engine is one end of an experiment by one method over one transport. It is made with everything opened that has to be
// there before the other end connects. An End calls Ready, then Join where the method needs it, then Run once, and
// Close when neither Join nor Run is under way. An engine does not have to guard itself against other orders.
type Engine interface {
	// Ready adds to r what the other ends and the controller have to know.
	Ready(r *Ready)
	// Join gives the engine what the other ends reported when they were ready, and connects to them. It returns when ctx
	// ends. An engine whose ends meet at the data port embeds NothingToJoin.
	Join(ctx context.Context, peers Peers) error
	// Run carries the experiment out: the first byte at the beginning of the interval, the warm-up, the time that is
	// measured, and what is under way at its end. ctx ends at the deadline with a cause that IsOver reports, which is not
	// a failure, and before it with the reason why the experiment is given up. Errors are of type *failure.Error.
	Run(ctx context.Context, x Execution) (*Outcome, error)
	// Close releases everything that is open.
	Close()
}

// Peers is what ends report to each other through the controller before the start.
type Peers struct {
	Verbs VerbsPeer  // the other end of verbs
	Halo  []HaloPeer // all ends of halo, in the order of their hosts
}

// Execution is what an engine is given to run.
type Execution struct {
	Interval Interval
	Emit     func([]Sample)          // takes samples, at most ten times a second, from one goroutine
	Watch    context.Context         // for what looks at clocks: on a busy host it may do so only after the deadline
	Fail     context.CancelCauseFunc // ends the experiment with an error
}

// NothingToJoin is embedded by engines whose ends meet at the data port.
type NothingToJoin struct{}

// Join reports that there is nothing to join.
func (NothingToJoin) Join(context.Context, Peers) error { return errNothingToJoin }

var errNothingToJoin = &failure.Error{Code: failure.CodeInput,
	Text: "there is nothing to join, or it was started or closed before"}
