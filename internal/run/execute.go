package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

// Execute measures every cell that can be and keeps every repeat that was
// finished in the run, also beside an error. The run passed in has its head filled; its
// experiments become those of the cells.
func Execute(ctx context.Context, cfg Config, r *record.Run) error {
	r.Experiments = nil
	return ExecuteAll(ctx, []Config{cfg}, r)
}

func (s *session) step(st Step) {
	st.Left = s.left()
	if s.cfg.Progress != nil {
		s.cfg.Progress(st)
	}
}

// left is the time that what remains will take.
func (s *session) left() time.Duration {
	var d time.Duration
	for _, c := range s.all {
		if n := c.missing(); n > 0 && c.Exp.Failed == "" {
			d += time.Duration(n) * c.takes(s.lasts(c))
		}
	}
	return d
}

// shortest is how long everything still to be measured takes at least.
func (s *session) shortest() time.Duration {
	var d time.Duration
	for _, c := range s.all {
		least := min(minWindow, c.asked())
		if c.whole() {
			least = s.lasts(c)
		}
		d += time.Duration(c.missing()) * c.takes(least)
	}
	return d
}

// lasts is how long the window of the next repeat of a cell will be.
func (s *session) lasts(c *Cell) time.Duration {
	if !c.whole() {
		return s.window(c)
	}
	scale := 1.0
	if s.cfg.Lab != nil {
		scale = s.cfg.Lab.Scale
	}
	return c.expected(scale)
}

// window is how long the next repeat of a cell may take. Nothing shortens an amount: half of it would be another one.
func (s *session) window(c *Cell) time.Duration {
	if c.whole() {
		return c.asked()
	}
	if c.fixed > 0 {
		return c.fixed
	}
	n := 0
	for _, x := range s.all {
		n += x.missing()
	}
	return window(c.asked(), s.cfg.Lab != nil, s.cfg.Budget, s.cfg.Budget-time.Since(s.started), n)
}

func (c *Cell) done() bool { return c.missing() == 0 }

// shortened names the experiments whose windows are shorter than their file asks.
func (s *session) shortened() []string {
	var out []string
	seen := map[string]bool{}
	for _, c := range s.cfg.Cells {
		if b := c.block; b != nil && b.once > 0 && c.Exp.NotRun == "" {
			if text := fmt.Sprintf("%s: one repeat of each of its %d cells, as it is a lab; --repeats 3 asks for more", c.Exp.Name, b.once); !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
		if c.Exp.NotRun != "" || seen[c.Exp.Name] || c.whole() {
			continue
		}
		asked := c.asked()
		if c.Window == "" && s.cfg.Lab != nil {
			asked = labWindow // nobody asked for more
		}
		if w := s.window(c); w < asked {
			seen[c.Exp.Name] = true
			out = append(out, fmt.Sprintf("%s: windows of %s shortened to %s", c.Exp.Name, unit.Seconds(asked.Seconds()), unit.Seconds(w.Seconds())))
		}
	}
	return out
}

// mtu gives the path of a cell the MTU that it asks for, if an end is planned with another.
func (s *session) mtu(ctx context.Context, c *Cell) (undo func(), err error) {
	undo = func() {}
	want, err := strconv.Atoi(c.Exp.Settings["mtu"])
	if err != nil {
		return undo, nil
	}
	var others []string // ends with another MTU
	for _, p := range c.paths() {
		for _, port := range []*plan.Port{p.FromPort, p.ToPort} {
			if port == nil || port.MTU == want {
				continue
			}
			other := fmt.Sprintf("%s of %s has %d", port.Interface, port.Host, port.MTU)
			if port.MTU == 0 {
				other = fmt.Sprintf("that of %s of %s is not known", port.Interface, port.Host)
			}
			if !slices.Contains(others, other) {
				others = append(others, other)
			}
		}
	}
	if len(others) == 0 {
		return undo, nil
	}
	if s.cfg.SetMTU == nil {
		c.Exp.NotRun = fmt.Sprintf("it asks for MTU %d, %s, and measuring changes no settings; give both ends and every switch between MTU %d, and run it again", want, strings.Join(others, ", "), want)
		return undo, nil
	}
	back, err := s.setMTU(ctx, c, want)
	if err != nil {
		if ctx.Err() != nil {
			return undo, ctx.Err()
		}
		c.Exp.Failed = fmt.Sprintf("MTU %d could not be set: %v", want, err)
		c.Exp.NotRun = ""
		return undo, nil
	}
	return func() {
		if err := back(); err != nil {
			s.warn(fmt.Sprintf("the MTU of %s -> %s could not be set back: %v", c.Exp.From, c.Exp.To, err))
		}
	}, nil
}

func (s *session) repeat(ctx context.Context, c *Cell, hosts []string, evidence bool) error {
	index := len(c.Exp.Repeats)
	s.told.measuring()
	var during func()
	if index == 0 && evidence && c.halo == nil { // a verdict needs it, and there is none
		during = s.during(ctx, c, hosts) // once a cell is enough to see what is in effect under load
	}
	if c.halo != nil {
		return s.haloRepeat(ctx, c, during)
	}
	if c.app != nil {
		return s.appRepeat(ctx, c, during)
	}
	if c.block != nil {
		return s.blockRepeat(ctx, c, during)
	}
	if c.copy != nil {
		return s.copyRepeat(ctx, c, during)
	}
	if len(c.Flows) > 0 {
		return s.groupRepeat(ctx, c, during)
	}
	spec, err := c.spec(s.window(c))
	if err != nil {
		c.Exp.Failed = err.Error()
		return nil
	}
	without, err := s.sendVerbs(ctx, c)
	if err != nil {
		c.Exp.Failed = err.Error()
		return s.lost(c)
	}
	if s.cfg.Lab != nil && spec.Verbs.Link == traffic.LinkIB {
		spec.Verbs.Link = "" // a lab has soft RoCE in its place, and says so
	}
	spec.Live = s.cfg.Live
	s.datagrams(c, &spec)
	c.echoes(&spec)
	var rep record.Repeat
	var samples []record.Sample
	pair := Repeat
	if s.cfg.repeat != nil {
		pair = s.cfg.repeat
	}
	err = s.punctual(ctx, func(lead time.Duration) (err error) {
		if spec.Lead = lead; c.overICMP() {
			rep, samples, err = RepeatICMP(ctx, s.clients[c.Path.From], spec, during)
		} else {
			rep, samples, err = pair(ctx, s.clients[c.Path.From], s.clients[c.Path.To], spec, during)
		}
		return err
	})
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.Exp.Failed = err.Error()
		keepBroken(c, index, err)
		if without != "" && lacksVerbs(err) {
			c.Exp.Failed += "; " + without
		}
		return s.lost(c)
	}
	rep.Warnings = append(rep.Warnings, paceKept(rep, spec)...)
	steady(&rep)
	return s.keep(c, rep, samples)
}

