package run

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"linerate/internal/agent"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

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
	Tuning          traffic.Tuning
	Warmup, Window  time.Duration
	Lead            time.Duration // as Spec has it
	Seed            uint64
	Samples         int
	Live            *Live // as Spec has it
}

// haloSides are the ends of an exchange; processes of agents on one machine share its cores.
func haloSides(ends []HaloEnd, s HaloSpec) []*side {
	together := map[string]int{} // processes on a machine
	machine := func(e HaloEnd) string { return cmp.Or(e.Client.Hello().BootID, "host "+e.Host) }
	var sides []*side
	for i, e := range ends {
		ranks := (s.Processes - i + len(ends) - 1) / len(ends)
		setup := traffic.Setup{Method: Halo, Side: traffic.From, Listen: true, Direction: traffic.Out, Streams: ranks, Warmup: s.Warmup, Window: s.Window,
			Local: e.Address, Remote: ends[(i+1)%len(ends)].Address, Seed: s.Seed, Samples: s.Samples, Tuning: s.Tuning, Transport: s.Transport,
			Halo: &traffic.HaloOptions{Processes: s.Processes, Tile: s.Tile, Exchange: s.Exchange, Hosts: len(ends), Host: i, Nap: s.Nap, First: together[machine(e)]}}
		if len(s.Links) > 0 {
			setup.Halo.Link = s.Links[i]
		}
		together[machine(e)] += ranks
		sides = append(sides, &side{name: traffic.From, host: e.Host, client: e.Client, setup: setup})
	}
	for i, e := range sides {
		e.setup.Halo.Together = together[machine(ends[i])]
		e.setup.Beside = e.setup.Halo.Together - e.setup.Streams
	}
	return sides
}

// RepeatHalo measures once among several agents: each opens its port, all are joined, and all processes start at one moment. during is as
// with Repeat. With an error nothing is left running at any end.
func RepeatHalo(ctx context.Context, ends []HaloEnd, s HaloSpec, during func()) (record.Repeat, []record.Sample, error) {
	sides := haloSides(ends, s)
	if err := prepareHalos(ctx, sides); err != nil {
		stop(ctx, sides)
		return record.Repeat{}, nil, err
	}
	var rtt time.Duration
	for _, e := range sides {
		rtt = max(rtt, e.client.Clock().RTT)
	}
	now, wall := traffic.Now(), time.Now()
	begin := now + int64(headStart(s.Processes)+2*rtt+s.Lead)
	open := begin + int64(s.Warmup)
	runCtx, cancel := context.WithTimeout(ctx, time.Duration(open-now)+s.Window+traffic.Grace(Halo)+answerDeadline)
	defer cancel()
	samples := &collector{now: now, wall: wall, live: s.Live}
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
		return record.Repeat{}, samples.all, err
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
	var peers []traffic.HaloPeer
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

// haloRepeat measures a cell of halo once.
func (s *session) haloRepeat(ctx context.Context, c *Cell, during func()) error {
	spec, err := c.haloSpec(s.window(c), s.cfg.Lab != nil)
	if err != nil {
		c.Exp.Failed = err.Error()
		return nil
	}
	if c.halo.transport == traffic.MPI {
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
	var rep record.Repeat
	var samples []record.Sample
	err = s.punctual(ctx, func(lead time.Duration) (err error) {
		spec.Lead, spec.Live = lead, s.cfg.Live
		rep, samples, err = RepeatHalo(ctx, ends, spec, during)
		return err
	})
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
	s := HaloSpec{Processes: h.processes, Tile: h.tile, Exchange: cmp.Or(set["exchange"], traffic.TwoPhase), Warmup: warmupOf(h.processes), Window: window, Seed: 1, Samples: c.Samples}
	s.Transport = h.transport
	if c.Exp.Emulated {
		s.Warmup += haloSlow // the first exchange takes many times as long as others
		if s.Transport == traffic.RDMA {
			s.Nap = haloNap
		}
		s.Window = max(s.Window, haloLong)
	}
	for _, p := range h.ports {
		if s.Transport != traffic.RDMA || lab && p.RDMA == traffic.LinkIB {
			s.Links = append(s.Links, "") // a lab has soft RoCE in its place, and says so
		} else {
			s.Links = append(s.Links, wantedLink(p))
		}
	}
	s.Tuning = traffic.Tuning{Spin: set["spin"] == "true", Placement: traffic.PlaceAuto}
	switch text := set["placement"]; text {
	case "", traffic.PlaceAuto:
	case traffic.PlaceOff:
		s.Tuning.Placement = traffic.PlaceOff
	default:
		var err error
		if s.Tuning.Cores, s.Tuning.Nodes, err = traffic.ParsePlacement(text); err != nil {
			return s, fmt.Errorf("placement: %w", err)
		}
	}
	return s, nil
}
