package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"linerate/internal/base/xslices"
	"linerate/internal/facts"
	"linerate/internal/facts/read"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
)

// readEvidence saves the facts of hosts and switches, all at once. One that does not answer is missing evidence and a
// warning; the run goes on.
func (s *session) readEvidence(ctx context.Context, when string, level facts.Level, hosts ...string) error {
	ctx, cancel := context.WithTimeout(ctx, remote.HostDeadline)
	defer cancel()
	texts := make([][]byte, len(hosts))
	problems := make([]error, len(hosts))
	var wg sync.WaitGroup
	for i, h := range hosts {
		if a := s.switches[h]; a != nil {
			ask := func() ([]byte, error) { return s.reports.read(ctx, h, level, a.ask) }
			if !a.light { // its commands return everything
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
			texts[i], problems[i] = s.reports.read(ctx, h, level,
				func(ctx context.Context, level facts.Level) ([]byte, error) { return client.Facts(ctx, string(level)) })
		})
	}
	wg.Wait()
	for i, h := range hosts {
		if problems[i] != nil && ctx.Err() == nil {
			s.Warn(fmt.Sprintf("%s: its facts (%s) could not be read: %v", h, when, problems[i]))
			continue
		}
		if texts[i] == nil {
			continue
		}
		if level != facts.Counters && s.switches[h] == nil {
			if f, err := read.Parse(texts[i]); err == nil {
				s.remember(h, f)
			}
		}
		// Snapshots of counters are taken under load, and contain neither serial numbers nor secrets.
		if a := s.switches[h]; s.mask != nil && (level != facts.Counters || a != nil && !a.light) {
			texts[i] = s.mask.Snapshot(texts[i])
		}
		if _, err := s.cfg.Folder.SaveSnapshot(h, when, texts[i]); err != nil {
			return err
		}
	}
	return nil
}

// during returns a function that reads the hosts at each call, while a combination is measured.
func (s *session) during(ctx context.Context, c *experiment.Combination, hosts []string) func() {
	// A switch that is queried by commands takes seconds: it is read only before and after.
	hosts = slices.DeleteFunc(slices.Clone(hosts),
		func(h string) bool { return s.switches[h] != nil && !s.switches[h].light })
	calls, kept := 0, 0
	return func() {
		calls++
		level := c.ReadDuring(calls)
		if level == "" {
			return
		}
		_ = s.readEvidence(ctx, record.DuringOf(kept, c.Record.ID), level, hosts...)
		kept++
	}
}

// idle reads every host twice, idleInterval apart, without traffic.
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
	if err := s.readEvidence(ctx, record.IdleOf(record.Idle, s.variant()), facts.Counters, hosts...); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(idleInterval):
	}
	return s.readEvidence(ctx, record.IdleOf(record.IdleEnd, s.variant()), facts.Counters, hosts...)
}

func (s *session) Warn(text string) {
	s.run.Warnings = append(s.run.Warnings, text)
	// A journal that cannot be written shows at the next event that matters.
	_ = s.cfg.Folder.Warning(text)
}

// effects writes what was in effect in all repeats into the experiment's record. Where repeats differ it lists every
// value, in the order of the repeats.
func effects(e *record.Experiment) {
	values := map[string][]string{}
	for _, r := range e.Repeats {
		for k, v := range r.InEffect {
			values[k] = xslices.AppendNew(values[k], v)
		}
	}
	for k, v := range values {
		e.InEffect[k] = strings.Join(v, "; ")
	}
	if n := streamsOf(e); n > 0 {
		e.InEffect["streams"] = fmt.Sprint(n)
	}
	// Both ends did as they were configured, or the experiment failed.
	for _, k := range []string{"every", "load_streams", "load_direction"} {
		if v := e.Settings[k]; v != "" {
			e.InEffect[k] = v
		}
	}
}

// streamsOf is the number of streams of the last repeat in one direction of a flow, by the counts; 0: none.
func streamsOf(e *record.Experiment) int {
	of := map[string]int{}
	streams := 0
	for _, s := range e.Repeats[len(e.Repeats)-1].Streams {
		flow := fmt.Sprint(s.Direction, s.Flow)
		of[flow]++
		streams = max(streams, of[flow])
	}
	return streams
}
