package experiment

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/stat"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/run/remote"
)

// Combination is one experiment between two ends in one direction with one value of every parameter: what is measured,
// and how.
type Combination struct {
	Record   *record.Experiment
	Path     plan.Path // between two hosts; empty: one host or several
	Interval string    // as in the file; empty: the default
	Repeats  int       // how many
	// Until, if positive, requests repeats until the 95 % interval of the median is within this share of it on both sides;
	// AtMost bounds them (0: MaxRepeats).
	Until  float64
	AtMost int
	// Samples is how often in a second both ends are sampled; 0: never.
	Samples int
	// Turn names combinations that alternate, A B A B. Empty: by itself.
	Turn string

	// Fixed is the duration of a repeat whatever the file says; 0: as in the file.
	Fixed time.Duration
	// OneOf is the number of combinations of the experiment, where that is so large that a lab measures each once; else 0.
	OneOf int
	// Partial is a repeat that counts in no figure of the experiment, because a part of it failed; nil: none.
	Partial *record.Repeat

	Measurement // how it is measured
}

// DefaultRepeats is the default number of repeats of a combination.
const DefaultRepeats = 3

const (
	// DefaultSamples is the default number of samples a second at both ends.
	DefaultSamples = 10
	// MaxSamples is the most that an agent allows.
	MaxSamples = 100
)

// MaxStreams is the limit of one experiment; the agents enforce it, too.
const MaxStreams = 1024

// Options select the part of a fabric to run.
type Options struct {
	Only    []string // names of experiments; none: all
	Repeats int      // 0: the file's, else DefaultRepeats
	// Sources lets experiments read a file of a host and send it. The fabric file, and the host at the other end, may
	// belong to others.
	Sources bool
	// Commands lets experiments of method command run. The fabric file may be from others.
	Commands bool
	// Destroy are the devices that method storage may overwrite: DEVICE=SERIAL or DEVICE=SIZE. They are never from a
	// fabric file.
	Destroy []string
	// Lab: the hosts are a lab's, with folders instead of drives, and NVMe/TCP instead of every storage protocol.
	Lab bool
	// Lossless: the tests of the lossless classes, instead of the file's experiments.
	Lossless bool
	// Settings replace those of the file, in every experiment.
	Settings map[string]string
}

// RepeatsOf returns the number of repeats of an experiment.
func RepeatsOf(e *fabric.Experiment, o Options) int {
	switch {
	case o.Repeats > 0:
		return o.Repeats
	case e.Repeats > 0:
		return e.Repeats
	}
	return DefaultRepeats
}

// Unmeasured is the one record of an experiment that is not run.
func Unmeasured(p *plan.Plan, e *fabric.Experiment, why string) *Combination {
	exp := &record.Experiment{Name: e.Name, Method: e.Method, From: strings.Join(e.From, ", "),
		To: strings.Join(e.To, ", "), Variant: p.Variant, Settings: map[string]string{}, NotRun: why}
	for _, a := range e.Parameters {
		exp.Settings[a.Key] = strings.Join(a.Values, ", ")
	}
	exp.ID = record.ExperimentID(exp)
	return &Combination{Record: exp, Measurement: notMeasured{}}
}

// MissingError is a program that is not on a host: nothing was run.
type MissingError string

func (e MissingError) Error() string { return string(e) }

// Fail records why a combination failed. A program that was missing on a host from the beginning is a reason in NotRun.
func (c *Combination) Fail(err error) {
	var missing MissingError
	if c.Record.Failed = err.Error(); errors.As(err, &missing) && len(c.Record.Repeats) == 0 {
		c.Record.NotRun, c.Record.Failed = c.Record.Failed, ""
	}
}

// RefuseUnsafe records that an agent refused a combination because it would destroy data: it is not run.
func (c *Combination) RefuseUnsafe(err error) {
	if e := remote.AsError(err); e != nil && e.Code == failure.CodeUnsafe {
		c.Record.NotRun, c.Record.Failed, c.Record.Refused = c.Record.Failed, "", true
	}
}

// MaxRepeats is the maximum of repeats of a combination when the width of its confidence interval decides.
const MaxRepeats = 20

// Least is the minimum of repeats of a combination; with a target for the confidence interval, enough to compute one.
func (c *Combination) Least() int {
	if c.Until <= 0 {
		return c.Repeats
	}
	return min(max(c.Repeats, stat.FewestForInterval), c.maxRepeats())
}

func (c *Combination) maxRepeats() int {
	if c.AtMost > 0 {
		return c.AtMost
	}
	return MaxRepeats
}

// Missing is how many repeats a combination still needs, as far as that is known: with a target for the interval one at
// a time.
func (c *Combination) Missing() int {
	n := len(c.Record.Repeats)
	switch {
	case c.Record.NotRun != "":
		return 0
	case n < c.Least():
		return c.Least() - n
	case c.Until <= 0 || n >= c.maxRepeats() || c.settled():
		return 0
	}
	return 1
}

// Done reports whether no repeat is missing.
func (c *Combination) Done() bool { return c.Missing() == 0 }

// settled reports whether the 95 % interval of the median is within the target on both sides. Checking after every
// repeat stops somewhat early when values happen to scatter little. But the target is for the width, and a comparison
// has an interval of its own.
func (c *Combination) settled() bool {
	w, ok := c.halfWidth()
	return ok && w <= c.Until
}

// halfWidth is half the width of the 95 % interval as a share of the median.
func (c *Combination) halfWidth() (float64, bool) {
	values := xslices.Map(c.Record.Repeats, c.Value)
	s, err := stat.Summarize(values)
	if err != nil || s.Interval != stat.Interval || s.Median <= 0 {
		return 0, false
	}
	return (s.High - s.Low) / 2 / s.Median, true
}

// NoteUnsettled warns in the record that the target was not reached.
func (c *Combination) NoteUnsettled() {
	if c.Until <= 0 || len(c.Record.Repeats) == 0 || c.settled() {
		return
	}
	text := fmt.Sprintf("after %d repeats there is no 95 %% interval yet", len(c.Record.Repeats))
	if w, ok := c.halfWidth(); ok {
		text = fmt.Sprintf("after %d repeats the 95 %% interval is +- %s of the median, +- %s was asked for",
			len(c.Record.Repeats), unit.Percent(w), unit.Percent(c.Until))
	}
	c.Record.Warnings = append(c.Record.Warnings, text)
}
