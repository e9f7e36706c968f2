package experiment

import (
	"context"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// Defaults implements the methods of Measurement that most methods share.
type Defaults struct{}

// ReadDuring reads the counters each time.
func (Defaults) ReadDuring(int) facts.Level { return facts.Counters }

// OpenEnded is false: a repeat lasts its interval.
func (Defaults) OpenEnded() bool { return false }

// Guess is not known.
func (Defaults) Guess(float64) time.Duration { return 0 }

// Extra is none.
func (Defaults) Extra(time.Duration) time.Duration { return 0 }

// Busy is none.
func (Defaults) Busy() unit.BitRate { return 0 }

// Value is the goodput.
func (Defaults) Value(r record.Repeat) float64 { return r.Goodput }

// Ceiling fills nothing.
func (Defaults) Ceiling(Session) {}

// Expect is not known.
func (Defaults) Expect(Session) *record.Chain { return nil }

// InEffect records nothing.
func (Defaults) InEffect(record.Repeat) {}

// Close has nothing to remove.
func (Defaults) Close(Session) {}

// notMeasured is the Measurement of an experiment that is not measured at all.
type notMeasured struct{ Defaults }

func (notMeasured) Hosts() []string { return nil }

func (notMeasured) Paths() []plan.Path { return nil }

func (notMeasured) Measure(context.Context, Session, func()) error { return nil }

func (notMeasured) Summarize() error { return nil }
