package network

import (
	"context"
	"fmt"
	"sync"
	"time"

	"linerate/internal/agent"
	"linerate/internal/record"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
	"linerate/internal/traffic/engines"
)

// RepeatICMP is Repeat over ICMP with one agent: nothing of linerate runs at the other end.
func RepeatICMP(ctx context.Context, from *agent.Client, s Spec,
	during func()) (record.Repeat, []record.Sample, error) {
	a := &remote.End{
		Name:   traffic.From,
		Host:   s.FromHost,
		Client: from,
		Setup: traffic.Setup{Method: s.Method, Side: traffic.From, Direction: traffic.Out,
			Streams: max(1, s.Streams), Size: s.Size, Warmup: s.Warmup, Interval: s.Interval, Local: s.FromAddr,
			Remote: s.ToAddr, Device: s.FromDevice, Seed: s.Seed, Every: s.Every, Transport: traffic.ICMP,
			Samples: s.Samples, PathMTU: s.PathMTU, Tuning: traffic.Tuning{Spin: s.Tuning.Spin, Cores: s.FromCores}},
	}
	if a.Host == "" {
		a.Host = from.Host()
	}
	ends := []*remote.End{a}
	preparing, cancelPrepare := context.WithTimeout(ctx, prepareDeadline)
	defer cancelPrepare()
	if err := from.Sync(preparing); err != nil {
		return record.Repeat{}, nil, err
	}
	var err error
	if a.Experiment, err = from.Prepare(preparing, a.Setup); err != nil {
		return record.Repeat{}, nil, err
	}
	now, wall := traffic.Now(), time.Now()
	begin := now + int64(remote.HeadStart(a.Setup.Streams)+2*from.Clock().RTT+s.Lead)
	open := begin + int64(s.Warmup)
	runCtx, cancel := context.WithTimeout(ctx,
		time.Duration(open-now)+s.Interval+engines.All().Grace(s.Method)+remote.AnswerDeadline)
	defer cancel()
	samples := &remote.Collector{Now: now, Wall: wall, Each: s.OnSample, Live: s.Live}
	var wg sync.WaitGroup
	wg.Go(func() {
		a.Outcome, a.Err = a.Experiment.Start(runCtx, begin+from.Clock().Nanoseconds, samples.From(a, 0))
		if a.Err != nil {
			cancel()
		}
	})
	if during != nil {
		wg.Go(func() { remote.DuringInterval(runCtx, open, s.Interval, during) })
	}
	wg.Wait()
	if err := remote.FirstCause(ctx, ends); err != nil {
		remote.Stop(ctx, ends)
		return record.Repeat{}, samples.All, err
	}
	r, err := joinICMP(a)
	if err != nil {
		return record.Repeat{}, samples.All, err
	}
	r.Start = wall.Add(time.Duration(open - now))
	return r, append(samples.All, remote.CPUSamples(r, s.Interval)...), nil
}

// joinICMP makes a repeat from the result of the one end.
func joinICMP(a *remote.End) (record.Repeat, error) {
	o := a.Outcome
	r := record.Repeat{Slice: o.Slice, Seconds: float64(o.EndNS-o.StartNS) / 1e9, BusyFrom: o.Busy, PathMTU: o.PathMTU}
	for _, e := range o.Streams {
		if e.UDP == nil || !e.Active || e.UDP.Received > e.UDP.Sent {
			return r, fmt.Errorf("%s: its answer is none of an ICMP ping", a.Host)
		}
		lost := e.UDP.Sent - e.UDP.Received
		r.Streams = append(
			r.Streams,
			record.Stream{Index: e.Index, Direction: e.Direction, RTTSamples: e.RTTSamples,
				UDP: record.UDP{Datagrams: &e.UDP.Sent, Lost: &lost}},
		)
	}
	if err := joinPing(&r, a); err != nil {
		return r, err
	}
	for _, w := range o.Warnings {
		r.Warnings = append(r.Warnings, a.Host+": "+w)
	}
	if o.CPU.Unknown != "" {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s: CPU time is not known in full: %s", a.Host, o.CPU.Unknown))
	}
	if o.CPU.User != nil {
		r.CPU = append(
			r.CPU,
			record.CPU{Host: a.Host, Core: -1, User: *o.CPU.User, System: *o.CPU.System,
				Threads: remote.ThreadsOf([]*remote.End{a}, nil)},
		)
	}
	r.CPU = append(r.CPU, remote.CoresOf(a.Host, o.CPU)...)
	remote.FlagOtherWork(&r, remote.Known(o.CPU.OtherProcesses), remote.OtherWorkLimit)
	remote.FlagSteal(&r, a.Host)
	r.Unknown = remote.Unknowns([]*remote.End{a}, nil)
	remote.FlagClocks(&r, []*remote.End{a})
	r.InEffect = map[string]string{"transport": traffic.ICMP, "icmp_socket": o.InEffect.Path, "wait": o.InEffect.Wait,
		"size": fmt.Sprintf("%d B", int64(o.Size)), "every": a.Setup.Every.String()}
	return r, nil
}
