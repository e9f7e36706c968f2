package run

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

// Halo is the method that exchanges halos among processes on several hosts.
const Halo = record.MethodHalo

// What an exchange does where nobody says.
const (
	haloTile = 2 // words: the tile of the document's scaling figure
	// On emulated machines: the sleep of a process that waits over RDMA, what is added to the warm-up, and the least window.
	haloNap  = 50 * time.Microsecond
	haloSlow = 500 * time.Millisecond
	haloLong = 2 * time.Second
)

// haloCell is what a cell of halo has in place of a path.
type haloCell struct {
	hosts     []string // those that carry processes, in the order of the file
	ports     []*plan.Port
	paths     []plan.Path // between hosts with neighbours on each other
	processes int
	tile      int
	transport string // tcp, rdma or mpi
}

// halos expands an experiment of the method halo: a cell for every combination of values and every card of via.
func halos(p *plan.Plan, e *fabric.Experiment, o Options) []*Cell {
	vias := [][]string{e.Via}
	if len(e.Via) > 1 {
		vias = nil
		for _, v := range e.Via {
			vias = append(vias, []string{v})
		}
	}
	var cells []*Cell
	for _, settings := range product(e.Axes) {
		maps.Copy(settings, o.Settings)
		for _, via := range vias {
			cells = append(cells, newHalo(p, e, o, maps.Clone(settings), via))
		}
	}
	return cells
}

func newHalo(p *plan.Plan, e *fabric.Experiment, o Options, settings map[string]string, via []string) *Cell {
	c := &Cell{Samples: DefaultSamples, Window: settings["time"], Repeat: repeats(e, o), halo: &haloCell{}}
	delete(settings, "time")
	if len(e.Via) > 1 {
		settings["via"] = via[0]
	}
	hosts := e.On
	if len(hosts) == 0 {
		hosts = slices.Concat(e.From, e.To)
	}
	x := &record.Experiment{Name: e.Name, Method: Halo, Direction: traffic.Out, Variant: p.Variant, Settings: settings}
	c.Exp = x
	x.NotRun = cmp.Or(unsupported(e, settings, o), c.halo.choose(p, hosts, settings, via))
	for i, port := range c.halo.ports {
		x.Ends = append(x.Ends, record.End{Host: c.halo.hosts[i], Port: port.ID, Interface: port.Interface, Address: port.Address.Addr().String()})
	}
	for _, path := range c.halo.paths {
		for _, l := range path.Links {
			if !slices.Contains(x.Links, l.Name) {
				x.Links = append(x.Links, l.Name)
			}
		}
	}
	if x.NotRun == "" {
		hosts = c.halo.hosts
	}
	x.From = fabric.Compact(hosts)
	x.To = x.From
	x.ID = record.ExperimentID(x)
	return c
}

// choose deals the processes out and finds the ways between them, or says why there is none.
func (h *haloCell) choose(p *plan.Plan, hosts []string, settings map[string]string, via []string) string {
	if slices.Contains(hosts, "links") {
		return "on: links is each link's two ends, and an exchange is among hosts; write on: \"n[1-4]\""
	}
	var all []string
	for _, name := range hosts {
		all = once(all, hostOf(name))
	}
	if len(all) == 0 {
		return "it names no hosts; write on: \"n[1-4]\""
	}
	var err error
	if h.processes, err = strconv.Atoi(cmp.Or(settings["processes"], fmt.Sprint(len(all)))); err != nil || h.processes < 1 {
		return fmt.Sprintf("processes: %s is no number", settings["processes"])
	}
	if h.tile, err = strconv.Atoi(cmp.Or(settings["tiles"], fmt.Sprint(haloTile))); err != nil || h.tile < 0 {
		return fmt.Sprintf("tiles: %s is no number", settings["tiles"])
	}
	switch {
	case len(all) == 1:
		return fmt.Sprintf("all processes would be on %s, and nothing would cross the network; name two hosts or more in on", all[0])
	case h.processes == 1:
		return "one process has no neighbour but itself; ask for 2 processes or more"
	}
	all = all[:min(len(all), h.processes)]
	if most := (h.processes + len(all) - 1) / len(all); most > maxStreams {
		return fmt.Sprintf("%d processes on %d hosts are %d a host, above %d, the agents' limit; name more hosts or ask for fewer processes", h.processes, len(all), most, maxStreams)
	}
	ports := make([]*plan.Port, len(all))
	for _, pair := range traffic.HaloPairs(h.processes, len(all)) {
		path, why := between(p, all[pair[0]], all[pair[1]], via)
		if why != "" {
			return why
		}
		for i, port := range []*plan.Port{path.FromPort, path.ToPort} {
			at := &ports[pair[i]]
			switch {
			case !port.Address.IsValid():
				return fmt.Sprintf("%s has no address in the plan, and an exchange goes between planned addresses; give its link a subnet", port.ID)
			case *at != nil && (*at).ID != port.ID:
				return fmt.Sprintf("%s would reach some neighbours by %s and others by %s; halo needs one port a host that reaches all of them, as behind a switch", port.Host, (*at).ID, port.ID)
			}
			*at = port
		}
		h.paths = append(h.paths, path)
	}
	h.hosts, h.ports = all, ports
	h.transport = settings["transport"]
	if h.transport == "" {
		h.transport = traffic.TCP
		if !slices.ContainsFunc(ports, func(p *plan.Port) bool { return p.RDMA == "" }) {
			h.transport = traffic.RDMA
		}
	}
	if h.transport == traffic.MPI && settings["spin"] != "" {
		return "spin: " + settings["spin"] + " is of tcp; over mpi the library polls by itself"
	}
	return ""
}
