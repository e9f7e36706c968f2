package network

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"linerate/internal/agent"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
	"linerate/internal/traffic/engines"
)

// GroupFlow is one pair of agents among those that a group measures at once.
type GroupFlow struct {
	From, To *agent.Client
	Spec     Spec // interval and warm-up are the same in all; RDMA and streams may be mixed
}

// Group is the result of one repeat of a group. Where Failed has an error the flow of that number was not measured: its
// figures, and the sum, are then missing.
type Group struct {
	Repeat  record.Repeat
	Samples []record.Sample
	Failed  []error // by flow
}

// maxPreparing is how many flows open their connections at once.
const maxPreparing = 8

// flow is the two ends of a flow of a group.
type flow struct {
	from, to    *remote.End
	spec        Spec
	firstStream int // number of its first stream
	failed      error
}

func (f *flow) ends() []*remote.End { return []*remote.End{f.from, f.to} }

// RepeatGroup measures once over several pairs of agents: all are prepared, then all start at one time, each agent on
// its own clock, and all are cut at one interval. A flow that fails leaves the others running. during as in Repeat. The
// error is why the group could not start, or that of ctx; nothing is left running then.
func RepeatGroup(ctx context.Context, flows []GroupFlow, during func()) (Group, error) {
	pairs, streams := make([]*flow, len(flows)), 0
	var ends []*remote.End
	for i, f := range flows {
		a, b := f.Spec.sides(f.From, f.To)
		pairs[i] = &flow{from: a, to: b, spec: f.Spec, firstStream: streams}
		ends = append(ends, a, b)
		streams += connections(a.Setup)
	}
	looked := map[*agent.Client]bool{}
	for _, e := range ends {
		for _, other := range ends {
			if other != e && other.Client == e.Client {
				e.Setup.Background += connections(other.Setup)
			}
		}
		if e.Setup.Amount == 0 {
			e.Setup.Warmup = experiment.WarmupOf(streams)
		}
		e.Setup.SocketsOnly = looked[e.Client] // the agent observes its host once
		looked[e.Client] = true
	}
	compared, err := prepareGroup(ctx, pairs)
	if err != nil {
		remote.Stop(ctx, ends)
		return Group{}, err
	}
	s := flows[0].Spec
	var rtt, grace time.Duration
	for _, e := range ends {
		grace = max(grace, engines.All().Grace(e.Setup.Method))
		rtt = max(rtt, e.Client.Clock().RTT)
	}
	now, wall := traffic.Now(), time.Now()
	begin := now + int64(remote.HeadStart(streams)+2*rtt+startDuration(compared)+s.Lead)
	open := begin + int64(ends[0].Setup.Warmup)
	runCtx, cancel := context.WithTimeout(ctx, time.Duration(open-now)+s.Interval+grace+remote.AnswerDeadline)
	defer cancel()
	samples := &remote.Collector{Now: now, Wall: wall, Each: s.OnSample, Live: s.Live}
	var wg sync.WaitGroup
	for _, f := range pairs {
		flowCtx, cancelFlow := context.WithCancel(runCtx)
		defer cancelFlow()
		startPair(flowCtx, cancelFlow, &wg, f.from, f.to, begin, samples, f.firstStream)
	}
	seen := remote.WhileMeasuring(runCtx, s.Interval, s.Amount > 0, open, during, &wg, ends...)
	if err := ctx.Err(); err != nil {
		remote.Stop(ctx, ends)
		return Group{Samples: samples.All}, fmt.Errorf("the measurement was stopped: %w", context.Cause(ctx))
	}
	g := Group{Samples: samples.All, Failed: make([]error, len(pairs))}
	for i, f := range pairs {
		cause := remote.FirstCause(ctx, f.ends())
		if f.failed = cmp.Or(brokenBy(f.spec, cause, f.ends()), cause); f.failed != nil {
			remote.Stop(ctx, f.ends())
			g.Failed[i] = f.failed
		}
	}
	g.Repeat, err = joinGroup(s, pairs, seen)
	g.Repeat.Start = wall.Add(time.Duration(open - now))
	g.Samples = append(g.Samples, remote.CPUSamples(g.Repeat, s.Interval)...)
	return g, err
}

// startDuration is the time to send and read the starts of all flows, after the comparison of all clocks took compared.
// That was eight round trips to each agent; a start is one, and each end must create its threads and buffers for it,
// all of them on one machine in a lab.
func startDuration(compared time.Duration) time.Duration { return min(compared, maxStartDuration) }

// maxStartDuration limits startDuration: agents report what takes longer.
const maxStartDuration = 5 * time.Second

// prepareGroup opens all data connections, then compares the clocks of all agents with nothing else going on, and
// returns the time of that.
func prepareGroup(ctx context.Context, pairs []*flow) (compared time.Duration, err error) {
	opening, cancel := context.WithTimeout(ctx, prepareDeadline)
	defer cancel()
	slots := make(chan struct{}, maxPreparing)
	var wg sync.WaitGroup
	clients := map[*agent.Client]bool{}
	for _, f := range pairs {
		clients[f.from.Client], clients[f.to.Client] = true, true
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			f.failed = connectPair(opening, f.from, f.to)
		})
	}
	wg.Wait()
	for _, f := range pairs {
		if f.failed != nil {
			return 0, fmt.Errorf("%s -> %s: %w", f.from.Host, f.to.Host, f.failed)
		}
	}
	var mu sync.Mutex
	var failed error
	began := time.Now()
	for c := range clients {
		wg.Go(func() {
			slots <- struct{}{} // answers that wait for each other would make the clocks less certain
			defer func() { <-slots }()
			if err := c.Sync(opening); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = errors.Join(failed, err)
			}
		})
	}
	wg.Wait()
	return time.Since(began), failed
}
