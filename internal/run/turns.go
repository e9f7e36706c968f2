package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/xslices"
	"linerate/internal/facts"
	"linerate/internal/facts/snapshot"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/run/experiment"
)

// turn is measured together: one combination, or those of several variants repeat by repeat, A B A B, so that a
// disturbance affects all alike.
type turn []entry

// entry is a combination with the session whose agents measure it.
type entry struct {
	s           *session
	combination *experiment.Combination
}

// ExecuteAll measures the combinations of several configurations (variants of one fabric, each with its hosts) in one
// run: combinations with the same Turn alternate. It keeps every finished repeat, also with an error. The header of r
// must be filled in.
func ExecuteAll(ctx context.Context, cfgs []Config, r *record.Run) error {
	var all []*session
	mask := snapshot.NewMasker() // one for all: equal values stay equal within a folder
	for _, cfg := range cfgs {
		s := &session{cfg: cfg, run: r, clients: map[string]*agent.Client{}, broken: map[string]string{},
			last: map[string]*facts.Facts{}, started: cfg.Started}
		if s.started.IsZero() {
			s.started = time.Now()
		}
		if !cfg.KeepSerials {
			s.mask = mask
		}
		all = append(all, s)
		if err := Register(cfg.Folder, cfg.Combinations, r); err != nil {
			return err
		}
		defer s.close()
	}
	scope := everyCombination(cfgs)
	for _, s := range all {
		s.all = scope
		for _, text := range s.shortened() {
			r.Shortened = xslices.AppendNew(r.Shortened, text)
		}
	}
	if text := all[0].overBudget(); text != "" {
		all[0].Warn(text)
	}
	for _, s := range all {
		if err := s.connect(ctx); err != nil {
			return err
		}
		if err := s.connectSwitches(ctx); err != nil {
			return err
		}
	}
	if err := unreachedBy(all); err != nil {
		return err
	}
	for _, s := range all {
		s.leaveOutUnreached()
	}
	for _, s := range all {
		if err := s.idle(ctx); err != nil {
			return err
		}
	}
	if err := measureTurns(ctx, turns(all), r); err != nil || all[0].cfg.FollowUp == nil {
		return err
	}
	return all[0].cfg.FollowUp.follow(ctx, all, r)
}

// Register adds combinations to the experiments of a run; existing ones stay unchanged.
func Register(folder *runfolder.Folder, combinations []*experiment.Combination, r *record.Run) error {
	for _, c := range combinations {
		if slices.Contains(r.Experiments, c.Record) {
			continue
		}
		if r.Lab != nil {
			c.Record.Emulated = slices.ContainsFunc(c.Hosts(), func(h string) bool { return slices.Contains(r.Lab.Guests, h) })
		}
		r.Experiments = append(r.Experiments, c.Record)
		if c.Record.InEffect == nil {
			c.Record.InEffect = map[string]string{}
		}
		if err := folder.Experiment(c.Record); err != nil {
			return err
		}
	}
	return nil
}

func everyCombination(cfgs []Config) []*experiment.Combination {
	var out []*experiment.Combination
	for _, cfg := range cfgs {
		if cfg.All != nil {
			return cfg.All
		}
		out = append(out, cfg.Combinations...)
	}
	return out
}

// turns groups the combinations of all sessions, in the order of the first configuration.
func turns(all []*session) []turn {
	var out []turn
	at := map[string]int{}
	for _, s := range all {
		for _, c := range s.cfg.Combinations {
			if c.Record.NotRun != "" {
				continue
			}
			i, ok := at[c.Turn]
			if c.Turn == "" || !ok {
				i = len(out)
				out = append(out, nil)
				at[c.Turn] = i
			}
			out[i] = append(out[i], entry{s, c})
		}
	}
	if len(all) == 0 {
		return nil
	}
	parameters := make([]map[string]string, len(out))
	for i, t := range out {
		parameters[i] = parametersOf(t[0].combination)
	}
	sorted := make([]turn, len(out))
	for i, from := range order(all[0].cfg.Order, all[0].cfg.Seed, parameters) {
		sorted[i] = out[from]
	}
	return sorted
}

// parametersOf is the value of every parameter of a combination.
func parametersOf(c *experiment.Combination) map[string]string {
	m := map[string]string{"experiment": c.Record.Name, "direction": c.Record.Direction,
		"path": c.Record.From + " " + c.Record.To + " " + strings.Join(c.Record.Links, " ")}
	for k, v := range c.Record.Settings {
		m["setting "+k] = v
	}
	return m
}

// SameTurn makes combinations of different variants that are otherwise the same experiment alternate, and returns how
// many turns have more than one.
func SameTurn(combinations []*experiment.Combination) int {
	n := map[string]int{}
	for _, c := range combinations {
		if c.Record.NotRun != "" {
			continue
		}
		bare := *c.Record
		bare.Variant, bare.Ends = "", nil
		c.Turn = c.Record.Name + " " + record.ExperimentID(&bare) + " " + strings.Join(c.Record.Links, " ")
		n[c.Turn]++
	}
	several := 0
	for _, k := range n {
		if k > 1 {
			several++
		}
	}
	return several
}

