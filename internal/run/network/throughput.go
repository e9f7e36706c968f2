package network

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"linerate/internal/base/method"
	"linerate/internal/base/stat"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
)

// Throughput returns the combinations of an experiment of method throughput: between two hosts, or among several at
// once.
func Throughput(p *plan.Plan, e *fabric.Experiment, o experiment.Options) []*experiment.Combination {
	if e.Grouped() {
		return groups(p, e, o)
	}
	return overPaths(p, e, o, func(c *experiment.Combination) { c.Measurement = ThroughputOf(c) })
}

// throughput is a Measurement of streams between two hosts.
type throughput struct{ pair }

// ThroughputOf is the Measurement of streams over the path of a combination.
func ThroughputOf(c *experiment.Combination) experiment.Measurement {
	return &throughput{newPair(c, method.Throughput)}
}

func (m *throughput) Measure(ctx context.Context, s experiment.Session, during func()) error {
	spec, err := m.spec(s)
	if err != nil {
		m.c.Record.Failed = err.Error()
		return nil
	}
	transport(s, m.c, m.c.Path, &spec)
	return m.measure(ctx, s, spec, m.both(ctx, s, during))
}

func (m *throughput) Summarize() error {
	if err := summarizeUDP(m.c.Record); err != nil {
		return err
	}
	return summarizeGoodput(m.c.Record)
}

func (m *throughput) Changed(x *record.Experiment) *experiment.Combination {
	c := m.changed(x)
	c.Measurement = &throughput{newPair(c, m.engine)}
	return c
}

// Ceiling is the chain of ceilings of the path with the facts from before and after, and its MTU.
func (m *throughput) Ceiling(s experiment.Session) {
	c := m.c
	if c.Path.FromPort == nil {
		return
	}
	conditions := experiment.ConditionsOf(s, c.Path)
	if mtu, err := strconv.Atoi(c.Record.Settings["mtu"]); err == nil {
		conditions.ShapedMTU = mtu
	}
	c.Record.Warnings = append(c.Record.Warnings, otherMTU(c, conditions)...)
	chain := chainOf(c, c.Path, c.Record.Direction, conditions)
	if chain.Limit > 0 && !overMPTCP(c) {
		c.Record.Ceiling = &chain
	}
	if mtu := path.MTU(c.Path, conditions); mtu > 0 {
		c.Record.InEffect["mtu"] = fmt.Sprint(mtu)
	}
}

// overMPTCP reports whether the kernels of the hosts choose the paths: the plan has no ceiling for several paths
// together.
func overMPTCP(c *experiment.Combination) bool {
	return c.Record.Settings["transport"] == traffic.MPTCP
}

// Expect is the ceiling of one direction; how much data both ways limit each other is known only afterwards.
func (m *throughput) Expect(s experiment.Session) *record.Chain {
	c := m.c
	if c.Path.FromPort == nil || c.Record.Direction == traffic.Both || overMPTCP(c) {
		return nil
	}
	chain := chainOf(c, c.Path, c.Record.Direction, experiment.ConditionsOf(s, c.Path))
	if chain.Limit <= 0 {
		return nil
	}
	return &chain
}

// summarizeGoodput fills in the goodput of an experiment from its repeats, with the duration of amounts.
func summarizeGoodput(e *record.Experiment) error {
	if len(e.Repeats) == 0 {
		return nil
	}
	for _, x := range []struct {
		name  string
		value func(record.Repeat) float64
		to    **record.Estimate
		known bool
	}{
		{"goodput", func(r record.Repeat) float64 { return r.Goodput }, &e.Goodput, true},
		{"goodput out", func(r record.Repeat) float64 { return r.Forward }, &e.Forward, e.Direction == traffic.Both},
		{"goodput in", func(r record.Repeat) float64 { return r.Backward }, &e.Backward, e.Direction == traffic.Both},
		{"seconds", func(r record.Repeat) float64 { return r.Seconds }, &e.Seconds, e.Repeats[0].Bytes > 0},
	} {
		if !x.known {
			continue
		}
		var err error
		if *x.to, err = remote.Estimated(xslices.Map(e.Repeats, x.value)); err != nil {
			return fmt.Errorf("%s of %s: %w", x.name, e.Name, err)
		}
	}
	remote.SummarizeCPU(e)
	e.Fairness = fairness(e)
	return nil
}

