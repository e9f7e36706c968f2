package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"linerate/internal/agent"
	"linerate/internal/facts"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

// GroupFlow is one pair of agents among those that a group measures at once.
type GroupFlow struct {
	From, To *agent.Client
	Spec     Spec // window and warm-up are the same in all; some may be verbs beside streams
}

// Group is what one repeat of a group gave. Where Failed has an error the flow of that number was not measured: its
// figures, and the sum, are then missing.
type Group struct {
	Repeat  record.Repeat
	Samples []record.Sample
	Failed  []error // by flow
}

// preparing is how many flows open their connections at once.
const preparing = 8

// pairSides are the two ends of a flow of a group.
type pairSides struct {
	a, b   *side
	spec   Spec
	first  int // number of its first stream
	failed error
}

func (f *pairSides) ends() []*side { return []*side{f.a, f.b} }

// RepeatGroup measures once over several pairs of agents: all are prepared, then all start at one moment, each agent at
// its own clock, and all are cut at one window. A flow that fails leaves the others running. during is as with Repeat.
// The error is of what kept the group from starting, or of ctx; nothing is left running then.
func RepeatGroup(ctx context.Context, flows []GroupFlow, during func()) (Group, error) {
	pairs, streams := make([]*pairSides, len(flows)), 0
	var ends []*side
	for i, f := range flows {
		a, b := f.Spec.sides(f.From, f.To)
		pairs[i] = &pairSides{a: a, b: b, spec: f.Spec, first: streams}
		ends = append(ends, a, b)
		streams += connections(a.setup)
	}
	looked := map[*agent.Client]bool{}
	for _, e := range ends {
		for _, other := range ends {
			if other != e && other.client == e.client {
				e.setup.Beside += connections(other.setup)
			}
		}
		if e.setup.Amount == 0 {
			e.setup.Warmup = warmupOf(streams)
		}
		e.setup.SocketsOnly = looked[e.client] // the agent looks at its host once
		looked[e.client] = true
	}
	compared, err := prepareGroup(ctx, pairs)
	if err != nil {
		stop(ctx, ends)
		return Group{}, err
	}
	s := flows[0].Spec
	var rtt, grace time.Duration
	for _, e := range ends {
		grace = max(grace, traffic.Grace(e.setup.Method))
		rtt = max(rtt, e.client.Clock().RTT)
	}
	now, wall := traffic.Now(), time.Now()
	begin := now + int64(headStart(streams)+2*rtt+startsTake(compared)+s.Lead)
	open := begin + int64(ends[0].setup.Warmup)
	runCtx, cancel := context.WithTimeout(ctx, time.Duration(open-now)+s.Window+grace+answerDeadline)
	defer cancel()
	samples := &collector{now: now, wall: wall, each: s.OnSample, live: s.Live}
	var wg sync.WaitGroup
	for _, f := range pairs {
		flowCtx, cancelFlow := context.WithCancel(runCtx)
		defer cancelFlow()
		startPair(flowCtx, cancelFlow, &wg, f.a, f.b, begin, samples, f.first)
	}
	seen := besides(runCtx, s, open, during, &wg, ends...)
	if err := ctx.Err(); err != nil {
		stop(ctx, ends)
		return Group{Samples: samples.all}, fmt.Errorf("the measurement was stopped: %w", context.Cause(ctx))
	}
	g := Group{Samples: samples.all, Failed: make([]error, len(pairs))}
	for i, f := range pairs {
		cause := firstCause(ctx, f.ends())
		if f.failed = cmp.Or(brokeOff(f.spec, cause, f.ends()), cause); f.failed != nil {
			stop(ctx, f.ends())
			g.Failed[i] = f.failed
		}
	}
	g.Repeat, err = joinGroup(s, pairs, seen)
	g.Repeat.Start = wall.Add(time.Duration(open - now))
	g.Samples = append(g.Samples, cpuSamples(g.Repeat, s.Window)...)
	return g, err
}

func connections(s traffic.Setup) int {
	if s.Direction == traffic.Both {
		return 2 * s.Streams
	}
	return s.Streams
}

// startsTake is how long the starts of all flows may take to be sent and read, where the comparison of all clocks took so
// long. That was eight questions and answers to each agent; a start is one, and each end has to make its threads and
// buffers ready for it, all of them on one machine in a lab.
func startsTake(compared time.Duration) time.Duration { return min(compared, mostStart) }

// mostStart bounds it: what takes longer than this is said by the agents.
const mostStart = 5 * time.Second

