package run

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"linerate/internal/agent"
	"linerate/internal/facts"
)

// switches are the switches that a cell's traffic passes, by name.
func (c *Cell) switches() (names []string) {
	for _, p := range c.paths() {
		for _, name := range p.Switches {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// evidenceOf is whom a cell's evidence is asked of: its hosts, and the switches on its way that can be asked.
func (s *session) evidenceOf(c *Cell) []string {
	out := slices.Clone(c.Hosts())
	for _, name := range c.switches() {
		if s.switches[name] != nil {
			out = append(out, name)
		}
	}
	return out
}

// asker gives a capture of a switch. Light is one that has an agent, which can be asked under load.
type asker struct {
	ask    func(ctx context.Context, level facts.Level) ([]byte, error)
	light  bool
	client *agent.Client // nil: it has none
}

// connectSwitches finds out how the switches of the cells are asked: in a lab each is a namespace in which an agent runs as in a host; others
// have a reach over which their system's commands go. One that cannot be asked is missing evidence, and a warning.
func (s *session) connectSwitches(ctx context.Context) error {
	var names []string
	for _, c := range s.cfg.Cells {
		if c.Exp.NotRun == "" && !c.done() {
			names = append(names, c.switches()...)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	asked, problems := make([]*asker, len(names)), make([]error, len(names))
	var wg sync.WaitGroup
	for i, name := range names {
		wg.Go(func() { asked[i], problems[i] = s.openSwitch(ctx, name) })
	}
	wg.Wait()
	s.switches = map[string]*asker{}
	for i, name := range names {
		if asked[i] != nil {
			s.switches[name] = asked[i]
		}
		if problems[i] != nil && ctx.Err() == nil {
			s.warn(fmt.Sprintf("%s: its counters will not be read: %v", name, problems[i]))
		}
	}
	return ctx.Err()
}

// openSwitch is nil without an error for a switch that has no way to be asked.
func (s *session) openSwitch(ctx context.Context, name string) (*asker, error) {
	if s.cfg.Lab == nil {
		if s.cfg.AskSwitch == nil || s.cfg.Plan.Switch(name) == nil || s.cfg.Plan.Switch(name).Reach == "" {
			return nil, nil
		}
		return &asker{ask: func(ctx context.Context, _ facts.Level) ([]byte, error) { return s.cfg.AskSwitch(ctx, name) }}, nil
	}
	spec, err := s.cfg.Reach(name)
	if err != nil {
		return nil, err
	}
	client, err := agent.Open(ctx, spec, agent.OpenOptions{Host: name, Version: s.cfg.Version, AgentFile: s.cfg.AgentFile})
	if err != nil {
		return nil, err
	}
	return &asker{light: true, client: client, ask: func(ctx context.Context, level facts.Level) ([]byte, error) { return client.Facts(ctx, string(level)) }}, nil
}
