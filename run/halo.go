package run

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"linerate/agent"
	"linerate/fabric"
	"linerate/measure"
	"linerate/plan"
	"linerate/result"
	"linerate/stat"
)

// Halo is the method that exchanges halos among processes on several hosts.
const Halo = result.MethodHalo

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
	x := &result.Experiment{Name: e.Name, Method: Halo, Direction: measure.Out, Variant: p.Variant, Settings: settings}
	c.Exp = x
	x.NotRun = cmp.Or(unsupported(e, settings, o), c.halo.choose(p, hosts, settings, via))
	for i, port := range c.halo.ports {
		x.Ends = append(x.Ends, result.End{Host: c.halo.hosts[i], Port: port.ID, Interface: port.Interface, Address: port.Address.Addr().String()})
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
	x.ID = result.ExperimentID(x)
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
	for _, pair := range measure.HaloPairs(h.processes, len(all)) {
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
		h.transport = measure.TCP
		if !slices.ContainsFunc(ports, func(p *plan.Port) bool { return p.RDMA == "" }) {
			h.transport = measure.RDMA
		}
	}
	if h.transport == measure.MPI && settings["spin"] != "" {
		return "spin: " + settings["spin"] + " is of tcp; over mpi the library polls by itself"
	}
	return ""
}

// HaloEnd is one host of an exchange.
type HaloEnd struct {
	Client  *agent.Client
	Host    string // name for the records
	Address netip.Addr
}

// HaloSpec is one repeat of an exchange.
type HaloSpec struct {
	Processes, Tile int
	Exchange        string
	Transport       string        // tcp, rdma or mpi
	Nap             time.Duration // see measure.HaloOptions
	Links           []string      // by end: what the plan wants of its RDMA device; nil: whatever it has
	Tuning          measure.Tuning
	Warmup, Window  time.Duration
	Seed            uint64
	Samples         int
}

// haloSides are the ends of an exchange; processes of agents on one machine share its cores.
func haloSides(ends []HaloEnd, s HaloSpec) []*side {
	together := map[string]int{} // processes on a machine
	machine := func(e HaloEnd) string { return cmp.Or(e.Client.Hello().BootID, "host "+e.Host) }
	var sides []*side
	for i, e := range ends {
		ranks := (s.Processes - i + len(ends) - 1) / len(ends)
		setup := measure.Setup{Method: Halo, Side: measure.From, Listen: true, Direction: measure.Out, Streams: ranks, Warmup: s.Warmup, Window: s.Window,
			Local: e.Address, Remote: ends[(i+1)%len(ends)].Address, Seed: s.Seed, Samples: s.Samples, Tuning: s.Tuning, Transport: s.Transport,
			Halo: &measure.HaloOptions{Processes: s.Processes, Tile: s.Tile, Exchange: s.Exchange, Hosts: len(ends), Host: i, Nap: s.Nap, First: together[machine(e)]}}
		if len(s.Links) > 0 {
			setup.Halo.Link = s.Links[i]
		}
		together[machine(e)] += ranks
		sides = append(sides, &side{name: measure.From, host: e.Host, client: e.Client, setup: setup})
	}
	for i, e := range sides {
		e.setup.Halo.Together = together[machine(ends[i])]
		e.setup.Beside = e.setup.Halo.Together - e.setup.Streams
	}
	return sides
}

// RepeatHalo measures once among several agents: each opens its port, all are joined, and all processes start at one moment. during is as
// with Repeat. With an error nothing is left running at any end.
func RepeatHalo(ctx context.Context, ends []HaloEnd, s HaloSpec, during func()) (result.Repeat, []result.Sample, error) {
	sides := haloSides(ends, s)
	if err := prepareHalos(ctx, sides); err != nil {
		stop(ctx, sides)
		return result.Repeat{}, nil, err
	}
	var rtt time.Duration
	for _, e := range sides {
		rtt = max(rtt, e.client.Clock().RTT)
	}
	now, wall := measure.Now(), time.Now()
	begin := now + int64(headStart(s.Processes)+2*rtt)
	open := begin + int64(s.Warmup)
	runCtx, cancel := context.WithTimeout(ctx, time.Duration(open-now)+s.Window+measure.Grace(Halo)+answerDeadline)
	defer cancel()
	samples := &collector{now: now, wall: wall}
	var wg sync.WaitGroup
	for _, e := range sides {
		wg.Go(func() {
			e.outcome, e.err = e.exp.Start(runCtx, begin+e.client.Clock().Nanoseconds, samples.from(e, 0))
			if e.err == nil {
				return
			}
			if closedByOther(e.err) {
				waitForNews(runCtx, sides)
			}
			cancel()
		})
	}
	seen := besides(runCtx, Spec{Method: Halo, Window: s.Window}, open, during, &wg, sides...)
	if err := firstCause(ctx, sides); err != nil {
		stop(ctx, sides)
		return result.Repeat{}, samples.all, err
	}
	r, err := joinHalo(s, ends, sides, seen)
	r.Start = wall.Add(time.Duration(open - now))
	return r, append(samples.all, cpuSamples(r, s.Window)...), err
}

