package run

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"linerate/internal/agent"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

// LoadSpec is the stream beside a ping.
type LoadSpec struct {
	Streams   int    // in each direction; 0: none
	Direction string // of its data: out, in or both
}

// loadWarmup is how long a load runs before the window of a ping in it: its windows grow and its queues fill meanwhile.
const loadWarmup = time.Second

// loadOf reads the settings of a ping under load.
func loadOf(settings map[string]string) (LoadSpec, error) {
	l := LoadSpec{Direction: settings["load_direction"]}
	if text := settings["load_streams"]; text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxStreams {
			return l, fmt.Errorf("load_streams: %s is not a number of streams from 1 to %d", text, maxStreams)
		}
		l.Streams = n
	}
	if l.Direction == "" {
		l.Direction = traffic.Out
	}
	return l, nil
}

// stream is what the load of a ping is asked for: as an application sends it, without a trial, which would change it in
// the midst of the ping's warm-up.
func (s Spec) stream() Spec {
	load := s
	load.Method, load.Streams, load.Direction, load.Load = "stream", s.Load.Streams, s.Load.Direction, LoadSpec{}
	load.Size, load.Every, load.Transport, load.UDP, load.OnSample = 0, 0, "", traffic.UDPOptions{}, nil
	load.Tuning, load.FromCores, load.ToCores, load.FromNodes, load.ToNodes = traffic.Tuning{}, nil, nil, nil, nil
	return load
}

// repeatUnderLoad measures the ping twice: on the idle path, and beside a stream that starts with it and fills the path
// before its window. The repeat's own figures are those under load.
func repeatUnderLoad(ctx context.Context, from, to *agent.Client, s Spec, during func()) (record.Repeat, []record.Sample, error) {
	s.Warmup = max(s.Warmup, loadWarmup)
	alone := s
	alone.Load, alone.Warmup = LoadSpec{}, warmup
	idle, _, err := Repeat(ctx, from, to, alone, nil)
	if err != nil {
		return record.Repeat{}, nil, fmt.Errorf("without the load: %w", err)
	}
	r, samples, err := together(ctx, from, to, s, during)
	if err != nil {
		return r, samples, fmt.Errorf("beside the load: %w", err)
	}
	if err := setIdle(&r, idle); err != nil {
		return r, samples, err
	}
	return r, samples, nil
}

// setIdle adds what the ping measured without its load to the repeat with it.
func setIdle(r *record.Repeat, idle record.Repeat) error {
	r.Load.Idle, r.Load.IdleP50 = idle.Histogram, idle.P50
	for _, q := range []struct {
		text string
		to   *float64
	}{{idle.Histogram, &r.Load.IdleP99}, {r.Histogram, &r.Load.LoadedP99}} {
		h, err := addUp(q.text)
		if err != nil {
			return err
		}
		*q.to = h.Carried(0.99)
	}
	for _, w := range idle.Warnings {
		r.Warnings = append(r.Warnings, "without the load: "+w)
	}
	return nil
}

// together measures a ping and its load at once, in one window.
func together(ctx context.Context, from, to *agent.Client, s Spec, during func()) (record.Repeat, []record.Sample, error) {
	load := s.stream()
	pings, streams := &pairSides{}, &pairSides{}
	pings.a, pings.b = s.sides(from, to)
	streams.a, streams.b = load.sides(from, to)
	streams.first = connections(pings.a.setup)
	all := append(pings.ends(), streams.ends()...)
	both := []*pairSides{streams, pings}
	for i, f := range both {
		for _, e := range f.ends() {
			e.setup.Beside += connections(both[1-i].a.setup)
			e.setup.SocketsOnly = f == streams // the pings' ends look at the hosts
		}
	}
	compared, err := prepareGroup(ctx, both)
	if err != nil {
		stop(ctx, all)
		return record.Repeat{}, nil, err
	}
	var rtt time.Duration
	for _, e := range all {
		rtt = max(rtt, e.client.Clock().RTT)
	}
	now, wall := traffic.Now(), time.Now()
	begin := now + int64(headStart(streams.first+connections(streams.a.setup))+2*rtt+startsTake(compared)+s.Lead)
	open := begin + int64(s.Warmup)
	grace := max(traffic.Grace(s.Method), traffic.Grace(load.Method))
	runCtx, cancel := context.WithTimeout(ctx, time.Duration(open-now)+s.Window+grace+answerDeadline)
	defer cancel()
	samples := &collector{now: now, wall: wall, each: s.OnSample, live: s.Live}
	var wg sync.WaitGroup
	for _, f := range both {
		startPair(runCtx, cancel, &wg, f.a, f.b, begin, samples, f.first)
	}
	if during != nil {
		wg.Go(func() { inWindow(runCtx, open, s.Window, during) })
	}
	seen := lookHere(runCtx, open, open+int64(s.Window), false, all...)
	wg.Wait()
	if err := firstCause(ctx, all); err != nil {
		stop(ctx, all)
		return record.Repeat{}, samples.all, err
	}
	carried, err := join(load, streams.a, streams.b, nil)
	if err != nil {
		return record.Repeat{}, samples.all, err
	}
	r, err := join(s, pings.a, pings.b, seen())
	if err != nil {
		return record.Repeat{}, samples.all, err
	}
	r.Load = &record.LoadRepeat{Goodput: carried.Goodput, Forward: carried.Forward, Backward: carried.Backward}
	r.RetransOut, r.RetransIn = carried.RetransOut, carried.RetransIn
	for _, e := range all {
		if e.note != "" {
			r.Warnings = append(r.Warnings, e.note)
		}
	}
	if carried.Goodput <= 0 {
		r.Warnings = append(r.Warnings, "the load carried nothing: what stands here as loaded is not")
	}
	r.Start = wall.Add(time.Duration(open - now))
	return r, append(samples.all, cpuSamples(r, s.Window)...), nil
}

// summarizeLoad fills what a ping under load has from its repeats: the idle path, what the load carried and what it
// adds, of every repeat the one less the other.
func summarizeLoad(e *record.Experiment) error {
	e.Load = nil
	spec, err := loadOf(e.Settings)
	if err != nil || spec.Streams == 0 {
		return err
	}
	l := &record.Load{Streams: spec.Streams, Direction: spec.Direction, Added: &record.Added{}}
	var idle []string
	var goodput, out, in, p50, p99 []float64
	for _, r := range e.Repeats {
		if r.Load == nil {
			return nil
		}
		idle = append(idle, r.Load.Idle)
		goodput, out, in = append(goodput, r.Load.Goodput), append(out, r.Load.Forward), append(in, r.Load.Backward)
		if r.P50 > 0 && r.Load.IdleP50 > 0 {
			p50 = append(p50, r.P50-r.Load.IdleP50)
		}
		if r.Load.LoadedP99 > 0 && r.Load.IdleP99 > 0 {
			p99 = append(p99, r.Load.LoadedP99-r.Load.IdleP99)
		}
	}
	if l.Idle, err = distribution(idle...); err != nil {
		return err
	}
	for _, of := range []struct {
		values []float64
		to     **record.Estimate
	}{{goodput, &l.Goodput}, {p50, &l.Added.P50}, {p99, &l.Added.P99}} {
		if *of.to, err = estimate(of.values); err != nil {
			return err
		}
	}
	if spec.Direction == traffic.Both {
		if l.Forward, err = estimate(out); err != nil {
			return err
		}
		if l.Backward, err = estimate(in); err != nil {
			return err
		}
	}
	e.Load = l
	return nil
}
