package network

import (
	"context"
	"net/netip"
	"time"

	"linerate/internal/base/method"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/traffic"
)

// Latency returns the combinations of an experiment of method ping.
func Latency(p *plan.Plan, e *fabric.Experiment, o experiment.Options) []*experiment.Combination {
	return overPaths(p, e, o, func(c *experiment.Combination) { c.Measurement = &latency{newPair(c, method.Latency)} })
}

// latency is a Measurement of round trips between two hosts. Over ICMP only the requesting end needs an agent.
type latency struct{ pair }

func (m *latency) Hosts() []string {
	if m.overICMP() {
		return []string{m.c.Path.From}
	}
	return m.pair.Hosts()
}

// Extra is a repeat without the load, if there is a load: it is measured once without it and once with it.
func (m *latency) Extra(interval time.Duration) time.Duration {
	if m.c.Record.Settings["load_streams"] == "" {
		return 0
	}
	return interval + loadWarmup + experiment.Overhead
}

func (m *latency) Value(r record.Repeat) float64 { return r.P50 }

// overICMP reports whether it is measured over ICMP: only the end From needs an agent.
func (m *latency) overICMP() bool { return m.c.Record.Settings["transport"] == traffic.ICMP }

// echoes adds the settings that only ICMP has. The path's MTU is searched once a combination.
func (m *latency) echoes(spec *Spec) {
	spec.Transport, spec.PathMTU = traffic.ICMP, len(m.c.Record.Repeats) == 0
	if spec.FromAddr.IsUnspecified() {
		spec.FromAddr = netip.Addr{} // chosen by the routes
	}
	if spec.Every == 0 {
		spec.Every = min(icmpInterval, spec.Interval)
	}
}

func (m *latency) Measure(ctx context.Context, s experiment.Session, during func()) error {
	spec, err := m.spec(s)
	if err != nil {
		m.c.Record.Failed = err.Error()
		return nil
	}
	if m.overICMP() {
		m.echoes(&spec)
		return m.measure(ctx, s, spec, func(spec Spec) (record.Repeat, []record.Sample, error) {
			return RepeatICMP(ctx, s.Client(m.c.Path.From), spec, during)
		})
	}
	transport(s, m.c, m.c.Path, &spec)
	return m.measure(ctx, s, spec, m.both(ctx, s, during))
}

func (m *latency) Summarize() error {
	if err := summarizeUDP(m.c.Record); err != nil {
		return err
	}
	return summarizeLatency(m.c.Record)
}

func (m *latency) Changed(x *record.Experiment) *experiment.Combination {
	c := m.changed(x)
	c.Measurement = &latency{newPair(c, m.engine)}
	return c
}

// icmpInterval is the default interval of ICMP echoes: short enough for p99 in five seconds, and no burden for a
// switch, which answers with the CPU that also runs its protocols.
const icmpInterval = 10 * time.Millisecond
