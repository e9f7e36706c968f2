package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
)

// Schedule is when the cells of a run are measured.
type Schedule struct {
	Order string // FileOrder if empty
	Seed  uint64
	// All are the cells of the whole run, when this part of it has only some; nil: the part is the whole.
	All     []*Cell
	Started time.Time // of the whole run, for the budget; zero: now
}

// turn is what is measured together: one cell, or those of several variants repeat
// by repeat, A B A B, so that what disturbs the machine falls on all alike.
type turn []entry

// entry is a cell with the session whose agents measure it.
type entry struct {
	s *session
	c *Cell
}

// ExecuteAll measures the cells of several configurations (variants of one
// fabric, each with its hosts) in one run: cells of the same Turn alternate. See Execute.
func ExecuteAll(ctx context.Context, cfgs []Config, r *record.Run) error {
	var all []*session
	mask := facts.NewMasker() // one for all: what is equal stays equal within a folder
	for _, cfg := range cfgs {
		s := &session{cfg: cfg, run: r, clients: map[string]*agent.Client{}, broken: map[string]string{}, last: map[string]*facts.Facts{}, started: cfg.Started}
		if s.started.IsZero() {
			s.started = time.Now()
		}
		if !cfg.KeepSerials {
			s.mask = mask
		}
		all = append(all, s)
		if err := Register(cfg.Folder, cfg.Cells, r); err != nil {
			return err
		}
		defer s.close()
	}
	scope := everyCell(cfgs)
	for _, s := range all {
		s.all = scope
		for _, text := range s.shortened() {
			if !slices.Contains(r.Shortened, text) {
				r.Shortened = append(r.Shortened, text)
			}
		}
	}
	if s := all[0]; s.cfg.Budget > 0 && s.shortest() > s.cfg.Budget {
		s.warn(fmt.Sprintf("the budget of %s is not enough: what is asked for takes at least %s; run less, with --only or --repeats",
			unit.Seconds(s.cfg.Budget.Seconds()), unit.Seconds(s.shortest().Seconds())))
	}
	for _, s := range all {
		if err := s.connect(ctx); err != nil {
			return err
		}
		if err := s.connectSwitches(ctx); err != nil {
			return err
		}
	}
	if err := unreached(all); err != nil {
		return err
	}
	for _, s := range all {
		s.without()
	}
	for _, s := range all {
		if err := s.idle(ctx); err != nil {
			return err
		}
	}
	if err := measureTurns(ctx, turns(all), r); err != nil || all[0].cfg.Chase == nil {
		return err
	}
	return all[0].cfg.Chase.chase(ctx, all, r)
}

// Register makes cells the experiments of a run; those that are already stay as they are.
func Register(folder *runfolder.Folder, cells []*Cell, r *record.Run) error {
	for _, c := range cells {
		if slices.Contains(r.Experiments, c.Exp) {
			continue
		}
		if r.Lab != nil {
			c.Exp.Emulated = slices.ContainsFunc(c.Hosts(), func(h string) bool { return slices.Contains(r.Lab.Guests, h) })
		}
		r.Experiments = append(r.Experiments, c.Exp)
		if c.Exp.InEffect == nil {
			c.Exp.InEffect = map[string]string{}
		}
		if err := folder.Experiment(c.Exp); err != nil {
			return err
		}
	}
	return nil
}

func everyCell(cfgs []Config) []*Cell {
	var out []*Cell
	for _, cfg := range cfgs {
		if cfg.All != nil {
			return cfg.All
		}
		out = append(out, cfg.Cells...)
	}
	return out
}

