package network

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/traffic"
)

// RDMA returns the combinations of an experiment of method verbs.
func RDMA(p *plan.Plan, e *fabric.Experiment, o experiment.Options) []*experiment.Combination {
	return overPaths(p, e, o, func(c *experiment.Combination) { c.Measurement = &rdma{newPair(c, method.RDMA)} })
}

// rdma is a Measurement of RDMA between two hosts.
type rdma struct{ pair }

func (m *rdma) Measure(ctx context.Context, s experiment.Session, during func()) error {
	c := m.c
	spec, err := m.spec(s)
	if err == nil {
		err = m.queuePairs(&spec)
	}
	if err != nil {
		c.Record.Failed = err.Error()
		return nil
	}
	without, err := experiment.SendRDMAProgram(ctx, s, m.Hosts())
	if err != nil {
		c.Record.Failed = err.Error()
		return s.Lost(c)
	}
	if s.Lab() != nil && spec.RDMA.Link == traffic.LinkIB {
		spec.RDMA.Link = "" // a lab substitutes soft RoCE, and records it
	}
	once := m.both(ctx, s, during)
	return m.measure(ctx, s, spec, func(spec Spec) (record.Repeat, []record.Sample, error) {
		r, samples, err := once(spec)
		return r, samples, experiment.WithoutRDMAProgram(err, without)
	})
}

func (m *rdma) Value(r record.Repeat) float64 {
	if r.Verbs != nil && r.Verbs.Metric == traffic.MetricLatency {
		return r.P50
	}
	return r.Goodput
}

func (m *rdma) Summarize() error {
	e := m.c.Record
	if len(e.Repeats) == 0 {
		return nil
	}
	e.Verbs = e.Repeats[len(e.Repeats)-1].Verbs
	if e.Latencies() {
		return summarizeLatency(e)
	}
	return summarizeGoodput(e)
}

func (m *rdma) Changed(x *record.Experiment) *experiment.Combination {
	c := m.changed(x)
	c.Measurement = &rdma{newPair(c, m.engine)}
	return c
}

// Ceiling is the chain of ceilings with the settings in effect at both ends; latencies have no known bound.
func (m *rdma) Ceiling(s experiment.Session) {
	c, v := m.c, m.c.Record.Verbs
	if c.Record.Latencies() || v == nil || len(v.Ends) < 2 || c.Path.FromPort == nil {
		return
	}
	size, err := unit.ParseBytes(cmp.Or(c.Record.Settings["size"], "8B"))
	if err != nil {
		return
	}
	r := path.RDMA{Link: v.Ends[0].Link, PathMTU: int(min(v.Ends[0].PathMTU, v.Ends[1].PathMTU)), Message: size,
		Send: v.Op == traffic.OpSend}
	chain := path.OverRDMA(c.Path, c.Record.Direction, r, experiment.ConditionsOf(s, c.Path))
	if chain.Limit > 0 {
		c.Record.Ceiling = &chain
	}
}

// queuePairs adds the RDMA settings of a combination to the specification.
func (m *rdma) queuePairs(s *Spec) error {
	c, set := m.c, m.c.Record.Settings
	s.Transport = traffic.RDMA
	s.RDMA = traffic.VerbsOptions{Op: set["op"], Metric: set["metric"], Datagrams: set["service"] == "ud",
		Link: cmp.Or(set["transport"], experiment.PlannedLink(c.Path.FromPort)), Device: set["device"]}
	s.Tuning.Trial = false
	for key, into := range map[string]*int{"threads": &s.Streams, "depth": &s.RDMA.Depth, "signal": &s.RDMA.Signal,
		"batch": &s.RDMA.Batch, "path_mtu": &s.RDMA.PathMTU, "service_level": &s.RDMA.Level, "traffic_class": &s.RDMA.Class} {
		text := set[key]
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return fmt.Errorf("%s: %s is not a number", key, text)
		}
		*into = n
	}
	if text := set["inline"]; text != "" {
		n, err := unit.ParseBytes(text)
		if err != nil {
			return fmt.Errorf("inline: %w", err)
		}
		s.RDMA.Inline = cmp.Or(int(n), -1)
	}
	if s.Streams > experiment.MaxStreams {
		return fmt.Errorf("pairs: %d is above %d, the agents' limit", s.Streams, experiment.MaxStreams)
	}
	// Its threads poll from the beginning, and no TCP window has to open: half of the warm-up of TCP.
	s.Warmup = experiment.WarmupOf(s.connections()) / 2
	return nil
}
