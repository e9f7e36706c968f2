package halo

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/method"
	"linerate/internal/record"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
	"linerate/internal/traffic/engines"
)

// End is one host of an exchange.
type End struct {
	Client  *agent.Client
	Host    string // name for the records
	Address netip.Addr
}

// Spec is one repeat of an exchange.
type Spec struct {
	Processes, Tile  int
	Exchange         string
	Transport        string        // tcp, rdma or mpi
	Nap              time.Duration // see measure.HaloOptions
	Links            []string      // by end: the planned link of its RDMA device; nil: any
	Tuning           traffic.Tuning
	Warmup, Interval time.Duration
	Lead             time.Duration // as in network.Spec
	Seed             uint64
	Samples          int
	Live             *remote.Live // as in network.Spec
}

// endsOf are the ends of an exchange; processes of agents on one machine share its cores.
func endsOf(ends []End, s Spec) []*remote.End {
	together := map[string]int{} // processes on a machine
	machine := func(e End) string { return cmp.Or(e.Client.Hello().BootID, "host "+e.Host) }
	var sides []*remote.End
	for i, e := range ends {
		ranks := (s.Processes - i + len(ends) - 1) / len(ends)
		setup := traffic.Setup{
			Method:    method.Halo,
			Side:      traffic.From,
			Listen:    true,
			Direction: traffic.Out,
			Streams:   ranks,
			Warmup:    s.Warmup,
			Interval:  s.Interval,
			Local:     e.Address,
			Remote:    ends[(i+1)%len(ends)].Address,
			Seed:      s.Seed,
			Samples:   s.Samples,
			Tuning:    s.Tuning,
			Transport: s.Transport,
			Halo: &traffic.HaloOptions{Processes: s.Processes, Tile: s.Tile, Exchange: s.Exchange, Hosts: len(ends),
				Host: i, Nap: s.Nap, First: together[machine(e)]},
		}
		if len(s.Links) > 0 {
			setup.Halo.Link = s.Links[i]
		}
		together[machine(e)] += ranks
		sides = append(sides, &remote.End{Name: traffic.From, Host: e.Host, Client: e.Client, Setup: setup})
	}
	for i, e := range sides {
		e.Setup.Halo.Together = together[machine(ends[i])]
		e.Setup.Background = e.Setup.Halo.Together - e.Setup.Streams
	}
	return sides
}

// Repeat measures once among several agents: each opens its port, all are joined, and all processes start at the same
// time. during as in Measurement.Measure. After an error nothing is left running at any end.
func Repeat(ctx context.Context, ends []End, s Spec, during func()) (record.Repeat, []record.Sample, error) {
	sides := endsOf(ends, s)
	if err := prepare(ctx, sides); err != nil {
		remote.Stop(ctx, sides)
		return record.Repeat{}, nil, err
	}
	var rtt time.Duration
	for _, e := range sides {
		rtt = max(rtt, e.Client.Clock().RTT)
	}
	now, wall := traffic.Now(), time.Now()
	begin := now + int64(remote.HeadStart(s.Processes)+2*rtt+s.Lead)
	open := begin + int64(s.Warmup)
	runCtx, cancel := context.WithTimeout(ctx,
		time.Duration(open-now)+s.Interval+engines.All().Grace(method.Halo)+remote.AnswerDeadline)
	defer cancel()
	samples := &remote.Collector{Now: now, Wall: wall, Live: s.Live}
	var wg sync.WaitGroup
	for _, e := range sides {
		wg.Go(func() {
			e.Outcome, e.Err = e.Experiment.Start(runCtx, begin+e.Client.Clock().Nanoseconds, samples.From(e, 0))
			if e.Err == nil {
				return
			}
			if remote.ClosedByOther(e.Err) {
				waitForNews(runCtx, sides)
			}
			cancel()
		})
	}
	seen := remote.WhileMeasuring(runCtx, s.Interval, false, open, during, &wg, sides...)
	if err := remote.FirstCause(ctx, sides); err != nil {
		remote.Stop(ctx, sides)
		return record.Repeat{}, samples.All, err
	}
	r, err := join(s, ends, sides, seen)
	r.Start = wall.Add(time.Duration(open - now))
	return r, append(samples.All, remote.CPUSamples(r, s.Interval)...), err
}

// waitForNews waits until agents that are gone are reported, before the errors of those that only saw closed
// connections count.
func waitForNews(ctx context.Context, sides []*remote.End) {
	ctx, cancel := context.WithTimeout(ctx, remote.NoticeDeadline)
	defer cancel()
	for _, e := range sides {
		go func() {
			select {
			case <-e.Client.Gone():
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	<-ctx.Done()
}

// exchangeDeadline is the limit of opening and joining: with rdma_cm the hosts connect one after the other.
const exchangeDeadline = time.Minute

// prepare opens all ports, joins all ends, and compares the clocks.
func prepare(ctx context.Context, sides []*remote.End) error {
	ctx, cancel := context.WithTimeout(ctx, exchangeDeadline)
	defer cancel()
	each := func(f func(*remote.End) error) error {
		var wg sync.WaitGroup
		for _, e := range sides {
			wg.Go(func() { e.Err = f(e) })
		}
		wg.Wait()
		return remote.FirstCause(ctx, sides)
	}
	err := each(func(e *remote.End) (err error) { e.Experiment, err = e.Client.Prepare(ctx, e.Setup); return err })
	if err != nil {
		return err
	}
	var peers []traffic.HaloPeer
	for _, e := range sides {
		if e.Experiment.Halo == nil {
			return fmt.Errorf("%s: its agent knows no exchange; use the same version of linerate on all hosts", e.Host)
		}
		peers = append(peers, *e.Experiment.Halo)
	}
	if err := each(func(e *remote.End) error { return e.Experiment.Join(ctx, traffic.Peers{Halo: peers}) }); err != nil {
		return err
	}
	return each(func(e *remote.End) error { return e.Client.Sync(ctx) })
}
