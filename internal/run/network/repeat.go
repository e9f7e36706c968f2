package network

import (
	"cmp"
	"context"
	"sync"
	"time"

	"linerate/internal/agent"
	"linerate/internal/record"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
	"linerate/internal/traffic/engines"
)

// Repeat measures once between two agents. during, if not nil, is called several times in the steady interval,
// sequentially, and has returned when Repeat does. The caller sets Index, and the experiment and repeat of the samples.
// After an error nothing is left running at either end.
func Repeat(ctx context.Context, from, to *agent.Client, s Spec,
	during func()) (record.Repeat, []record.Sample, error) {
	if s.Load.Streams > 0 {
		return repeatUnderLoad(ctx, from, to, s, during)
	}
	a, b := s.sides(from, to)
	ends := []*remote.End{a, b}
	if err := prepare(ctx, a, b); err != nil {
		return record.Repeat{}, nil, err
	}
	var rtt time.Duration
	for _, e := range ends {
		rtt = max(rtt, e.Client.Clock().RTT)
	}
	now, wall := traffic.Now(), time.Now()
	begin := now + int64(remote.HeadStart(connections(a.Setup))+2*rtt+s.Lead)
	open := begin + int64(s.Warmup)
	runCtx, cancel := context.WithTimeout(ctx,
		time.Duration(open-now)+s.Interval+engines.All().Grace(s.Method)+remote.AnswerDeadline)
	defer cancel()

	samples := &remote.Collector{Now: now, Wall: wall, Each: s.OnSample, Live: s.Live}
	var wg sync.WaitGroup
	startPair(runCtx, cancel, &wg, a, b, begin, samples, 0)
	seen := remote.WhileMeasuring(runCtx, s.Interval, s.Amount > 0, open, during, &wg, a, b)
	all := samples.All
	err := remote.FirstCause(ctx, ends)
	if ctx.Err() == nil {
		err = cmp.Or(brokenBy(s, err, ends), err)
	}
	if err != nil {
		remote.Stop(ctx, ends)
		return record.Repeat{}, all, err
	}
	r, err := join(s, a, b, seen)
	if err != nil {
		return record.Repeat{}, all, err
	}
	for _, e := range ends {
		if e.Note != "" {
			r.Warnings = append(r.Warnings, e.Note)
		}
	}
	r.Start = wall.Add(time.Duration(open - now))
	return r, append(all, remote.CPUSamples(r, s.Interval)...), nil
}

// prepareDeadline is the limit of opening the connections of a repeat, beyond Setup.OpeningTime.
const prepareDeadline = 20 * time.Second

// prepare compares clocks and opens the data connections.
func prepare(ctx context.Context, a, b *remote.End) error {
	ctx, cancel := context.WithTimeout(ctx, prepareDeadline+a.Setup.OpeningTime())
	defer cancel()
	var wg sync.WaitGroup
	for _, e := range []*remote.End{a, b} {
		wg.Go(func() { e.Err = e.Client.Sync(ctx) })
	}
	wg.Wait()
	if a.Err != nil || b.Err != nil {
		return remote.FirstCause(ctx, []*remote.End{a, b})
	}
	return connectPair(ctx, a, b)
}

// connectPair opens the data port at one end and all connections from the other.
func connectPair(ctx context.Context, a, b *remote.End) error {
	listener, dialer := b, a
	if a.Setup.Listen {
		listener, dialer = a, b
	}
	var err error
	listener.Note, err = connectSides(ctx, listener, dialer)
	return err
}
