package run

import (
	"fmt"
	"strconv"

	"linerate/internal/base/stat"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
)

// summarize fills an experiment's figures from its repeats: the median of the
// repeats with the interval that they carry, and both ends' processors.
func summarize(e *record.Experiment) error {
	if len(e.Repeats) == 0 {
		return nil
	}
	if e.Method == Halo {
		return summarizeHalo(e)
	}
	if e.Method == Block {
		return summarizeBlock(e)
	}
	if e.Method == Copy {
		return summarizeCopy(e)
	}
	if err := summarizeUDP(e); err != nil {
		return err
	}
	e.Verbs = e.Repeats[len(e.Repeats)-1].Verbs
	e.App = e.Repeats[len(e.Repeats)-1].App
	if e.Latencies() {
		return summarizeLatency(e)
	}
	var err error
	pick := func(what string, f func(record.Repeat) float64) *record.Estimate {
		var vs []float64
		for _, r := range e.Repeats {
			vs = append(vs, f(r))
		}
		s, serr := stat.Summarize(vs)
		if serr != nil {
			err = fmt.Errorf("%s of %s: %w", what, e.Name, serr)
			return nil
		}
		return &record.Estimate{Median: s.Median, Low: s.Low, High: s.High, Interval: string(s.Interval), Repeats: s.N}
	}
	if e.App != nil {
		e.Figure, e.FigureUnit = pick("the figure", func(r record.Repeat) float64 { return r.App.Figure }), e.App.Unit
		e.Seconds = pick("seconds", func(r record.Repeat) float64 { return r.Seconds })
		summarizeCPU(e)
		return err
	}
	e.Goodput = pick("goodput", func(r record.Repeat) float64 { return r.Goodput })
	if e.Direction == "both" {
		e.Forward = pick("goodput out", func(r record.Repeat) float64 { return r.Forward })
		e.Backward = pick("goodput in", func(r record.Repeat) float64 { return r.Backward })
	}
	summarizeCPU(e)
	if e.Repeats[0].Bytes > 0 {
		e.Seconds = pick("seconds", func(r record.Repeat) float64 { return r.Seconds })
	}
	e.Fairness = fairness(e)
	return err
}

// ceiling computes the chain of ceilings of a measured cell under the facts that
// were captured around it.
func (s *session) ceiling(c *Cell) {
	if len(c.Flows) > 0 {
		s.groupCeiling(c)
		return
	}
	if c.block != nil {
		s.blockCeiling(c)
		return
	}
	if c.copy != nil {
		s.copyCeiling(c)
		return
	}
	if c.Exp.Method == Verbs && !c.Exp.Latencies() {
		s.verbsCeiling(c)
		return
	}
	if wire(c.Exp.Method) != "stream" || c.Path.FromPort == nil {
		return
	}
	conditions := s.conditions(c.Path)
	if asked, err := strconv.Atoi(c.Exp.Settings["mtu"]); err == nil {
		conditions.ShapedMTU = asked
	}
	c.Exp.Warnings = append(c.Exp.Warnings, c.otherMTU(conditions)...)
	chain := c.chain(c.Path, c.Exp.Direction, conditions)
	if chain.Limit > 0 {
		c.Exp.Ceiling = &chain
	}
	if mtu := path.MTU(c.Path, conditions); mtu > 0 {
		c.Exp.InEffect["mtu"] = fmt.Sprint(mtu)
	}
}

// otherMTU says where an end's interface has another MTU than it should: the
// figure and its ceiling are then for the smaller one.
func (c *Cell) otherMTU(conditions path.Conditions) []string {
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
			out = append(out, fmt.Sprintf("%s of %s has MTU %d where %d is planned: figure and ceiling are for %d; set it back: ip link set %s mtu %d",
				n.Name, e.port.Host, n.MTU, want, path.MTU(c.Path, conditions), n.Name, want))
		}
	}
	return out
}

// conditions are those of a path as its ends' newest facts have them.
func (s *session) conditions(p plan.Path) path.Conditions {
	c := path.Conditions{From: s.last[p.From], To: s.last[p.To], Scale: 1}
	if s.cfg.Lab != nil {
		c.Lab, c.Scale = true, s.cfg.Lab.Scale
	}
	for _, l := range p.Links {
		c.VLAN = c.VLAN || l.VLAN != 0
	}
	return c
}
