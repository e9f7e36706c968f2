package network

import (
	"context"
	"fmt"
	"sync"

	"linerate/internal/base/method"
	"linerate/internal/record"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
)

// engine is the part of a pair's measurement that depends on the transport: how the ends connect, and how their counts
// are combined.
type engine interface {
	// open opens the data port of one end and connects the other end to it.
	open(ctx context.Context, listener, dialer *remote.End) error
	// await waits, after an end has failed, for the outcome of the other end. over is closed when that one has finished.
	await(ctx context.Context, failed, other *remote.End, over <-chan struct{})
	// join fills in the streams of a repeat of two ends.
	join(r *record.Repeat, s Spec, a, b *remote.End) error
	// joinFlow adds flow i of a group to a repeat, and returns its receiving ends.
	joinFlow(r *record.Repeat, i int, f *flow) ([]receiver, error)
}

// engineOf finds an engine in the table, by the name that both ends use.
func engineOf(name string) engine {
	if e, ok := map[string]engine{method.Latency: sockets{answers: true}, method.RDMA: queuePairs{}}[name]; ok {
		return e
	}
	return sockets{}
}

// sockets are TCP connections or datagrams.
type sockets struct {
	answers bool // each message is answered
}

func (sockets) open(ctx context.Context, listener, dialer *remote.End) error {
	if listener.Experiment, listener.Err = listener.Client.Prepare(ctx, listener.Setup); listener.Err != nil {
		return listener.Err
	}
	port := listener.Experiment
	dialer.Setup.Port, dialer.Setup.Ports, dialer.Setup.Token = port.Port, port.Ports, port.Token
	if dialer.Experiment, dialer.Err = dialer.Client.Prepare(ctx, dialer.Setup); dialer.Err != nil {
		remote.Stop(ctx, []*remote.End{listener})
		listener.Experiment = nil
		return dialer.Err
	}
	return nil
}

// await waits until the other agent is reported gone, where an end only saw a closed connection.
func (sockets) await(ctx context.Context, failed, other *remote.End, _ <-chan struct{}) {
	if remote.ClosedByOther(failed.Err) {
		remote.WaitFor(ctx, other.Client.Gone(), remote.NoticeDeadline)
	}
}

func (e sockets) join(r *record.Repeat, _ Spec, a, b *remote.End) (err error) {
	r.Streams, err = joinStreams(a.Outcome.Streams, b.Outcome.Streams, e.answers)
	return err
}

func (e sockets) joinFlow(r *record.Repeat, i int, f *flow) (all []receiver, err error) {
	if f.spec.Direction != traffic.In {
		all = append(all, receiver{i, false, f.to.Outcome, f.to.Client.Clock().Nanoseconds})
	}
	if f.spec.Direction != traffic.Out {
		all = append(all, receiver{i, true, f.from.Outcome, f.from.Client.Clock().Nanoseconds})
	}
	r.RetransOut = addedCounts(r.RetransOut, f.from.Outcome.Retrans)
	r.RetransIn = addedCounts(r.RetransIn, f.to.Outcome.Retrans)
	effect := inEffect(f.spec, f.from.Outcome.InEffect, f.to.Outcome.InEffect)
	udpInEffect(effect, f.from.Outcome, f.to.Outcome)
	r.InEffect = merged(r.InEffect, effect)
	streams, err := joinStreams(f.from.Outcome.Streams, f.to.Outcome.Streams, e.answers)
	if err != nil {
		return nil, err
	}
	addFlow(r, i, f, streams)
	return all, nil
}

// queuePairs are RDMA.
type queuePairs struct{}

// open creates both ends' queue pairs at the same time: neither needs the other for that.
func (queuePairs) open(ctx context.Context, a, b *remote.End) error {
	ends := []*remote.End{a, b}
	var wg sync.WaitGroup
	for _, e := range ends {
		wg.Go(func() { e.Experiment, e.Err = e.Client.Prepare(ctx, e.Setup) })
	}
	wg.Wait()
	if err := remote.FirstCause(ctx, ends); err != nil {
		remote.Stop(ctx, ends)
		a.Experiment, b.Experiment = nil, nil
		return err
	}
	if a.Experiment.Verbs == nil || b.Experiment.Verbs == nil {
		remote.Stop(ctx, ends)
		return fmt.Errorf("an end says nothing of its pairs; use the same version of linerate on both")
	}
	return joinPairs(ctx, a, b)
}

// await waits for the figures that the other end has until it notices that this one is gone.
func (queuePairs) await(ctx context.Context, _, _ *remote.End, over <-chan struct{}) {
	remote.WaitFor(ctx, over, rdmaNotice)
}

func (queuePairs) join(r *record.Repeat, s Spec, a, b *remote.End) error { return joinRDMA(r, s, a, b) }

// joinFlow counts a WRITE at the end that requests it.
func (queuePairs) joinFlow(r *record.Repeat, i int, f *flow) ([]receiver, error) {
	one, effect, err := joinRDMAFlow(f)
	if err != nil {
		return nil, err
	}
	o := *f.from.Outcome
	o.FirstNS = o.Verbs.ReleasedNS
	r.InEffect = merged(r.InEffect, effect)
	addFlow(r, i, f, one.Streams)
	r.Warnings = append(r.Warnings, one.Warnings...)
	return []receiver{{i, false, &o, f.from.Client.Clock().Nanoseconds}}, nil
}
