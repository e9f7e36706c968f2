package run

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"linerate/internal/facts"
	"linerate/internal/record"
)

// capture saves the facts of hosts and switches, all at once. One that does not answer is
// missing in the evidence and a warning of the run, no reason to stop.
func (s *session) capture(ctx context.Context, when string, level facts.Level, hosts ...string) error {
	ctx, cancel := context.WithTimeout(ctx, hostDeadline)
	defer cancel()
	texts := make([][]byte, len(hosts))
	problems := make([]error, len(hosts))
	var wg sync.WaitGroup
	for i, h := range hosts {
		if a := s.switches[h]; a != nil {
			ask := func() ([]byte, error) { return s.told.ask(ctx, h, level, a.ask) }
			if !a.light { // its commands give everything
				ask = func() ([]byte, error) { return a.ask(ctx, level) }
			}
			wg.Go(func() { texts[i], problems[i] = ask() })
			continue
		}
		client := s.clients[h]
		if client == nil {
			continue
		}
		wg.Go(func() {
			texts[i], problems[i] = s.told.ask(ctx, h, level, func(ctx context.Context, level facts.Level) ([]byte, error) { return client.Facts(ctx, string(level)) })
		})
	}
	wg.Wait()
	for i, h := range hosts {
		if problems[i] != nil && ctx.Err() == nil {
			s.warn(fmt.Sprintf("%s: its facts (%s) could not be read: %v", h, when, problems[i]))
			continue
		}
		if texts[i] == nil {
			continue
		}
		if level != facts.Counters && s.switches[h] == nil {
			if f, err := facts.Parse(texts[i]); err == nil {
				s.remember(h, f)
			}
		}
		// Captures of counters alone are taken under load, and have neither serial numbers nor secrets.
		if a := s.switches[h]; s.mask != nil && (level != facts.Counters || a != nil && !a.light) {
			texts[i] = s.mask.Capture(texts[i])
		}
		if _, err := s.cfg.Folder.SaveCapture(h, when, texts[i]); err != nil {
			return err
		}
	}
	return nil
}

// during captures hosts each time it is called, while a cell is measured.
func (s *session) during(ctx context.Context, c *Cell, hosts []string) func() {
	// A switch that is asked by commands takes seconds: it is asked before and after.
	hosts = slices.DeleteFunc(slices.Clone(hosts), func(h string) bool { return s.switches[h] != nil && !s.switches[h].light })
	calls, kept := 0, 0
	return func() {
		calls++
		level := facts.Counters
		if c.Exp.Method == Acceptance {
			if calls != 2 {
				return // the bus and the heat under load are read once: that takes seconds
			}
			level = facts.Full
		}
		_ = s.capture(ctx, record.DuringOf(kept, c.Exp.ID), level, hosts...)
		kept++
	}
}

// idle captures every host twice, idleWindow apart, with nothing going on.
func (s *session) idle(ctx context.Context) error {
	var hosts []string
	for h := range s.clients {
		hosts = append(hosts, h)
	}
	if len(hosts) == 0 {
		return nil
	}
	for name := range s.switches {
		hosts = append(hosts, name)
	}
	if err := s.capture(ctx, record.IdleOf(record.Idle, s.variant()), facts.Counters, hosts...); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(idleWindow):
	}
	return s.capture(ctx, record.IdleOf(record.IdleEnd, s.variant()), facts.Counters, hosts...)
}

func (s *session) warn(text string) {
	s.run.Warnings = append(s.run.Warnings, text)
	// A journal that cannot be written says so at the next event that matters.
	_ = s.cfg.Folder.Warning(text)
}
