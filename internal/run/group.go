package run

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
)

// mostFlows is how many flows of a group one host takes part in: its agent has room for a few more experiments.
const mostFlows = 60

// Hosts are all that take part in a cell, each once, sorted.
func (c *Cell) Hosts() []string {
	if c.halo != nil {
		return slices.Sorted(slices.Values(c.halo.hosts))
	}
	if c.block != nil {
		return slices.Compact(slices.Sorted(slices.Values(c.block.hosts())))
	}
	if c.copy != nil {
		return slices.Compact(slices.Sorted(slices.Values(c.copy.hosts())))
	}
	if c.app != nil {
		return slices.Compact(slices.Sorted(slices.Values(c.app.hosts)))
	}
	names := []string{c.Path.From, c.Path.To}
	if c.overICMP() {
		return names[:1]
	}
	if len(c.Flows) > 0 {
		names = nil
	}
	for _, p := range c.Flows {
		names = append(names, p.From, p.To)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// paths are those that carry traffic at once.
func (c *Cell) paths() []plan.Path {
	if c.halo != nil {
		return c.halo.paths
	}
	if len(c.Flows) > 0 {
		return c.Flows
	}
	if c.app != nil || c.copy != nil && c.copy.path == nil {
		return nil
	}
	return []plan.Path{c.Path}
}

// groups expands an experiment among many hosts: each combination of axis values is one cell that drives all its flows at once.
func groups(p *plan.Plan, e *fabric.Experiment, o Options) []*Cell {
	var cells []*Cell
	for _, settings := range product(e.Axes) {
		vias := [][]string{e.Via}
		if len(e.Via) > 1 {
			vias = nil
			for _, v := range e.Via {
				vias = append(vias, []string{v})
			}
		}
		for _, via := range vias {
			cells = append(cells, group(p, e, o, maps.Clone(settings), via))
		}
	}
	return cells
}

func group(p *plan.Plan, e *fabric.Experiment, o Options, settings map[string]string, via []string) *Cell {
	c := &Cell{Samples: DefaultSamples, Window: settings["time"], Repeat: repeats(e, o)}
	direction := settings["direction"]
	if direction == "" {
		direction = "out"
	}
	delete(settings, "direction")
	delete(settings, "time")
	if len(e.Via) > 1 {
		settings["via"] = via[0]
	}
	x := &record.Experiment{Name: e.Name, Method: e.Method, Direction: direction, Variant: p.Variant, Settings: settings,
		From: fabric.Compact(e.From), To: fabric.Compact(e.To), Pattern: settings["pattern"]}
	c.Exp = x
	flows, err := e.Flows(x.Pattern)
	if slices.Contains(e.On, "links") {
		x.NotRun = c.everyLink(p)
		if why := unsupported(e, settings, o); why != "" {
			x.NotRun = why
		}
	} else if err != nil {
		x.NotRun = err.Error()
	} else if x.NotRun = unsupported(e, settings, o); x.NotRun == "" {
		x.NotRun = c.choose(p, flows, via)
	}
	if x.Pattern == "" {
		x.Pattern = fabric.Pairs
	}
	c.ends()
	x.ID = record.ExperimentID(x)
	return c
}

// choose finds the path of every flow, or says why one has none.
func (c *Cell) choose(p *plan.Plan, flows [][2]string, via []string) string {
	taking := map[string]int{}
	for _, f := range flows {
		path, why := between(p, f[0], f[1], via)
		if why != "" {
			c.Flows = nil
			return why
		}
		for _, h := range []string{path.From, path.To} {
			if taking[h]++; taking[h] > mostFlows {
				c.Flows = nil
				return fmt.Sprintf("%s would take part in more than %d flows at once, linerate's limit a host; name fewer hosts", h, mostFlows)
			}
		}
		c.Flows = append(c.Flows, path)
	}
	return ""
}

// everyLink makes each link a flow of the group, or says why that cannot be.
func (c *Cell) everyLink(p *plan.Plan) string {
	c.Flows = everyLink(p)
	if len(c.Flows) == 0 {
		return "no link joins two hosts that have addresses"
	}
	taking := map[string]int{}
	for _, path := range c.Flows {
		for _, h := range []string{path.From, path.To} {
			if taking[h]++; taking[h] > mostFlows {
				c.Flows = nil
				return fmt.Sprintf("%s has more than %d links, linerate's limit of flows a host; measure them in parts, with from and to", h, mostFlows)
			}
		}
	}
	return ""
}

// between is the path of one flow of a group.
func between(p *plan.Plan, from, to string, via []string) (plan.Path, string) {
	hostFrom, cardFrom, _ := strings.Cut(from, ".")
	hostTo, cardTo, _ := strings.Cut(to, ".")
	paths := p.Paths(hostFrom, hostTo)
	var chosen []plan.Path
	for _, path := range paths {
		if through(path, via) && at(path.FromPort, cardFrom) && at(path.ToPort, cardTo) {
			chosen = append(chosen, path)
		}
	}
	switch {
	case len(paths) == 0:
		return plan.Path{}, fmt.Sprintf("no link joins %s and %s", hostFrom, hostTo)
	case len(chosen) == 0:
		return plan.Path{}, fmt.Sprintf("none of the %d paths from %s to %s goes via %s", len(paths), from, to, strings.Join(via, ", "))
	case len(chosen) > 1:
		var names []string
		for _, c := range chosen {
			names = append(names, c.FromPort.Card)
		}
		return plan.Path{}, fmt.Sprintf("there are several paths from %s to %s; choose one with via: %s", from, to, strings.Join(slices.Compact(names), " or "))
	}
	return chosen[0], ""
}

// at says whether a port is of the card, or is the port, that an endpoint names after its host.
func at(port *plan.Port, card string) bool {
	return card == "" || port.Card == card || port.ID == port.Host+"."+card
}

// ends fills what a group's record says of its flows.
func (c *Cell) ends() {
	x := c.Exp
	var from, to, links []string
	var seen []string
	for _, p := range c.Flows {
		f := record.Flow{From: p.From, To: p.To, Ends: ends(p)}
		for _, l := range p.Links {
			f.Links = append(f.Links, l.Name)
			if !slices.Contains(links, l.Name) {
				links = append(links, l.Name)
			}
		}
		x.Flows = append(x.Flows, f)
		from, to = once(from, p.From), once(to, p.To)
		for _, e := range f.Ends {
			if !slices.Contains(seen, e.Port) {
				seen = append(seen, e.Port)
				x.Ends = append(x.Ends, e)
			}
		}
	}
	x.Links = links
	if x.Pattern == fabric.AllToAll {
		to = from // every one sends to every other one: one list, in one order
	}
	if len(c.Flows) > 0 {
		x.From, x.To = fabric.Compact(from), fabric.Compact(to)
	}
}

func once[T comparable](list []T, name T) []T {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// Busy is what a cell moves at once at most, over all links in all directions: the load that a lab of one machine carries.
func (c *Cell) Busy() unit.BitRate {
	if len(c.Flows) > 0 {
		return c.groupBusy()
	}
	var sum unit.BitRate
	for i, l := range c.Path.Links {
		if b := c.Path.Bundle(i); b != nil {
			sum += b.Speed()
			continue
		}
		sum += l.Speed
	}
	if c.Exp.Direction == "both" {
		sum *= 2
	}
	return sum
}
