package network

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/method"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
	"linerate/internal/traffic/engines"
)

// LoadSpec is the stream that runs during a measurement of latency.
type LoadSpec struct {
	Streams   int    // in each direction; 0: none
	Direction string // of its data: out, in or both
}

// loadWarmup is how long a load runs before the interval of a latency measurement, so that its TCP windows grow and its
// queues fill.
const loadWarmup = time.Second

// loadOf reads the settings of latency under load.
func loadOf(settings map[string]string) (LoadSpec, error) {
	l := LoadSpec{Direction: settings["load_direction"]}
	if text := settings["load_streams"]; text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > experiment.MaxStreams {
			return l, fmt.Errorf("load_streams: %s is not a number of streams from 1 to %d", text, experiment.MaxStreams)
		}
		l.Streams = n
	}
	l.Direction = cmp.Or(l.Direction, traffic.Out)
	return l, nil
}

// stream is the specification of the load: as an application sends it, without a trial, which would change it during
// the warm-up of the latency measurement.
func (s Spec) stream() Spec {
	load := s
	load.Method, load.Streams, load.Direction, load.Load = method.Throughput, s.Load.Streams, s.Load.Direction, LoadSpec{}
	load.Size, load.Every, load.Transport, load.UDP, load.OnSample = 0, 0, "", traffic.UDPOptions{}, nil
	load.Tuning, load.FromCores, load.ToCores, load.FromNodes, load.ToNodes = traffic.Tuning{}, nil, nil, nil, nil
	return load
}

// repeatUnderLoad measures the latency twice: on the idle path, and with a stream that starts with it and fills the
// path before its interval. The repeat's own figures are those under load.
func repeatUnderLoad(ctx context.Context, from, to *agent.Client, s Spec,
	during func()) (record.Repeat, []record.Sample, error) {
	s.Warmup = max(s.Warmup, loadWarmup)
	alone := s
	alone.Load, alone.Warmup = LoadSpec{}, experiment.Warmup
	idle, _, err := Repeat(ctx, from, to, alone, nil)
	if err != nil {
		return record.Repeat{}, nil, fmt.Errorf("without the load: %w", err)
	}
	r, samples, err := underLoad(ctx, from, to, s, during)
	if err != nil {
		return r, samples, fmt.Errorf("next to the load: %w", err)
	}
	if err := setIdle(&r, idle); err != nil {
		return r, samples, err
	}
	return r, samples, nil
}

// setIdle adds the latency without load to the repeat with load.
func setIdle(r *record.Repeat, idle record.Repeat) error {
	r.Load.Idle, r.Load.IdleP50 = idle.Histogram, idle.P50
	for _, q := range []struct {
		text string
		to   *float64
	}{{idle.Histogram, &r.Load.IdleP99}, {r.Histogram, &r.Load.LoadedP99}} {
		h, err := remote.AddHistograms(q.text)
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

// underLoad measures latency and load at once, in one interval.
func underLoad(ctx context.Context, from, to *agent.Client, s Spec,
	during func()) (record.Repeat, []record.Sample, error) {
	load := s.stream()
	pings, streams := &flow{}, &flow{}
	pings.from, pings.to = s.sides(from, to)
	streams.from, streams.to = load.sides(from, to)
	streams.firstStream = connections(pings.from.Setup)
	all := append(pings.ends(), streams.ends()...)
	both := []*flow{streams, pings}
	for i, f := range both {
		for _, e := range f.ends() {
			e.Setup.Background += connections(both[1-i].from.Setup)
			e.Setup.SocketsOnly = f == streams // the ends of the latency measurement observe the hosts
		}
	}
	compared, err := prepareGroup(ctx, both)
	if err != nil {
		remote.Stop(ctx, all)
		return record.Repeat{}, nil, err
	}
	var rtt time.Duration
	for _, e := range all {
		rtt = max(rtt, e.Client.Clock().RTT)
	}
	now, wall := traffic.Now(), time.Now()
	begin := now + int64(
		remote.HeadStart(streams.firstStream+connections(streams.from.Setup))+2*rtt+startDuration(compared)+s.Lead,
	)
	open := begin + int64(s.Warmup)
	grace := max(engines.All().Grace(s.Method), engines.All().Grace(load.Method))
	runCtx, cancel := context.WithTimeout(ctx, time.Duration(open-now)+s.Interval+grace+remote.AnswerDeadline)
	defer cancel()
	samples := &remote.Collector{Now: now, Wall: wall, Each: s.OnSample, Live: s.Live}
	var wg sync.WaitGroup
	for _, f := range both {
		startPair(runCtx, cancel, &wg, f.from, f.to, begin, samples, f.firstStream)
	}
	if during != nil {
		wg.Go(func() { remote.DuringInterval(runCtx, open, s.Interval, during) })
	}
	seen := remote.WatchTasks(runCtx, open, open+int64(s.Interval), false, all...)
	wg.Wait()
	if err := remote.FirstCause(ctx, all); err != nil {
		remote.Stop(ctx, all)
		return record.Repeat{}, samples.All, err
	}
	carried, err := join(load, streams.from, streams.to, nil)
	if err != nil {
		return record.Repeat{}, samples.All, err
	}
	r, err := join(s, pings.from, pings.to, seen())
	if err != nil {
		return record.Repeat{}, samples.All, err
	}
	r.Load = &record.LoadRepeat{Goodput: carried.Goodput, Forward: carried.Forward, Backward: carried.Backward}
	r.RetransOut, r.RetransIn = carried.RetransOut, carried.RetransIn
	for _, e := range all {
		if e.Note != "" {
			r.Warnings = append(r.Warnings, e.Note)
		}
	}
	if carried.Goodput <= 0 {
		r.Warnings = append(r.Warnings, "the load carried nothing: what is here as loaded is not")
	}
	r.Start = wall.Add(time.Duration(open - now))
	return r, append(samples.All, remote.CPUSamples(r, s.Interval)...), nil
}

// summarizeLoad fills in the figures of latency under load from its repeats: the idle path, the goodput of the load,
// and the added latency, as the difference within each repeat.
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
	if l.Idle, err = remote.Distribution(idle...); err != nil {
		return err
	}
	for _, of := range []struct {
		values []float64
		to     **record.Estimate
	}{{goodput, &l.Goodput}, {p50, &l.Added.P50}, {p99, &l.Added.P99}} {
		if *of.to, err = remote.Estimated(of.values); err != nil {
			return err
		}
	}
	if spec.Direction == traffic.Both {
		if l.Forward, err = remote.Estimated(out); err != nil {
			return err
		}
		if l.Backward, err = remote.Estimated(in); err != nil {
			return err
		}
	}
	e.Load = l
	return nil
}
