package experiment

import (
	"context"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// Measurement measures one combination of parameters with one method. The session orders combinations, repeats them,
// stops and resumes them, and reads what their hosts report before and after; this interface is all it knows of a
// method.
//
// A measurement belongs to one combination and is used by one goroutine at a time. It may keep values between repeats,
// but nothing that a resumed run would miss: Measure recreates what is missing.
type Measurement interface {
	// Hosts are the hosts that need an agent, each once, sorted.
	Hosts() []string
	// Paths are the planned paths that carry its traffic at the same time: they get the MTU of the combination, and the
	// counters of their switches are read. None: the traffic stays on a host, or is not planned.
	Paths() []plan.Path

	// Measure measures once. The result goes to Session.Keep, the reason of a failure into Failed or NotRun of the
	// experiment. It returns an error only where the whole run ends: ctx is over, or the run folder cannot be written. In
	// any case nothing of the repeat is left running on any host. during, if not nil, is called several times while it
	// measures, sequentially, and has returned when Measure does.
	Measure(ctx context.Context, s Session, during func()) error
	// ReadDuring is the level of facts that the n-th call of during reads, from 1; empty: nothing.
	ReadDuring(n int) facts.Level

	// OpenEnded reports whether a repeat ends by itself, so that the interval is only its limit.
	OpenEnded() bool
	// Guess is the expected duration of the first repeat of an open-ended measurement; 0: not known. scale is the part of
	// the planned rates that a lab has, 1 elsewhere.
	Guess(scale float64) time.Duration
	// Extra is the time of a repeat beyond its warm-up, its interval and Overhead.
	Extra(interval time.Duration) time.Duration
	// Busy is its maximum rate over all links in all directions: the load on a lab of one machine.
	Busy() unit.BitRate

	// Value is the value of a repeat whose confidence interval decides whether more repeats are needed.
	Value(r record.Repeat) float64
	// Summarize fills in the figures of the experiment from its repeats. Without repeats it leaves them empty.
	Summarize() error
	// Ceiling fills in the maximum that the plan and the facts allow. It is called after Summarize, if there are repeats.
	Ceiling(s Session)
	// Expect is the ceiling before the first repeat, for display; nil: not known.
	Expect(s Session) *record.Chain
	// InEffect records what was in effect in the last repeat, beyond the repeats' own InEffect.
	InEffect(last record.Repeat)
	// Close removes what repeats left on the hosts for the next one.
	Close(s Session)
}

// Changer is a Measurement that a verdict may request again with other settings.
type Changer interface {
	// Changed is the same measurement with the settings of another experiment.
	Changed(x *record.Experiment) *Combination
}

// Writer is a Measurement that writes to drives or folders.
type Writer interface {
	// Writes is the maximum that n more repeats will write. laid are the files that measurements before it have laid out;
	// it adds its own.
	Writes(s Session, n int, laid map[string]bool) []Written
}

// Substitute is a Measurement that can replace what its hosts are missing.
type Substitute interface {
	// Substituted reports whether its protocol needs nothing on its hosts.
	Substituted() bool
}

// Substituted reports whether a combination's protocol needs nothing on its hosts, because a substitute replaces what
// is missing.
func (c *Combination) Substituted() bool {
	s, ok := c.Measurement.(Substitute)
	return ok && s.Substituted()
}
