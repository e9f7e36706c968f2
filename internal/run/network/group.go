package network

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
)

// maxFlows is the limit of a group's flows on one host: its agent keeps room for a few more experiments.
const maxFlows = 60

// group is a Measurement of flows among several hosts, all at once.
type group struct {
	experiment.Defaults
	c     *experiment.Combination
	flows []plan.Path
}

func (m *group) Hosts() []string {
	var names []string
	for _, p := range m.flows {
		names = append(names, p.From, p.To)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (m *group) Paths() []plan.Path { return m.flows }

func (m *group) OpenEnded() bool { return m.c.Amount() > 0 }

func (m *group) Guess(scale float64) time.Duration {
	return m.c.AmountTakes(scale, m.flows, m.c.Pace())
}

func (m *group) InEffect(last record.Repeat) { m.c.LengthInEffect(last) }

// groups expands an experiment among many hosts: each combination of parameter values is one combination that drives
// all its flows at once.
func groups(p *plan.Plan, e *fabric.Experiment, o experiment.Options) []*experiment.Combination {
	var combinations []*experiment.Combination
	for _, settings := range once(experiment.Product(e.Parameters)) {
		vias := [][]string{e.Via}
		if len(e.Via) > 1 {
			vias = nil
			for _, v := range e.Via {
				vias = append(vias, []string{v})
			}
		}
		for _, via := range vias {
			combinations = append(combinations, groupOver(p, e, o, maps.Clone(settings), via))
		}
	}
	return combinations
}

// once returns the combinations without those that are another one again: all-to-all sends between every two hosts in
// either direction, whichever is asked for.
func once(all []map[string]string) (out []map[string]string) {
	for _, settings := range all {
		if settings["traffic"] == fabric.AllToAll && settings["direction"] == "in" {
			settings["direction"] = "out"
		}
		if !slices.ContainsFunc(out, func(m map[string]string) bool { return maps.Equal(m, settings) }) {
			out = append(out, settings)
		}
	}
	return out
}

func groupOver(p *plan.Plan, e *fabric.Experiment, o experiment.Options, settings map[string]string,
	via []string) *experiment.Combination {
	c := &experiment.Combination{Samples: experiment.DefaultSamples, Interval: settings["time"],
		Repeats: experiment.RepeatsOf(e, o)}
	m := &group{c: c}
	c.Measurement = m
	direction := cmp.Or(settings["direction"], "out")
	delete(settings, "direction")
	delete(settings, "time")
	if len(e.Via) > 1 {
		settings["via"] = via[0]
	}
	x := &record.Experiment{Name: e.Name, Method: e.Method, Direction: direction, Variant: p.Variant, Settings: settings,
		From: fabric.Compact(e.From), To: fabric.Compact(e.To), Pattern: settings["traffic"]}
	c.Record = x
	flows, err := e.Flows(x.Pattern)
	if slices.Contains(e.On, "links") {
		x.NotRun = m.everyLink(p)
		if why := experiment.Unsupported(e, settings, o); why != "" {
			x.NotRun = why
		}
	} else if err != nil {
		x.NotRun = err.Error()
	} else if x.NotRun = experiment.Unsupported(e, settings, o); x.NotRun == "" {
		x.NotRun = m.choose(p, flows, via)
	}
	x.Pattern = cmp.Or(x.Pattern, fabric.Pairs)
	m.ends()
	x.ID = record.ExperimentID(x)
	return c
}

// choose finds the path of every flow, or returns why one has none.
func (m *group) choose(p *plan.Plan, flows [][2]string, via []string) string {
	taking := map[string]int{}
	for _, f := range flows {
		path, why := experiment.PathBetween(p, f[0], f[1], via)
		if why != "" {
			m.flows = nil
			return why
		}
		for _, h := range []string{path.From, path.To} {
			if taking[h]++; taking[h] > maxFlows {
				m.flows = nil
				return fmt.Sprintf("%s would take part in more than %d flows at once, linerate's limit a host; name fewer hosts, "+
					"or take traffic: pairs, with which a host has one flow", h, maxFlows)
			}
		}
		m.flows = append(m.flows, path)
	}
	return ""
}

// everyLink makes each link a flow of the group, or returns why it cannot.
func (m *group) everyLink(p *plan.Plan) string {
	m.flows = experiment.EveryLink(p)
	if len(m.flows) == 0 {
		return "no link joins two hosts that have addresses"
	}
	taking := map[string]int{}
	for _, path := range m.flows {
		for _, h := range []string{path.From, path.To} {
			if taking[h]++; taking[h] > maxFlows {
				m.flows = nil
				return fmt.Sprintf(
					"%s has more than %d links, linerate's limit of flows a host; measure them in parts, with from and to", h,
					maxFlows)
			}
		}
	}
	return ""
}

// ends fills in the flows of a group's record.
func (m *group) ends() {
	x := m.c.Record
	var from, to, links []string
	var seen []string
	for _, p := range m.flows {
		f := record.Flow{From: p.From, To: p.To, Ends: experiment.EndsOf(p)}
		for _, l := range p.Links {
			f.Links = append(f.Links, l.Name)
			links = xslices.AppendNew(links, l.Name)
		}
		x.Flows = append(x.Flows, f)
		from, to = xslices.AppendNew(from, p.From), xslices.AppendNew(to, p.To)
		for _, e := range f.Ends {
			if !slices.Contains(seen, e.Port) {
				seen = append(seen, e.Port)
				x.Ends = append(x.Ends, e)
			}
		}
	}
	x.Links = links
	if x.Pattern == fabric.AllToAll {
		to = from // each sends to every other one: one list, in one order
	}
	if len(m.flows) > 0 {
		x.From, x.To = fabric.Compact(from), fabric.Compact(to)
	}
}

// traffic is every flow of a group in each direction that carries data, with its ceiling under the conditions of its
// path.
func (m *group) traffic(conditions func(plan.Path) path.Conditions) []path.Flow {
	c := m.c
	both := c.Record.Direction == "both"
	var flows []path.Flow
	for _, p := range m.flows {
		limits := conditions(p)
		limits.Duplex = both || c.Record.Pattern == fabric.AllToAll
		if c.Record.Direction != "in" {
			flows = append(flows, path.Flow{Path: p, Chain: chainOf(c, p, "out", limits)})
		}
		if c.Record.Direction == "in" || both {
			flows = append(flows, path.Flow{Path: p, Backward: true, Chain: chainOf(c, p, "in", limits)})
		}
	}
	return flows
}

// Ceiling is the limit of all flows of a group together.
func (m *group) Ceiling(s experiment.Session) {
	c := m.c
	mtu := 0
	for _, p := range m.flows {
		if one := path.MTU(p, experiment.ConditionsOf(s, p)); mtu == 0 || one > 0 && one < mtu {
			mtu = one
		}
	}
	chain := path.Group(m.traffic(func(p plan.Path) path.Conditions {
		conditions := experiment.ConditionsOf(s, p)
		if mtu, err := strconv.Atoi(c.Record.Settings["mtu"]); err == nil {
			conditions.ShapedMTU = mtu
		}
		return conditions
	}))
	chain.From, chain.To, chain.Direction = c.Record.From, c.Record.To, c.Record.Direction
	if chain.Limit > 0 {
		c.Record.Ceiling = &chain
	}
	if mtu > 0 {
		c.Record.InEffect["mtu"] = fmt.Sprint(mtu)
	}
}

// Busy is the group's planned ceiling, once for every link on the longest path.
func (m *group) Busy() unit.BitRate {
	links := 0
	for _, p := range m.flows {
		links = max(links, len(p.Links))
	}
	planned := func(plan.Path) path.Conditions { return path.Conditions{Scale: 1} }
	return path.Group(m.traffic(planned)).Limit * unit.BitRate(links)
}
