package run

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
)

func (s *session) step(st Step) {
	st.Left = s.left()
	if s.cfg.Progress != nil {
		s.cfg.Progress(st)
	}
}

// mtu sets the MTU of a combination on its path, if an end is planned with a different one.
func (s *session) mtu(ctx context.Context, c *experiment.Combination) (undo func(), err error) {
	undo = func() {}
	want, err := strconv.Atoi(c.Record.Settings["mtu"])
	if err != nil {
		return undo, nil
	}
	var others []string // ends with a different MTU
	for _, p := range c.Paths() {
		for _, port := range []*plan.Port{p.FromPort, p.ToPort} {
			if port == nil || port.MTU == want {
				continue
			}
			other := fmt.Sprintf("%s of %s has %d", port.Interface, port.Host, port.MTU)
			if port.MTU == 0 {
				other = fmt.Sprintf("that of %s of %s is not known", port.Interface, port.Host)
			}
			others = xslices.AppendNew(others, other)
		}
	}
	if len(others) == 0 {
		return undo, nil
	}
	if s.cfg.SetMTU == nil {
		c.Record.NotRun = fmt.Sprintf(
			"it asks for MTU %d, %s, and measuring changes no settings; give both ends and every switch between MTU %d, "+
				"and run it again",
			want,
			strings.Join(others, ", "),
			want,
		)
		return undo, nil
	}
	back, err := s.setMTU(ctx, c, want)
	if err != nil {
		if ctx.Err() != nil {
			return undo, ctx.Err()
		}
		c.Record.Failed = fmt.Sprintf("MTU %d could not be set: %v", want, err)
		c.Record.NotRun = ""
		return undo, nil
	}
	return func() {
		if err := back(); err != nil {
			s.Warn(fmt.Sprintf("the MTU of %s -> %s could not be set back: %v", c.Record.From, c.Record.To, err))
		}
	}, nil
}

// repeat measures a combination once more. In its first repeat the hosts are read meanwhile: once is enough to see what
// is in effect under load.
func (s *session) repeat(ctx context.Context, c *experiment.Combination, hosts []string, evidence bool) error {
	s.reports.measuring()
	var during func()
	if len(c.Record.Repeats) == 0 && evidence {
		during = s.during(ctx, c, hosts)
	}
	return c.Measure(ctx, s, during)
}

// Keep records one more repeat of a combination, with its samples.
func (s *session) Keep(c *experiment.Combination, rep record.Repeat, samples []record.Sample) error {
	rep.Index = len(c.Record.Repeats)
	err := s.KeepSamples(c, samples)
	c.Record.Repeats = append(c.Record.Repeats, rep)
	return errors.Join(err, s.cfg.Folder.Repeat(c.Record.ID, rep))
}

// KeepSamples writes the samples of the next repeat.
func (s *session) KeepSamples(c *experiment.Combination, samples []record.Sample) error {
	for i := range samples {
		samples[i].Experiment, samples[i].Repeat = c.Record.ID, len(c.Record.Repeats)
	}
	return s.cfg.Folder.Samples(samples)
}

// SaveOutput writes the output of the next repeat into the run folder.
func (s *session) SaveOutput(c *experiment.Combination, output []byte) (string, error) {
	return s.cfg.Folder.SaveOutput(c.Record.ID, len(c.Record.Repeats), output)
}

// Lost removes hosts whose agent is gone, so that later combinations fail at once. The combination and the host's
// record have the reason.
func (s *session) Lost(c *experiment.Combination) error {
	for _, h := range c.Hosts() {
		err := s.clients[h].Err()
		if err == nil || s.broken[h] != "" {
			continue
		}
		s.broken[h] = err.Error()
		for _, st := range s.run.Hosts {
			if st.Name == s.Name(h) {
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

// finish fills in the figures of a combination and records it.
func (s *session) finish(c *experiment.Combination) error {
	c.Close(s)
	if err := c.Summarize(); err != nil {
		c.Record.Failed = err.Error()
	}
	if n := len(c.Record.Repeats); n > 0 {
		c.Ceiling(s)
		c.InEffect(c.Record.Repeats[n-1])
		effects(c.Record)
	}
	return s.cfg.Folder.Experiment(c.Record)
}

// setMTU sets an MTU on every path of a combination, and returns the function that undoes it, the last path first.
func (s *session) setMTU(ctx context.Context, c *experiment.Combination, mtu int) (func() error, error) {
	var undo []func() error
	back := func() error {
		var failed error
		for i := len(undo) - 1; i >= 0; i-- {
			failed = errors.Join(failed, undo[i]())
		}
		return failed
	}
	for _, p := range c.Paths() {
		u, err := s.cfg.SetMTU(ctx, p, mtu)
		if err != nil {
			return nil, errors.Join(err, back())
		}
		undo = append(undo, u)
	}
	return back, nil
}

// live reports the beginning of a repeat, with its ceiling if that is known beforehand, to whoever follows the run.
func (s *session) live(c *experiment.Combination) {
	if s.cfg.Live != nil {
		s.cfg.Live.Begin(c.Expect(s))
	}
}