// keep notes one more repeat of a cell, and writes it and its samples down.
func (s *session) keep(c *Cell, rep record.Repeat, samples []record.Sample) error {
	rep.Index = len(c.Exp.Repeats)
	for i := range samples {
		samples[i].Experiment, samples[i].Repeat = c.Exp.ID, rep.Index
	}
	c.Exp.Repeats = append(c.Exp.Repeats, rep)
	return errors.Join(s.cfg.Folder.Samples(samples), s.cfg.Folder.Repeat(c.Exp.ID, rep))
}

// lost takes hosts out whose agent is gone, so that later cells say so at once. The cell that lost it says why; so does
// the host's record.
func (s *session) lost(c *Cell) error {
	for _, h := range c.Hosts() {
		err := s.clients[h].Err()
		if err == nil || s.broken[h] != "" {
			continue
		}
		s.broken[h] = err.Error()
		for _, st := range s.run.Hosts {
			if st.Name == s.nameOf(h) {
				st.Error = err.Error()
				s.setHost(st)
				if err := s.cfg.Folder.Host(st); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

// finish fills the figures of a cell and writes it down.
func (s *session) finish(c *Cell) error {
	s.removeCopies(c)
	if err := summarize(c.Exp); err != nil {
		c.Exp.Failed = err.Error()
	}
	if err := c.summarizeFlows(); err != nil {
		c.Exp.Failed = err.Error()
	}
	if len(c.Exp.Repeats) > 0 {
		s.ceiling(c)
		last := c.Exp.Repeats[len(c.Exp.Repeats)-1]
		if c.app != nil {
			c.Exp.InEffect["command"] = strings.Join(last.App.Command, " ")
		} else if c.amount() > 0 || c.copy != nil {
			c.Exp.InEffect["amount"], c.Exp.InEffect["seconds"] = unit.Bytes(last.Bytes).String(), unit.Seconds(c.Exp.Seconds.Median)
		} else {
			c.Exp.InEffect["window"] = unit.Seconds(last.Seconds)
		}
		if c.block != nil && c.block.job.Rate > 0 {
			c.Exp.InEffect["rate"] = unit.Count(c.block.job.Rate) + " requests a second of each worker at most"
		}
		effects(c.Exp)
	}
	return s.cfg.Folder.Experiment(c.Exp)
}