// turns groups the cells of all sessions, in the order that the first asks for.
func turns(all []*session) []turn {
	var out []turn
	at := map[string]int{}
	for _, s := range all {
		for _, c := range s.cfg.Cells {
			if c.Exp.NotRun != "" {
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
	axes := make([]map[string]string, len(out))
	for i, t := range out {
		axes[i] = t[0].c.axes()
	}
	sorted := make([]turn, len(out))
	for i, from := range order(all[0].cfg.Order, all[0].cfg.Seed, axes) {
		sorted[i] = out[from]
	}
	return sorted
}

// axes are what a cell stands for beside others.
func (c *Cell) axes() map[string]string {
	m := map[string]string{"experiment": c.Exp.Name, "direction": c.Exp.Direction, "path": c.Exp.From + " " + c.Exp.To + " " + strings.Join(c.Exp.Links, " ")}
	for k, v := range c.Exp.Settings {
		m["setting "+k] = v
	}
	return m
}

// SameTurn makes cells of different variants that are otherwise the same
// experiment alternate, and returns how many turns have more than one.
func SameTurn(cells []*Cell) int {
	n := map[string]int{}
	for _, c := range cells {
		if c.Exp.NotRun != "" {
			continue
		}
		bare := *c.Exp
		bare.Variant, bare.Ends = "", nil
		c.Turn = c.Exp.Name + " " + record.ExperimentID(&bare) + " " + strings.Join(c.Exp.Links, " ")
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
	done := map[string]*Cell{}
	for i, t := range todo {
		var own turn
		for _, e := range t {
			if twin := done[e.c.Exp.ID]; twin != nil {
				e.c.Exp.Repeats, e.c.Exp.InEffect, e.c.Exp.Failed, e.c.partial = twin.Exp.Repeats, twin.Exp.InEffect, twin.Exp.Failed, twin.partial
			} else {
				done[e.c.Exp.ID] = e.c
				own = append(own, e)
			}
		}
		looks := looks{facts.Full, facts.Full}
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
			e.c.unsettled()
			if err := e.s.finish(e.c); err != nil {
				return err
			}
			e.s.step(Step{Index: index, Total: total, Cell: e.c, Repeat: -1})
		}
	}
	return nil
}

// looks is how much is looked at before and after a turn.
type looks struct{ before, after facts.Level }

// sweeps says whether the next turn is of the same experiment, and nothing is set in between: then only what counts is read, of those that
// have told everything within the last minute (told). An MTU is set on the hosts of a turn, so with one they have to be the same.
func (t turn) sweeps(next turn) bool {
	if len(t) != 1 || len(next) != 1 || t[0].s != next[0].s {
		return false
	}
	a, b := t[0].c, next[0].c
	mtu := a.Exp.Settings["mtu"]
	return a.Exp.Name == b.Exp.Name && mtu == b.Exp.Settings["mtu"] && (mtu == "" || slices.Equal(a.Hosts(), b.Hosts()) && slices.Equal(a.switches(), b.switches()))
}

// measure takes the cells of a turn through their repeats, one repeat each in
// turn. A failure is written into its cell; the error is of what ends the whole run: it
// was cancelled, or the folder cannot be written.
func (t turn) measure(ctx context.Context, index, total int, looks looks) error {
	var ready turn
	shared := t.shared()
	for _, e := range t {
		if e.c.done() {
			continue
		}
		undo, err := e.s.begin(ctx, e.c, !shared, looks.before)
		if err != nil {
			return err
		}
		defer undo()
		if e.c.Exp.NotRun == "" && e.c.Exp.Failed == "" {
			ready = append(ready, e)
		}
	}
	for {
		behind := ready.behind()
		if len(behind) == 0 || ready.overtime() {
			break
		}
		for _, e := range behind {
			now := Step{Index: index + 1 + slices.Index(t, e), Total: total, Cell: e.c, Repeat: len(e.c.Exp.Repeats)}
			e.s.live(e.c)
			e.s.step(now)
			if err := e.s.repeat(ctx, e.c, e.s.evidenceOf(e.c), !shared); err != nil {
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
		if e.c.Exp.Failed != "" {
			looks.after = facts.Full
		}
		if err := e.s.capture(ctx, record.At(record.After, e.c.Exp.ID), looks.after, e.s.evidenceOf(e.c)...); err != nil {
			return err
		}
	}
	return nil
}

// behind are the cells that have the fewest repeats, while any cell needs more:
// with a target for the interval all go on until the last has reached it, so that they stay pairs.
func (t turn) behind() turn {
	fewest, need := -1, false
	for _, e := range t {
		if e.c.Exp.Failed != "" {
			continue
		}
		need = need || !e.c.done()
		if n := len(e.c.Exp.Repeats); fewest < 0 || n < fewest {
			fewest = n
		}
	}
	if !need {
		return nil
	}
	var out turn
	for _, e := range t {
		if e.c.Exp.Failed == "" && len(e.c.Exp.Repeats) == fewest {
			out = append(out, e)
		}
	}
	return out
}

// overtime says that a budget is used up and no cell of the turn needs more than
// a narrower interval.
func (t turn) overtime() bool {
	for _, e := range t {
		budget := e.s.cfg.Budget
		if e.c.Exp.Failed == "" && (e.c.Until <= 0 || len(e.c.Exp.Repeats) < e.c.least() || budget <= 0 || time.Since(e.s.started) < budget) {
			return false
		}
	}
	return len(t) > 0
}

// shared says whether cells of the turn have the same hosts: the counters of a
// host then have the traffic of both in them and are evidence for neither.
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

// begin gets a cell ready: its hosts are there, its MTU is set, what its hosts say
// before it is kept. Why it cannot be measured is written into it.
func (s *session) begin(ctx context.Context, c *Cell, evidence bool, look facts.Level) (undo func(), err error) {
	for _, h := range c.Hosts() {
		if s.broken[h] != "" {
			c.Exp.Failed = unusable(s.nameOf(h))
			return func() {}, nil
		}
	}
	undo, err = s.mtu(ctx, c)
	if err != nil || c.Exp.NotRun != "" || c.Exp.Failed != "" || !evidence {
		return undo, err
	}
	if err := s.capture(ctx, record.At(record.Before, c.Exp.ID), look, s.evidenceOf(c)...); err != nil {
		undo()
		return func() {}, err
	}
	return undo, nil
}

// variant is how the hosts of a session are told from those of the run's own
// variant, which have one name; empty for the run's own.
func (s *session) variant() string { return s.run.Other(s.cfg.Plan.Variant) }

// nameOf is the name of a host in the record.
func (s *session) nameOf(host string) string {
	if v := s.variant(); v != "" {
		return fmt.Sprintf("%s [%s]", host, v)
	}
	return host
}
