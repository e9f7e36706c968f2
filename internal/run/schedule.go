package run

import (
	"context"
	"fmt"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
)

// intervalOf is the maximum duration of the next repeat of a combination: the configured interval, in a lab at most
// labInterval unless a budget allows more, and with a budget an equal part of what is left, never below MinInterval.
func intervalOf(configured time.Duration, lab bool, budget, left time.Duration, repeatsLeft int) time.Duration {
	w := configured
	switch {
	case budget > 0 && repeatsLeft > 0:
		w = min(configured, left/time.Duration(repeatsLeft)-experiment.Warmup-experiment.Overhead)
	case lab:
		w = min(configured, labInterval)
	}
	return max(w, min(experiment.MinInterval, configured))
}

// labInterval is the default interval of a lab without a budget, and idleInterval how long hosts are observed without
// traffic.
const labInterval, idleInterval = time.Second, 2 * time.Second

// left is the time that the remaining repeats will take.
func (s *session) left() time.Duration {
	var d time.Duration
	for _, c := range s.all {
		if n := c.Missing(); n > 0 && c.Record.Failed == "" {
			d += time.Duration(n) * c.Takes(s.Lasts(c))
		}
	}
	return d
}

// shortest is the minimum duration of the remaining repeats.
func (s *session) shortest() time.Duration {
	var d time.Duration
	for _, c := range s.all {
		least := min(experiment.MinInterval, c.Asked())
		if c.OpenEnded() {
			least = s.Lasts(c)
		}
		d += time.Duration(c.Missing()) * c.Takes(least)
	}
	return d
}

// overBudget says that the budget is too short for what is asked; empty: it is not.
func (s *session) overBudget() string {
	least := s.shortest().Round(time.Second)
	if s.cfg.Budget <= 0 || least <= s.cfg.Budget {
		return ""
	}
	return fmt.Sprintf("the budget of %s is not enough: what is asked for takes at least %s; run less, with "+
		"--experiments or --repeats", s.cfg.Budget, least)
}

// Hints are what a user should know of the duration of a run before it begins.
func Hints(cfgs []Config) (out []string) {
	scope := everyCombination(cfgs)
	for i, cfg := range cfgs {
		s := &session{cfg: cfg, all: scope, started: time.Now()}
		if text := s.overBudget(); text != "" && i == 0 {
			out = append(out, text)
		}
		for _, c := range cfg.Combinations {
			if h, ok := c.Measurement.(interface{ Hint() string }); ok && c.Missing() > 0 && h.Hint() != "" {
				out = xslices.AppendNew(out, h.Hint())
			}
		}
	}
	return out
}

// Lasts is the expected duration of the next repeat of a combination, as far as it is known.
func (s *session) Lasts(c *experiment.Combination) time.Duration {
	if !c.OpenEnded() {
		return s.Interval(c)
	}
	return c.Expected(experiment.LabScale(s))
}

// Interval is the duration of the next repeat of a combination. An open-ended one is never shortened: half of an amount
// would be a different amount.
func (s *session) Interval(c *experiment.Combination) time.Duration {
	if c.OpenEnded() {
		return c.Asked()
	}
	if c.Fixed > 0 {
		return c.Fixed
	}
	n := xslices.Sum(s.all, (*experiment.Combination).Missing)
	return intervalOf(c.Asked(), s.cfg.Lab != nil, s.cfg.Budget, s.cfg.Budget-time.Since(s.started), n)
}

// shortened names the experiments whose intervals are shorter than configured.
func (s *session) shortened() []string {
	var out []string
	seen := map[string]bool{}
	for _, c := range s.cfg.Combinations {
		if c.OneOf > 0 && c.Record.NotRun == "" {
			out = xslices.AppendNew(
				out,
				fmt.Sprintf("%s: one repeat of each of its %d combinations, as it is a lab; --repeats 3 asks for "+
					"more", c.Record.Name,
					c.OneOf),
			)
		}
		if c.Record.NotRun != "" || seen[c.Record.Name] || c.OpenEnded() {
			continue
		}
		configured := c.Asked()
		if c.Interval == "" && s.cfg.Lab != nil {
			configured = labInterval // no longer interval is configured
		}
		if w := s.Interval(c); w < configured {
			seen[c.Record.Name] = true
			out = append(
				out,
				fmt.Sprintf("%s: intervals of %s shortened to %s", c.Record.Name, unit.Seconds(configured.Seconds()),
					unit.Seconds(w.Seconds())),
			)
		}
	}
	return out
}

// Estimate is the minimum duration of a run: intervals, warm-ups, overhead and start. steps is the number of repeats.
func Estimate(cfgs []Config) (d time.Duration, steps int) {
	scope := everyCombination(cfgs)
	for _, cfg := range cfgs {
		s := &session{cfg: cfg, all: scope, started: time.Now()}
		hosts := map[string]bool{}
		for _, c := range cfg.Combinations {
			if n := c.Missing(); n > 0 {
				steps += n
				d += time.Duration(n) * c.Takes(s.Lasts(c))
				for _, h := range c.Hosts() {
					hosts[h] = true
				}
			}
		}
		if len(hosts) > 0 {
			d += idleInterval + time.Duration(len(hosts))*startOverhead
		}
	}
	return d, steps
}

// startOverhead is the time until an agent has started and sent its facts.
const startOverhead = 100 * time.Millisecond

// Schedule is when and in which order combinations are measured.
type Schedule struct {
	Order string // FileOrder if empty
	Seed  uint64
	// All are the combinations of the whole run, when this part of it has only some; nil: the part is the whole.
	All     []*experiment.Combination
	Started time.Time // of the whole run, for the budget; zero: now
}

// Punctual calls f again, with more lead, where the start reached an agent after the beginning of its interval: a host
// that was busy for a moment says nothing about the network. The increased lead stays for all later repeats. f's error
// is returned unchanged.
func (s *session) Punctual(ctx context.Context, f func(lead time.Duration) error) error {
	return remote.InTime(ctx, &s.lead, func(why error) {
		s.Warn(
			fmt.Sprintf("%v; it is measured again, and starts are sent %s earlier from here on", why,
				unit.Seconds(s.lead.Seconds())),
		)
	}, f)
}
