package halo

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"linerate/internal/base/method"
	"linerate/internal/base/stat"
	"linerate/internal/base/xslices"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
	"linerate/internal/traffic/halo"
	"linerate/internal/traffic/placement"
)

// Defaults of an exchange.
const (
	defaultTile = 2 // words: the tile of document 003's scaling figure
	// On emulated machines: the sleep of a process that waits over RDMA, the additional warm-up, and the minimum interval.
	emulatedNap         = 50 * time.Microsecond
	emulatedWarmup      = 500 * time.Millisecond
	minEmulatedInterval = 2 * time.Second
)

// exchange is a Measurement of halos among the processes of several hosts.
type exchange struct {
	experiment.Defaults
	c         *experiment.Combination
	hosts     []string // hosts with processes, in the order of the file
	ports     []*plan.Port
	paths     []plan.Path // between hosts with neighbouring processes
	processes int
	tile      int
	transport string // tcp, rdma or mpi
}

func (h *exchange) Hosts() []string { return slices.Sorted(slices.Values(h.hosts)) }

func (h *exchange) Paths() []plan.Path { return h.paths }

// ReadDuring reads nothing: no verdict needs it.
func (h *exchange) ReadDuring(int) facts.Level { return "" }

func (h *exchange) Value(r record.Repeat) float64 { return r.Halo.Seconds }

func (h *exchange) InEffect(last record.Repeat) { h.c.LengthInEffect(last) }

// Expand expands an experiment of method halo: a combination for every combination of values and every adapter of via.
func Expand(p *plan.Plan, e *fabric.Experiment, o experiment.Options) []*experiment.Combination {
	vias := [][]string{e.Via}
	if len(e.Via) > 1 {
		vias = nil
		for _, v := range e.Via {
			vias = append(vias, []string{v})
		}
	}
	var combinations []*experiment.Combination
	for _, settings := range experiment.Product(e.Parameters) {
		maps.Copy(settings, o.Settings)
		for _, via := range vias {
			combinations = append(combinations, expandOne(p, e, o, maps.Clone(settings), via))
		}
	}
	return combinations
}

func expandOne(p *plan.Plan, e *fabric.Experiment, o experiment.Options, settings map[string]string,
	via []string) *experiment.Combination {
	c := &experiment.Combination{Samples: experiment.DefaultSamples, Interval: settings["time"],
		Repeats: experiment.RepeatsOf(e, o)}
	h := &exchange{c: c}
	c.Measurement = h
	delete(settings, "time")
	if len(e.Via) > 1 {
		settings["via"] = via[0]
	}
	hosts := e.On
	if len(hosts) == 0 {
		hosts = slices.Concat(e.From, e.To)
	}
	x := &record.Experiment{Name: e.Name, Method: method.Halo, Direction: traffic.Out, Variant: p.Variant,
		Settings: settings}
	c.Record = x
	x.NotRun = cmp.Or(experiment.Unsupported(e, settings, o), h.choose(p, hosts, settings, via))
	for i, port := range h.ports {
		x.Ends = append(x.Ends,
			record.End{Host: h.hosts[i], Port: port.ID, Interface: port.Interface, Address: port.Address.Addr().String()})
	}
	for _, path := range h.paths {
		for _, l := range path.Links {
			x.Links = xslices.AppendNew(x.Links, l.Name)
		}
	}
	if x.NotRun == "" {
		hosts = h.hosts
	}
	x.From = fabric.Compact(hosts)
	x.To = x.From
	x.ID = record.ExperimentID(x)
	return c
}