// prepareGroup opens all data connections, then compares the clocks of all agents, so that nothing else goes on meanwhile,
// and says how long that took.
func prepareGroup(ctx context.Context, pairs []*pairSides) (compared time.Duration, err error) {
	opening, cancel := context.WithTimeout(ctx, prepareDeadline)
	defer cancel()
	slots := make(chan struct{}, preparing)
	var wg sync.WaitGroup
	clients := map[*agent.Client]bool{}
	for _, f := range pairs {
		clients[f.a.client], clients[f.b.client] = true, true
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			f.failed = connectPair(opening, f.a, f.b)
		})
	}
	wg.Wait()
	for _, f := range pairs {
		if f.failed != nil {
			return 0, fmt.Errorf("%s -> %s: %w", f.a.host, f.b.host, f.failed)
		}
	}
	var mu sync.Mutex
	var failed error
	began := time.Now()
	for c := range clients {
		wg.Go(func() {
			slots <- struct{}{} // answers that wait for each other here would make the clocks less certain
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

// groupRepeat measures a cell of many flows once. Only a repeat in which every flow was measured counts; of another one
// the flows that were are kept beside the failure.
func (s *session) groupRepeat(ctx context.Context, c *Cell, during func()) error {
	index := len(c.Exp.Repeats)
	if c.marks != nil && c.sends == nil {
		t := c.trafficOf(func(host string) *facts.Facts { return s.last[host] })
		c.sends = &t
	}
	without, err := s.sendVerbs(ctx, c)
	if err != nil {
		c.Exp.Failed = err.Error()
		return s.lost(c)
	}
	var flows []GroupFlow
	for i, p := range c.Flows {
		one := *c
		one.Path, one.Flows = p, nil
		spec, err := one.spec(s.window(c))
		if err != nil {
			c.Exp.Failed = err.Error()
			return nil
		}
		s.datagrams(&one, &spec)
		spec.Seed, spec.Live = spec.Seed+uint64(i)<<16, s.cfg.Live
		if c.marks != nil {
			spec.ClassMark = c.marks[i]
			if c.marks[i] != nil && c.sends.verbs {
				one.overVerbs(&spec, s.cfg.Lab != nil)
			}
		}
		// Trials of several flows on one host would disturb each other, and each would take the same cores.
		spec.Tuning.Trial, spec.Tuning.Placement = false, traffic.PlaceOff
		flows = append(flows, GroupFlow{From: s.clients[p.From], To: s.clients[p.To], Spec: spec})
	}
	var g Group
	err = s.punctual(ctx, func(lead time.Duration) (err error) {
		for i := range flows {
			flows[i].Spec.Lead = lead
		}
		if g, err = RepeatGroup(ctx, flows, during); err != nil {
			return err
		}
		return errors.Join(g.Failed...)
	})
	if len(g.Failed) > 0 {
		err = nil // each flow says for itself why it failed
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && noVerbs(err) {
		c.sends = &classTraffic{why: strings.TrimSuffix(err.Error()+"; "+without, "; ")}
		return s.groupRepeat(ctx, c, during)
	}
	if err != nil {
		c.Exp.Failed = err.Error()
		return s.lost(c)
	}
	if c.sends != nil {
		c.sentAs(&g.Repeat)
	}
	g.Repeat.Index = index
	g.Repeat.Warnings = append(g.Repeat.Warnings, paceKept(g.Repeat, flows[len(flows)-1].Spec)...)
	steady(&g.Repeat)
	for i := range g.Samples {
		g.Samples[i].Experiment, g.Samples[i].Repeat = c.Exp.ID, index
	}
	if why := c.failures(g); why != "" {
		for _, err := range g.Failed {
			keepBroken(c, index, err)
		}
		c.Exp.Failed, c.partial = why, &g.Repeat
		return errors.Join(s.lost(c), s.cfg.Folder.Samples(g.Samples))
	}
	c.Exp.Repeats = append(c.Exp.Repeats, g.Repeat)
	return errors.Join(s.cfg.Folder.Samples(g.Samples), s.cfg.Folder.Repeat(c.Exp.ID, g.Repeat))
}

// failures names the flows that failed, each cause once.
func (c *Cell) failures(g Group) string {
	of := map[string][]string{}
	var order []string
	for i, err := range g.Failed {
		if err == nil {
			continue
		}
		if of[err.Error()] == nil {
			order = append(order, err.Error())
		}
		of[err.Error()] = append(of[err.Error()], c.Flows[i].From+" -> "+c.Flows[i].To)
	}
	var out []string
	for _, why := range order {
		out = append(out, fmt.Sprintf("%s (%s)", why, strings.Join(of[why], ", ")))
	}
	return strings.Join(out, "; ")
}

// setMTU gives every path of a cell an MTU, and returns how to take it back, the last one first.
func (s *session) setMTU(ctx context.Context, c *Cell, mtu int) (func() error, error) {
	var undo []func() error
	back := func() error {
		var failed error
		for i := len(undo) - 1; i >= 0; i-- {
			failed = errors.Join(failed, undo[i]())
		}
		return failed
	}
	for _, p := range c.paths() {
		one := *c
		one.Path, one.Flows = p, nil
		u, err := s.cfg.SetMTU(ctx, &one, mtu)
		if err != nil {
			return nil, errors.Join(err, back())
		}
		undo = append(undo, u)
	}
	return back, nil
}
