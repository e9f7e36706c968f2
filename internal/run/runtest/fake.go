package runtest

import (
	"context"
	"strconv"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
)

// Fake is a Measurement that measures nothing but takes its time. Its goodput is 1 Gb/s, or the pace of all its
// streams.
type Fake struct {
	experiment.Defaults
	Of   *experiment.Combination
	Path plan.Path
}

// Hosts are the ends of the path.
func (m *Fake) Hosts() []string { return []string{m.Path.From, m.Path.To} }

// Paths is the path.
func (m *Fake) Paths() []plan.Path { return []plan.Path{m.Path} }

// ReadDuring is empty: the fake has no hosts to read.
func (m *Fake) ReadDuring(int) facts.Level { return "" }

// Measure waits for the warm-up and the interval, and keeps a repeat.
func (m *Fake) Measure(_ context.Context, s experiment.Session, _ func()) error {
	interval := s.Interval(m.Of)
	<-time.After(experiment.Warmup)
	r := record.Repeat{Start: time.Now(), Seconds: interval.Seconds(), Goodput: 1e9}
	<-time.After(interval)
	if pace, err := unit.ParseBitRate(m.Of.Record.Settings["pace"]); err == nil {
		streams, _ := strconv.Atoi(m.Of.Record.Settings["streams"])
		r.Goodput = float64(pace) * float64(streams)
	}
	return s.Keep(m.Of, r, nil)
}

// Summarize estimates the goodput.
func (m *Fake) Summarize() (err error) {
	m.Of.Record.Goodput, err = remote.Estimated(xslices.Map(m.Of.Record.Repeats, m.Value))
	return err
}

// Changed returns the fake with another experiment.
func (m *Fake) Changed(x *record.Experiment) *experiment.Combination {
	c := &experiment.Combination{Record: x}
	c.Measurement = &Fake{Of: c, Path: m.Path}
	return c
}

// FakeSession is a Session without hosts, with the durations of repeats. It implements only the methods below.
type FakeSession struct {
	experiment.Session
	shared map[any]any
}

// Lab is nil.
func (s *FakeSession) Lab() *record.Lab { return nil }

// Interval returns the configured interval of the combination.
func (s *FakeSession) Interval(c *experiment.Combination) time.Duration { return c.Asked() }

// Lasts returns that interval, or the guess of an open-ended combination.
func (s *FakeSession) Lasts(c *experiment.Combination) time.Duration {
	if c.OpenEnded() {
		return c.Expected(1)
	}
	return c.Asked()
}

// Shared keeps values by key.
func (s *FakeSession) Shared(key any, make func() any) any {
	if s.shared == nil {
		s.shared = map[any]any{}
	}
	if s.shared[key] == nil {
		s.shared[key] = make()
	}
	return s.shared[key]
}