// choose distributes the processes and finds the paths between them, or returns why there is none.
func (h *exchange) choose(p *plan.Plan, hosts []string, settings map[string]string, via []string) string {
	if slices.Contains(hosts, "links") {
		return "on: links is each link's two ends, and an exchange is among hosts; write on: \"n[1-4]\""
	}
	var all []string
	for _, name := range hosts {
		all = xslices.AppendNew(all, experiment.HostOf(name))
	}
	if len(all) == 0 {
		return "it names no hosts; write on: \"n[1-4]\""
	}
	var err error
	if h.processes, err = strconv.Atoi(cmp.Or(settings["processes"], fmt.Sprint(len(all)))); err != nil ||
		h.processes < 1 {
		return fmt.Sprintf("processes: %s is not a number", settings["processes"])
	}
	if h.tile, err = strconv.Atoi(cmp.Or(settings["tiles"], fmt.Sprint(defaultTile))); err != nil || h.tile < 0 {
		return fmt.Sprintf("tiles: %s is not a number", settings["tiles"])
	}
	switch {
	case len(all) == 1:
		return fmt.Sprintf(
			"all processes would be on %s, and nothing would cross the network; name two hosts or more in on", all[0])
	case h.processes == 1:
		return "one process has no neighbour but itself; ask for 2 processes or more"
	}
	all = all[:min(len(all), h.processes)]
	if ranks := (h.processes + len(all) - 1) / len(all); ranks > experiment.MaxStreams {
		return fmt.Sprintf(
			"%d processes on %d hosts are %d a host, above %d, the agents' limit; name more hosts or ask for fewer processes",
			h.processes, len(all), ranks, experiment.MaxStreams)
	}
	ports := make([]*plan.Port, len(all))
	for _, pair := range halo.Pairs(h.processes, len(all)) {
		path, why := experiment.PathBetween(p, all[pair[0]], all[pair[1]], via)
		if why != "" {
			return why
		}
		for i, port := range []*plan.Port{path.FromPort, path.ToPort} {
			at := &ports[pair[i]]
			switch {
			case !port.Address.IsValid():
				return fmt.Sprintf(
					"%s has no address in the plan, and an exchange goes between planned addresses; give its link a subnet", port.ID)
			case *at != nil && (*at).ID != port.ID:
				return fmt.Sprintf(
					"%s would reach some neighbours by %s and others by %s; halo needs one port a host that reaches all of "+
						"them, as behind a switch",
					port.Host,
					(*at).ID,
					port.ID,
				)
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
	if h.transport == halo.MPI && settings["spin"] != "" {
		return "spin: " + settings["spin"] + " is of tcp; over mpi the library polls by itself"
	}
	return ""
}

// Measure exchanges once.
func (h *exchange) Measure(ctx context.Context, s experiment.Session, during func()) error {
	c := h.c
	spec, err := h.spec(s.Interval(c), s.Lab() != nil)
	if err != nil {
		c.Record.Failed = err.Error()
		return nil
	}
	if h.transport == halo.MPI {
		return h.overMPI(ctx, s, spec, during)
	}
	var ends []End
	for i, host := range h.hosts {
		ends = append(ends, End{Client: s.Client(host), Host: host, Address: h.ports[i].Address.Addr()})
	}
	without := ""
	if h.transport == traffic.RDMA {
		if without, err = experiment.SendRDMAProgram(ctx, s, h.Hosts()); err != nil {
			c.Record.Failed = err.Error()
			return s.Lost(c)
		}
	}
	var rep record.Repeat
	var samples []record.Sample
	err = s.Punctual(ctx, func(lead time.Duration) (err error) {
		spec.Lead, spec.Live = lead, s.Live()
		rep, samples, err = Repeat(ctx, ends, spec, during)
		return err
	})
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.Record.Failed = experiment.WithoutRDMAProgram(err, without).Error()
		return s.Lost(c)
	}
	return s.Keep(c, rep, samples)
}

func (h *exchange) spec(interval time.Duration, lab bool) (Spec, error) {
	c, set := h.c, h.c.Record.Settings
	s := Spec{Processes: h.processes, Tile: h.tile, Exchange: cmp.Or(set["exchange"], traffic.TwoPhase),
		Warmup: experiment.WarmupOf(h.processes), Interval: interval, Seed: 1, Samples: c.Samples}
	s.Transport = h.transport
	if c.Record.Emulated {
		s.Warmup += emulatedWarmup // the first exchange takes many times as long as others
		if s.Transport == traffic.RDMA {
			s.Nap = emulatedNap
		}
		s.Interval = max(s.Interval, minEmulatedInterval)
	}
	for _, p := range h.ports {
		if s.Transport != traffic.RDMA || lab && p.RDMA == traffic.LinkIB {
			s.Links = append(s.Links, "") // a lab substitutes soft RoCE, and records it
		} else {
			s.Links = append(s.Links, experiment.PlannedLink(p))
		}
	}
	s.Tuning = traffic.Tuning{Spin: set["spin"] == "true", Placement: traffic.PlaceAuto}
	switch text := set["placement"]; text {
	case "", traffic.PlaceAuto:
	case traffic.PlaceOff:
		s.Tuning.Placement = traffic.PlaceOff
	default:
		var err error
		if s.Tuning.Cores, s.Tuning.Nodes, err = placement.Parse(text); err != nil {
			return s, fmt.Errorf("placement: %w", err)
		}
	}
	return s, nil
}

// Summarize fills in the figures of the exchange from its repeats.
func (h *exchange) Summarize() error {
	e := h.c.Record
	if len(e.Repeats) == 0 {
		return nil
	}
	e.Halo = e.Repeats[len(e.Repeats)-1].Halo
	remote.SummarizeCPU(e)
	s, err := stat.Summarize(xslices.Map(e.Repeats, func(r record.Repeat) float64 { return r.Halo.Seconds }))
	if err != nil {
		return fmt.Errorf("seconds of %s: %w", e.Name, err)
	}
	e.Seconds = &record.Estimate{Median: s.Median, Low: s.Low, High: s.High, Interval: string(s.Interval), Repeats: s.N}
	return nil
}