func measureTurns(ctx context.Context, todo []turn, r *record.Run) error {
	total, index := 0, 0
	for _, t := range todo {
		total += len(t)
	}
	done := map[string]*experiment.Combination{}
	for i, t := range todo {
		var own turn
		for _, e := range t {
			if twin := done[e.combination.Record.ID]; twin != nil {
				x := e.combination.Record
				x.Repeats, x.InEffect, x.Failed = twin.Record.Repeats, twin.Record.InEffect, twin.Record.Failed
				e.combination.Partial = twin.Partial
			} else {
				done[e.combination.Record.ID] = e.combination
				own = append(own, e)
			}
		}
		looks := levels{facts.Full, facts.Full}
		if i > 0 && todo[i-1].sweeps(t) {
			looks.before = facts.Statistics
		}
		if i+1 < len(todo) && t.sweeps(todo[i+1]) {
			looks.after = facts.Statistics
		}
		if err := own.measure(ctx, index, total, looks); err != nil {
			return err
		}
		for _, e := range t {
			index++
			e.combination.NoteUnsettled()
			if err := e.s.finish(e.combination); err != nil {
				return err
			}
			e.s.step(Step{Index: index, Total: total, Combination: e.combination, Repeat: -1})
		}
	}
	return nil
}

// levels is how much is read before and after a turn.
type levels struct{ before, after facts.Level }

// sweeps reports whether the next turn is of the same experiment, with no setting changed in between: then only
// counters are read, of hosts with full facts from the last minute (snapshots). An MTU is set on the hosts of a turn,
// so with one they must be the same hosts.
func (t turn) sweeps(next turn) bool {
	if len(t) != 1 || len(next) != 1 || t[0].s != next[0].s {
		return false
	}
	a, b := t[0].combination, next[0].combination
	mtu := a.Record.Settings["mtu"]
	return a.Record.Name == b.Record.Name && mtu == b.Record.Settings["mtu"] &&
		(mtu == "" || slices.Equal(a.Hosts(), b.Hosts()) && slices.Equal(switchesOf(a), switchesOf(b)))
}

// measure runs the repeats of the combinations of a turn, alternating. A failure is recorded in its combination; an
// error ends the whole run: it was cancelled, or the folder cannot be written.
func (t turn) measure(ctx context.Context, index, total int, looks levels) error {
	var ready turn
	shared := t.shared()
	for _, e := range t {
		if e.combination.Done() {
			continue
		}
		undo, err := e.s.begin(ctx, e.combination, !shared, looks.before)
		if err != nil {
			return err
		}
		defer undo()
		if e.combination.Record.NotRun == "" && e.combination.Record.Failed == "" {
			ready = append(ready, e)
		}
	}
	for {
		behind := ready.behind()
		if len(behind) == 0 || ready.overtime() {
			break
		}
		for _, e := range behind {
			now := Step{Index: index + 1 + slices.Index(t, e), Total: total, Combination: e.combination,
				Repeat: len(e.combination.Record.Repeats)}
			e.s.live(e.combination)
			e.s.step(now)
			if err := e.s.repeat(ctx, e.combination, e.s.evidenceOf(e.combination), !shared); err != nil {
				return err
			}
			now.Over = true
			e.s.step(now)
		}
	}
	if shared {
		return nil
	}
	for _, e := range ready {
		if e.combination.Record.Failed != "" {
			looks.after = facts.Full
		}
		if err := e.s.readEvidence(ctx, record.At(record.After, e.combination.Record.ID), looks.after,
			e.s.evidenceOf(e.combination)...); err != nil {
			return err
		}
	}
	return nil
}

// behind are the combinations with the fewest repeats, while any combination needs more. With a target for the
// confidence interval all continue until the last has reached it, so that they stay pairs.
func (t turn) behind() turn {
	fewest, need := -1, false
	for _, e := range t {
		if e.combination.Record.Failed != "" {
			continue
		}
		need = need || !e.combination.Done()
		if n := len(e.combination.Record.Repeats); fewest < 0 || n < fewest {
			fewest = n
		}
	}
	if !need {
		return nil
	}
	var out turn
	for _, e := range t {
		if e.combination.Record.Failed == "" && len(e.combination.Record.Repeats) == fewest {
			out = append(out, e)
		}
	}
	return out
}

// overtime reports whether the budget is used up and more repeats would only narrow the confidence interval.
func (t turn) overtime() bool {
	for _, e := range t {
		c, budget := e.combination, e.s.cfg.Budget
		over := budget > 0 && time.Since(e.s.started) >= budget
		if c.Record.Failed == "" && (c.Until <= 0 || len(c.Record.Repeats) < c.Least() || !over) {
			return false
		}
	}
	return len(t) > 0
}

// shared reports whether combinations of the turn use the same hosts: the counters of a host then include the traffic
// of both and are evidence for neither.
func (t turn) shared() bool {
	seen := map[*session]bool{}
	for _, e := range t {
		if seen[e.s] {
			return true
		}
		seen[e.s] = true
	}
	return false
}

// begin prepares a combination: it checks its hosts, sets its MTU and records their facts. If it cannot be measured,
// the combination has the reason.
func (s *session) begin(ctx context.Context, c *experiment.Combination, evidence bool,
	look facts.Level) (undo func(), err error) {
	for _, h := range c.Hosts() {
		if s.broken[h] != "" {
			c.Record.Failed = unusable(s.Name(h))
			return func() {}, nil
		}
	}
	undo, err = s.mtu(ctx, c)
	if err != nil || c.Record.NotRun != "" || c.Record.Failed != "" || !evidence {
		return undo, err
	}
	if err := s.readEvidence(ctx, record.At(record.Before, c.Record.ID), look, s.evidenceOf(c)...); err != nil {
		undo()
		return func() {}, err
	}
	return undo, nil
}

// variant distinguishes the hosts of a session from those of the run's own variant with the same name; empty for the
// run's own.
func (s *session) variant() string { return s.run.Other(s.cfg.Plan.Variant) }

// Name is the name of a host in the record.
func (s *session) Name(host string) string {
	if v := s.variant(); v != "" {
		return fmt.Sprintf("%s [%s]", host, v)
	}
	return host
}
