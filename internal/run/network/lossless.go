package network

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/device"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/traffic"
	"linerate/internal/traffic/socket"
)

// Defaults of a lossless test.
const (
	losslessInterval = "10s"
	losslessStreams  = "2" // of each flow: one that waits for a lost segment does not leave the path idle
	maxSenders       = maxFlows / 2
)

// LosslessExperiments are the experiments of --lossless: one for each lossless class.
func LosslessExperiments(p *plan.Plan) ([]*fabric.Experiment, error) {
	var out []*fabric.Experiment
	if q := p.QoS(); q != nil {
		for _, c := range q.Classes {
			if c.Lossless {
				out = append(
					out,
					&fabric.Experiment{Name: "lossless-" + c.Name, Method: method.Lossless,
						Parameters: []fabric.Parameter{{Key: "class", Values: []string{c.Name}}}},
				)
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf(
			"--lossless: the fabric has no lossless class; write one below classes: roce: {priority: 3, dscp: 26, " +
				"lossless: true}",
		)
	}
	return out, nil
}

// Lossless makes a combination of each combination of settings.
func Lossless(p *plan.Plan, e *fabric.Experiment, o experiment.Options) []*experiment.Combination {
	var combinations []*experiment.Combination
	for _, settings := range experiment.Product(e.Parameters) {
		maps.Copy(settings, o.Settings)
		combinations = append(combinations, losslessOver(p, e, o, settings))
	}
	return combinations
}

func losslessOver(p *plan.Plan, e *fabric.Experiment, o experiment.Options,
	settings map[string]string) *experiment.Combination {
	if settings["streams"] == "" {
		settings["streams"] = losslessStreams
	}
	c := &experiment.Combination{Samples: 1, Interval: cmp.Or(settings["time"], losslessInterval), Repeats: 1}
	if o.Repeats > 0 || e.Repeats > 0 {
		c.Repeats = experiment.RepeatsOf(e, o)
	}
	delete(settings, "time")
	x := &record.Experiment{Name: e.Name, Method: method.Lossless, Direction: traffic.Out, Variant: p.Variant,
		Settings: settings, Pattern: fabric.Incast, From: fabric.Compact(e.From), To: fabric.Compact(e.To)}
	c.Record = x
	m := &lossless{group: group{c: c}}
	c.Measurement = m
	class, ok := losslessClass(p, settings["class"])
	switch {
	case !ok:
		x.NotRun = fmt.Sprintf("the plan has no lossless class %s", settings["class"])
	default:
		if x.NotRun = experiment.Unsupported(e, settings, o); x.NotRun == "" {
			x.NotRun = m.incast(p, e)
		}
	}
	if x.NotRun == "" {
		m.inClass(class)
	}
	m.ends()
	for i := range x.Flows {
		x.Flows[i].Class = record.BestEffort
		if m.marks[i] != nil {
			x.Flows[i].Class = class.Name
		}
	}
	x.ID = record.ExperimentID(x)
	return c
}

func losslessClass(p *plan.Plan, name string) (device.Class, bool) {
	if q := p.QoS(); q != nil {
		for _, c := range q.Classes {
			if c.Name == name && c.Lossless {
				return c, true
			}
		}
	}
	return device.Class{}, false
}

// lossless is a Measurement of a lossless class: flows in the class, and as many outside of it.
type lossless struct {
	group
	marks []*socket.ClassMark // by flow: the class of its packets; nil: best effort
	class device.Class
	sends *classTransport // transport of the class; nil: not chosen yet
}

// inClass doubles the flows: those in the class, then as many outside of it.
func (m *lossless) inClass(class device.Class) {
	mark := &socket.ClassMark{Priority: class.Priority}
	if len(class.DSCP) > 0 {
		mark.DSCP = class.DSCP[0]
	}
	m.class = class
	n := len(m.flows)
	m.flows = append(m.flows, m.flows...)
	m.marks = make([]*socket.ClassMark, 2*n)
	for i := range n {
		m.marks[i] = mark
	}
}

// Measure measures all flows once. The transport of the class is chosen before the first repeat, and again where a host
// has no program or library for RDMA.
func (m *lossless) Measure(ctx context.Context, s experiment.Session, during func()) error {
	c := m.c
	if m.sends == nil {
		t := m.transportOf(s.Facts)
		m.sends = &t
	}
	without := ""
	if m.sends.rdma {
		var err error
		if without, err = experiment.SendRDMAProgram(ctx, s, m.Hosts()); err != nil {
			c.Record.Failed = err.Error()
			return s.Lost(c)
		}
	}
	flows, err := m.specs(s)
	if err != nil {
		c.Record.Failed = err.Error()
		return nil
	}
	for i := range flows {
		flows[i].Spec.ClassMark = m.marks[i]
		if m.marks[i] != nil && m.sends.rdma {
			m.overRDMA(&flows[i].Spec, m.flows[i].FromPort, s.Lab() != nil)
		}
	}
	g, err := m.measure(ctx, s, flows, during)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && isWithoutRDMA(err):
		m.sends = &classTransport{why: strings.TrimSuffix(err.Error()+"; "+without, "; ")}
		return m.Measure(ctx, s, during)
	case err != nil:
		c.Record.Failed = err.Error()
		return s.Lost(c)
	}
	m.sentAs(&g.Repeat)
	return m.keep(s, g, flows)
}
