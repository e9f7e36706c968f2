package network

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
)

// overPaths returns the combinations of an experiment over every path that it names. prepare is called for each: it
// sets its Measurement and the defaults of the method.
func overPaths(p *plan.Plan, e *fabric.Experiment, o experiment.Options,
	prepare func(*experiment.Combination)) []*experiment.Combination {
	paths, why := experiment.PathsOf(p, e)
	if why != "" {
		return []*experiment.Combination{experiment.Unmeasured(p, e, why)}
	}
	var combinations []*experiment.Combination
	for _, path := range paths {
		for _, settings := range experiment.Product(e.Parameters) {
			maps.Copy(settings, o.Settings)
			x := &record.Experiment{Name: e.Name, Method: e.Method, From: path.From, To: path.To,
				Variant: p.Variant, Settings: settings, Ends: experiment.EndsOf(path)}
			c := &experiment.Combination{Record: x, Samples: experiment.DefaultSamples, Path: path,
				Interval: settings["time"], Repeats: experiment.RepeatsOf(e, o)}
			prepare(c)
			x.Direction = cmp.Or(settings["direction"], traffic.Out)
			delete(settings, "direction")
			delete(settings, "time")
			x.NotRun = cmp.Or(experiment.Unsupported(e, settings, o), experiment.WrongDirection(settings, x.Direction))
			if len(e.Via) > 1 {
				settings["via"] = path.FromPort.NIC
			}
			for _, l := range path.Links {
				x.Links = append(x.Links, l.Name)
			}
			x.ID = record.ExperimentID(x)
			combinations = append(combinations, c)
		}
	}
	return combinations
}

// pair is what all measurements between two hosts with an agent at each have in common.
type pair struct {
	experiment.Defaults
	c      *experiment.Combination
	engine string // that both ends run
}

func newPair(c *experiment.Combination, engine string) pair { return pair{c: c, engine: engine} }

func (m *pair) Hosts() []string {
	return slices.Compact(slices.Sorted(slices.Values([]string{m.c.Path.From, m.c.Path.To})))
}

func (m *pair) Paths() []plan.Path { return []plan.Path{m.c.Path} }

func (m *pair) OpenEnded() bool { return m.c.Amount() > 0 }

func (m *pair) Guess(scale float64) time.Duration {
	return m.c.AmountTakes(scale, m.Paths(), m.c.Pace())
}

// Busy is the load of all links of the path, in both directions where data go both ways.
func (m *pair) Busy() unit.BitRate {
	var sum unit.BitRate
	for i, l := range m.c.Path.Links {
		if b := m.c.Path.Bundle(i); b != nil {
			sum += b.Speed()
			continue
		}
		sum += l.Speed
	}
	if m.c.Record.Direction == traffic.Both {
		sum *= 2
	}
	return sum
}

func (m *pair) InEffect(last record.Repeat) { m.c.LengthInEffect(last) }

// spec is the specification for both ends.
func (m *pair) spec(s experiment.Session) (Spec, error) {
	spec, err := newSpec(m.c, m.c.Path, m.engine, s.Interval(m.c))
	spec.Live = s.Live()
	return spec, err
}

// both measures once with the agents of both ends.
func (m *pair) both(ctx context.Context, s experiment.Session,
	during func()) func(Spec) (record.Repeat, []record.Sample, error) {
	return func(spec Spec) (record.Repeat, []record.Sample, error) {
		return Repeat(ctx, s.Client(m.c.Path.From), s.Client(m.c.Path.To), spec, during)
	}
}

// measure records the result of once, or why it failed.
func (m *pair) measure(ctx context.Context, s experiment.Session, spec Spec,
	once func(Spec) (record.Repeat, []record.Sample, error)) error {
	c := m.c
	silent := silentOf(s)
	if why := silent.why(c); why != "" {
		c.Record.Failed = why
		return nil
	}
	var rep record.Repeat
	var samples []record.Sample
	err := s.Punctual(ctx, func(lead time.Duration) (err error) {
		spec.Lead = lead
		rep, samples, err = once(spec)
		return err
	})
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.Record.Failed = err.Error()
		silent.note(c, err)
		keepBroken(c, len(c.Record.Repeats), err)
		return s.Lost(c)
	}
	rep.Warnings = append(rep.Warnings, paceKept(rep, spec)...)
	steady(&rep)
	return s.Keep(c, rep, samples)
}

// changed is a combination of the same path with the settings of another experiment.
func (m *pair) changed(x *record.Experiment) *experiment.Combination {
	return &experiment.Combination{Record: x, Path: m.c.Path}
}

// startPair makes both ends of a pair measure from begin on, a stamp of this process's clock, while the caller goes on
// until it waits for wg. When one end fails, cancel, which ends ctx, stops the other one, which has nothing left to
// measure. first is the number of the pair's first stream.
func startPair(ctx context.Context, cancel func(), wg *sync.WaitGroup, a, b *remote.End, begin int64,
	samples *remote.Collector, first int) {
	over := map[*remote.End]chan struct{}{a: make(chan struct{}), b: make(chan struct{})}
	measureAt := func(e, other *remote.End) {
		e.Outcome, e.Err = e.Experiment.Start(ctx, begin+e.Client.Clock().Nanoseconds, samples.From(e, first))
		close(over[e])
		if e.Err == nil && brokenAt(e.Outcome) == nil {
			return
		}
		engineOf(e.Setup.Method).await(ctx, e, other, over[other])
		cancel()
	}
	wg.Go(func() { measureAt(a, b) })
	wg.Go(func() { measureAt(b, a) })
}
