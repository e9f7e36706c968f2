package run

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"linerate/internal/agent"
	"linerate/internal/base/xslices"
	"linerate/internal/facts"
	"linerate/internal/run/experiment"
)

// switchesOf names the switches that a combination's traffic passes.
func switchesOf(c *experiment.Combination) (names []string) {
	for _, p := range c.Paths() {
		for _, name := range p.Switches {
			names = xslices.AppendNew(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// evidenceOf lists the sources of a combination's evidence: its hosts, and the switches on its path that can be read.
func (s *session) evidenceOf(c *experiment.Combination) []string {
	out := slices.Clone(c.Hosts())
	for _, name := range switchesOf(c) {
		if s.switches[name] != nil {
			out = append(out, name)
		}
	}
	return out
}

// switchReader reads snapshots of a switch. A light one has an agent, which can be read under load.
type switchReader struct {
	ask    func(ctx context.Context, level facts.Level) ([]byte, error)
	light  bool
	client *agent.Client // nil: it has none
}

// connectSwitches finds how to read the switches of the combinations. In a lab each is a namespace with an agent, as a
// host is; others have a connection for commands of their system. One that cannot be read is missing evidence, and a
// warning.
func (s *session) connectSwitches(ctx context.Context) error {
	var names []string
	for _, c := range s.cfg.Combinations {
		if c.Record.NotRun == "" && !c.Done() {
			names = append(names, switchesOf(c)...)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	readers, problems := make([]*switchReader, len(names)), make([]error, len(names))
	var wg sync.WaitGroup
	for i, name := range names {
		wg.Go(func() { readers[i], problems[i] = s.openSwitch(ctx, name) })
	}
	wg.Wait()
	s.switches = map[string]*switchReader{}
	for i, name := range names {
		if readers[i] != nil {
			s.switches[name] = readers[i]
		}
		if problems[i] != nil && ctx.Err() == nil {
			s.Warn(fmt.Sprintf("%s: its counters will not be read: %v", name, problems[i]))
		}
	}
	return ctx.Err()
}

// openSwitch is nil without an error for a switch that cannot be read.
func (s *session) openSwitch(ctx context.Context, name string) (*switchReader, error) {
	if s.cfg.Lab == nil {
		if s.cfg.SnapshotOfSwitch == nil || s.cfg.Plan.Switch(name) == nil || s.cfg.Plan.Switch(name).Connection == "" {
			return nil, nil
		}
		return &switchReader{
			ask: func(ctx context.Context, _ facts.Level) ([]byte, error) { return s.cfg.SnapshotOfSwitch(ctx, name) },
		}, nil
	}
	spec, err := s.cfg.Connection(name)
	if err != nil {
		return nil, err
	}
	client, err := agent.Open(ctx, spec, agent.OpenOptions{Host: name, Version: s.cfg.Version, AgentFile: s.cfg.AgentFile})
	if err != nil {
		return nil, err
	}
	return &switchReader{light: true, client: client,
		ask: func(ctx context.Context, level facts.Level) ([]byte, error) { return client.Facts(ctx, string(level)) }}, nil
}