// waitForNews gives the news that an agent is gone time to come, before those who only saw their connections close are heard.
func waitForNews(ctx context.Context, sides []*side) {
	ctx, cancel := context.WithTimeout(ctx, noticeDeadline)
	defer cancel()
	for _, e := range sides {
		go func() {
			select {
			case <-e.client.Gone():
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	<-ctx.Done()
}

// exchangeDeadline is how long opening and joining may take: with rdma_cm one host after the other makes its connections.
const exchangeDeadline = time.Minute

// prepareHalos opens all ports, joins all ends, and compares the clocks.
func prepareHalos(ctx context.Context, sides []*side) error {
	ctx, cancel := context.WithTimeout(ctx, exchangeDeadline)
	defer cancel()
	each := func(f func(*side) error) error {
		var wg sync.WaitGroup
		for _, e := range sides {
			wg.Go(func() { e.err = f(e) })
		}
		wg.Wait()
		return firstCause(ctx, sides)
	}
	err := each(func(e *side) (err error) { e.exp, err = e.client.Prepare(ctx, e.setup); return err })
	if err != nil {
		return err
	}
	var peers []measure.HaloPeer
	for _, e := range sides {
		if e.exp.Halo == nil {
			return fmt.Errorf("%s: its agent knows no exchange; use the same version of linerate on all hosts", e.host)
		}
		peers = append(peers, *e.exp.Halo)
	}
	if err := each(func(e *side) error { return e.exp.JoinHalo(ctx, peers) }); err != nil {
		return err
	}
	return each(func(e *side) error { return e.client.Sync(ctx) })
}

// haloOutcome is what was seen on one host of an exchange.
type haloOutcome struct {
	host    string
	address netip.Addr
	offset  int64 // what its clock is ahead of the one that stamps are compared by
	out     *measure.Outcome
}

// joinHalo puts together what all ends saw.
func joinHalo(s HaloSpec, ends []HaloEnd, sides []*side, here *measure.Work) (result.Repeat, error) {
	var all []haloOutcome
	var pairs []*pairSides
	for i, e := range sides {
		all = append(all, haloOutcome{e.host, ends[i].Address, e.client.Clock().Nanoseconds, e.outcome})
		pairs = append(pairs, &pairSides{a: e, b: e})
	}
	r, err := recordHalo(s, all)
	if err == nil {
		groupCPU(&r, pairs, here)
	}
	return r, err
}

// recordHalo is the repeat that the outcomes of all hosts make, without their processors.
func recordHalo(s HaloSpec, ends []haloOutcome) (result.Repeat, error) {
	r := result.Repeat{Seconds: s.Window.Seconds(), Slice: ends[0].out.Slice}
	g := measure.GridOf(s.Processes)
	h := &result.Halo{Processes: s.Processes, Columns: g.Columns, Rows: g.Rows, Tile: s.Tile, Transport: cmp.Or(s.Transport, measure.TCP)}
	var trips []string
	var first, last int64
	for _, e := range ends {
		o := e.out.Halo
		if o == nil {
			return r, fmt.Errorf("%s says nothing of its processes; use the same version of linerate on all hosts", e.host)
		}
		h.Exchange, h.Wait, h.Link, h.Soft = o.Exchange, o.Wait, o.Link, h.Soft || o.Soft
		h.Remote, h.Local, h.Self, h.Checked = h.Remote+o.Remote, h.Local+o.Local, h.Self+o.Self, h.Checked+o.Checked
		h.Hosts = append(h.Hosts, result.HaloHost{Host: e.host, Address: e.address.String(), Ranks: len(o.Ranks), Device: o.Device})
		if o.Crowded {
			h.Crowded = append(h.Crowded, e.host)
		}
		if at := o.LeftNS[0] - e.offset; first == 0 || at < first {
			first = at
		}
		if at := o.LeftNS[1] - e.offset; last == 0 || at > last {
			last = at
		}
		for _, one := range o.Ranks {
			h.Ranks = append(h.Ranks, result.HaloRank{Rank: one.Rank, Host: e.host, Core: one.Core, Remote: one.Remote, Exchanges: one.Exchanges, Seconds: one.Mean(), Trips: one.Trips})
		}
		trips = append(trips, e.out.Histogram)
		for _, w := range e.out.Warnings {
			r.Warnings = append(r.Warnings, e.host+": "+w)
		}
	}
	slices.SortFunc(h.Ranks, func(a, b result.HaloRank) int { return a.Rank - b.Rank })
	for _, one := range h.Ranks {
		if one.Exchanges < 2 {
			return r, fmt.Errorf("rank %d on %s was through with %d exchanges in the window of %v, and a time needs two; ask for a longer time (time: %v), or fewer processes",
				one.Rank, one.Host, one.Exchanges, s.Window, 4*s.Window)
		}
		if one.Seconds > h.Seconds {
			h.Seconds, h.Exchanges = one.Seconds, one.Exchanges
		}
	}
	h.Skew = float64(last-first) / 1e9
	r.Halo, r.Skew = h, h.Skew
	all, err := addUp(trips...)
	if err != nil {
		return r, err
	}
	if r.Trips = all.Count(); r.Trips > 0 {
		r.P50 = all.Quantile(0.5)
		if r.Histogram, err = all.Encode(); err != nil {
			return r, err
		}
	}
	if len(h.Crowded) > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s: fewer cores than processes: they take turns, and the figure has the waiting in it", strings.Join(h.Crowded, ", ")))
	}
	r.InEffect = haloInEffect(h)
	return r, nil
}

func haloInEffect(h *result.Halo) map[string]string {
	m := map[string]string{
		"transport": h.Transport, "exchange": h.Exchange, "wait": h.Wait, "processes": fmt.Sprint(h.Processes), "tiles": fmt.Sprint(h.Tile),
		"grid": fmt.Sprintf("%d x %d", h.Columns, h.Rows), "release skew": fmt.Sprintf("%.2g ms", h.Skew*1e3),
		"neighbours": fmt.Sprintf("%d remote, %d on the same host (memory)", h.Remote, h.Local),
	}
	if h.Self > 0 {
		m["neighbours"] += fmt.Sprintf(", %d the process itself", h.Self)
	}
	if how := cmp.Or(h.Link, h.Library); how != "" {
		m["transport"] += " " + how
	}
	var spread []string
	free := true
	for _, host := range h.Hosts {
		spread = append(spread, fmt.Sprintf("%s %d", host.Host, host.Ranks))
	}
	for _, r := range h.Ranks {
		free = free && r.Core < 0
	}
	m["ranks"] = "in turn: " + strings.Join(spread, ", ")
	m["placement"] = map[bool]string{true: "free", false: "a core each"}[free]
	return m
}

// haloRepeat measures a cell of halo once.
func (s *session) haloRepeat(ctx context.Context, c *Cell, during func()) error {
	spec, err := c.haloSpec(s.window(c), s.cfg.Lab != nil)
	if err != nil {
		c.Exp.Failed = err.Error()
		return nil
	}
	if c.halo.transport == measure.MPI {
		return s.haloOverMPI(ctx, c, spec, during)
	}
	var ends []HaloEnd
	for i, host := range c.halo.hosts {
		ends = append(ends, HaloEnd{Client: s.clients[host], Host: host, Address: c.halo.ports[i].Address.Addr()})
	}
	without, err := s.sendVerbs(ctx, c)
	if err != nil {
		c.Exp.Failed = err.Error()
		return s.lost(c)
	}
	rep, samples, err := RepeatHalo(ctx, ends, spec, during)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.Exp.Failed = err.Error()
		if without != "" && lacksVerbs(err) {
			c.Exp.Failed += "; " + without
		}
		return s.lost(c)
	}
	return s.keep(c, rep, samples)
}

func (c *Cell) haloSpec(window time.Duration, lab bool) (HaloSpec, error) {
	h, set := c.halo, c.Exp.Settings
	s := HaloSpec{Processes: h.processes, Tile: h.tile, Exchange: cmp.Or(set["exchange"], measure.TwoPhase), Warmup: warmupOf(h.processes), Window: window, Seed: 1, Samples: c.Samples}
	s.Transport = h.transport
	if c.Exp.Emulated {
		s.Warmup += haloSlow // the first exchange takes many times as long as others
		if s.Transport == measure.RDMA {
			s.Nap = haloNap
		}
		s.Window = max(s.Window, haloLong)
	}
	for _, p := range h.ports {
		if s.Transport != measure.RDMA || lab && p.RDMA == measure.LinkIB {
			s.Links = append(s.Links, "") // a lab has soft RoCE in its place, and says so
		} else {
			s.Links = append(s.Links, wantedLink(p))
		}
	}
	s.Tuning = measure.Tuning{Spin: set["spin"] == "true", Placement: measure.PlaceAuto}
	switch text := set["placement"]; text {
	case "", measure.PlaceAuto:
	case measure.PlaceOff:
		s.Tuning.Placement = measure.PlaceOff
	default:
		var err error
		if s.Tuning.Cores, s.Tuning.Nodes, err = measure.ParsePlacement(text); err != nil {
			return s, fmt.Errorf("placement: %w", err)
		}
	}
	return s, nil
}

// summarizeHalo fills what an exchange has from its repeats.
func summarizeHalo(e *result.Experiment) error {
	e.Halo = e.Repeats[len(e.Repeats)-1].Halo
	summarizeCPU(e)
	s, err := stat.Summarize(each(e.Repeats, func(r result.Repeat) float64 { return r.Halo.Seconds }))
	if err != nil {
		return fmt.Errorf("seconds of %s: %w", e.Name, err)
	}
	e.Seconds = &result.Estimate{Median: s.Median, Low: s.Low, High: s.High, Interval: string(s.Interval), Repeats: s.N}
	return nil
}