// otherMTU warns where an end's interface has a different MTU than planned: the figure and its ceiling are then for the
// smaller one.
func otherMTU(c *experiment.Combination, conditions path.Conditions) []string {
	var out []string
	for _, e := range []struct {
		port *plan.Port
		have *facts.Facts
	}{{c.Path.FromPort, conditions.From}, {c.Path.ToPort, conditions.To}} {
		want := e.port.MTU
		if conditions.ShapedMTU > 0 {
			want = conditions.ShapedMTU
		}
		if e.have == nil {
			continue
		}
		if n := e.have.NIC(e.port.Interface); n != nil && n.MTU > 0 && want > 0 && n.MTU != want {
			out = append(
				out,
				fmt.Sprintf(
					"%s of %s has MTU %d where %d is planned: figure and ceiling are for %d; set it back: ip link set %s mtu %d",
					n.Name, e.port.Host, n.MTU, want, path.MTU(c.Path, conditions), n.Name, want),
			)
		}
	}
	return out
}

// overUDP reports whether a combination is measured over UDP.
func overUDP(c *experiment.Combination) bool { return c.Record.Settings["transport"] == traffic.UDP }

// chainOf is the chain of ceilings of a path for a combination's transport and streams.
func chainOf(c *experiment.Combination, p plan.Path, direction string, conditions path.Conditions) record.Chain {
	conditions.Streams = c.Streams()
	if !overUDP(c) {
		return path.TCP(p, direction, conditions)
	}
	size, err := unit.ParseBytes(c.Record.Settings["size"])
	if err != nil {
		size = 0 // the largest that fits
	}
	return path.UDP(p, direction, int(size), conditions)
}

// fairness is how evenly the streams of the repeat nearest to the median share the goodput; nil with fewer than two.
func fairness(e *record.Experiment) *record.Fairness {
	if e.Goodput == nil {
		return nil
	}
	var near *record.Repeat
	for i := range e.Repeats {
		r := &e.Repeats[i]
		if near == nil || math.Abs(r.Goodput-e.Goodput.Median) < math.Abs(near.Goodput-e.Goodput.Median) {
			near = r
		}
	}
	if near == nil || len(near.Streams) < 2 {
		return nil
	}
	each := xslices.Map(near.Streams, func(s record.Stream) float64 { return s.Goodput })
	slices.Sort(each)
	n := len(each)
	return &record.Fairness{Streams: n, Jain: jain(each), Low: each[0], Median: (each[(n-1)/2] + each[n/2]) / 2,
		High: each[n-1]}
}

// jain is Jain's fairness index, (sum of x)^2 / (n * sum of x^2) (DEC-TR-301, 1984); 0 if all are 0.
func jain(x []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, v := range x {
		sum += v
		squares += v * v
	}
	if squares == 0 {
		return 0
	}
	return sum * sum / (float64(len(x)) * squares)
}

// steady flags a repeat whose interval still contains warm-up. The repeat counts unchanged: leaving out values that do
// not fit would be choosing the result.
func steady(r *record.Repeat) {
	if r.Bytes > 0 {
		return // an amount has no steady interval: all of it counts
	}
	for _, d := range []struct {
		name   string
		series []float64
	}{{"out", r.SeriesOut}, {"in", r.SeriesIn}} {
		w := stat.Warmup(d.series)
		if w.Skip == 0 || r.Slice <= 0 {
			continue
		}
		r.Warnings = append(
			r.Warnings,
			fmt.Sprintf("%s was not steady: the first %s of the interval are warm-up, without them it would read %s %s", d.name,
				unit.Seconds(float64(w.Skip)*r.Slice), unit.Percent(max(w.Shift, -w.Shift)), moreOrLess(w.Shift)),
		)
	}
}

func moreOrLess(shift float64) string {
	if shift < 0 {
		return "less"
	}
	return "more"
}
