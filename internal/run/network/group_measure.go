package network

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"linerate/internal/base/method"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
)

// Measure measures all flows once. Only a repeat in which every flow was measured counts; otherwise the measured flows
// are recorded with the failure.
func (m *group) Measure(ctx context.Context, s experiment.Session, during func()) error {
	flows, err := m.specs(s)
	if err != nil {
		m.c.Record.Failed = err.Error()
		return nil
	}
	g, err := m.measure(ctx, s, flows, during)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		m.c.Record.Failed = err.Error()
		return s.Lost(m.c)
	}
	return m.keep(s, g, flows)
}

// asked is the specification of each flow.
func (m *group) specs(s experiment.Session) ([]GroupFlow, error) {
	var flows []GroupFlow
	for i, p := range m.flows {
		spec, err := newSpec(m.c, p, method.Throughput, s.Interval(m.c))
		if err != nil {
			return nil, err
		}
		transport(s, m.c, p, &spec)
		spec.Seed, spec.Live = spec.Seed+uint64(i)<<16, s.Live()
		// Trials of several flows on one host would disturb each other, and each would choose the same cores.
		spec.Tuning.Trial, spec.Tuning.Placement = false, traffic.PlaceOff
		flows = append(flows, GroupFlow{From: s.Client(p.From), To: s.Client(p.To), Spec: spec})
	}
	return flows, nil
}

// measure measures all flows, again where a start came too late. Failed flows are not an error: each has its own
// reason.
func (m *group) measure(ctx context.Context, s experiment.Session, flows []GroupFlow,
	during func()) (g Group, err error) {
	err = s.Punctual(ctx, func(lead time.Duration) (err error) {
		for i := range flows {
			flows[i].Spec.Lead = lead
		}
		if g, err = RepeatGroup(ctx, flows, during); err != nil {
			return err
		}
		return errors.Join(g.Failed...)
	})
	if len(g.Failed) > 0 {
		err = nil
	}
	return g, err
}

// keep records the result of a repeat. One in which a flow failed counts only in the figures of the other flows.
func (m *group) keep(s experiment.Session, g Group, flows []GroupFlow) error {
	c := m.c
	g.Repeat.Warnings = append(g.Repeat.Warnings, paceKept(g.Repeat, flows[len(flows)-1].Spec)...)
	steady(&g.Repeat)
	why := m.failures(g)
	if why == "" {
		return s.Keep(c, g.Repeat, g.Samples)
	}
	index := len(c.Record.Repeats)
	for _, err := range g.Failed {
		keepBroken(c, index, err)
	}
	g.Repeat.Index = index
	c.Record.Failed, c.Partial = why, &g.Repeat
	return errors.Join(s.Lost(c), s.KeepSamples(c, g.Samples))
}

// failures names the flows that failed, each cause once.
func (m *group) failures(g Group) string {
	of := map[string][]string{}
	var order []string
	for i, err := range g.Failed {
		if err == nil {
			continue
		}
		if of[err.Error()] == nil {
			order = append(order, err.Error())
		}
		of[err.Error()] = append(of[err.Error()], m.flows[i].From+" -> "+m.flows[i].To)
	}
	var out []string
	for _, why := range order {
		out = append(out, fmt.Sprintf("%s (%s)", why, strings.Join(of[why], ", ")))
	}
	return strings.Join(out, "; ")
}

// Summarize fills in the figures of all flows together, and of each.
func (m *group) Summarize() error {
	e := m.c.Record
	err := summarizeUDP(e)
	if err == nil {
		err = summarizeGoodput(e)
	}
	return cmp.Or(m.summarizeFlows(), err)
}

// summarizeFlows fills in the figures of every flow of a group, also from repeats in which others failed, and their
// release skew.
func (m *group) summarizeFlows() error {
	x := m.c.Record
	rounds := x.Repeats
	if m.c.Partial != nil {
		rounds = append(rounds[:len(rounds):len(rounds)], *m.c.Partial)
	}
	skew := 0.0
	for i := range x.Flows {
		f := &x.Flows[i]
		var all, out, in []float64
		f.Streams, f.Failed = 0, ""
		for _, r := range rounds {
			if i >= len(r.Flows) {
				continue
			}
			one := r.Flows[i]
			if one.Failed != "" {
				f.Failed = one.Failed
				continue
			}
			all, out, in = append(all, one.Goodput), append(out, one.Forward), append(in, one.Backward)
			skew = max(skew, r.Skew)
			if f.Streams == 0 {
				for _, s := range r.Streams {
					if s.Flow == i {
						f.Streams++
					}
				}
			}
		}
		var err error
		if f.Goodput, err = remote.Estimated(all); err != nil {
			return fmt.Errorf("goodput of %s -> %s: %w", f.From, f.To, err)
		}
		if x.Direction == traffic.Both {
			f.Forward, _ = remote.Estimated(out)
			f.Backward, _ = remote.Estimated(in)
		}
	}
	if len(x.Flows) > 0 && len(rounds) > 0 {
		x.InEffect["release skew"] = fmt.Sprintf("%.2g ms", skew*1e3)
	}
	return nil
}
