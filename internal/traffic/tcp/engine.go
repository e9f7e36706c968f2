// Package tcp is the engine of bulk transfers and of requests and responses over TCP.
package tcp

import (
	"context"
	"fmt"
	"slices"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/gomaxprocs"
	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/traffic"
	"linerate/internal/traffic/watch"
)

// Stream is the entry of bulk transfers over TCP.
func Stream() traffic.Entry {
	return traffic.Entry{Method: "throughput", Transport: traffic.TCP, Takes: traffic.Takes{Pace: true},
		Check: traffic.Setup.CheckPort,
		Size:  streamMessage, Memory: streamMemory, Drain: 300 * time.Millisecond,
		Prepare: func(ctx context.Context, s traffic.Endpoint) (traffic.Engine, error) {
			return prepare(ctx, s, streaming, Variant{})
		}}
}

// Ping is the entry of requests and responses over TCP.
func Ping() traffic.Entry {
	return traffic.Entry{Method: "latency", Transport: traffic.TCP, Takes: traffic.Takes{Every: true, Spin: true},
		Check:    traffic.Setup.CheckPort,
		NoAmount: "it is for throughput; latency takes a time", NoSource: "it is for throughput, not for latency",
		Size: traffic.PingMessage, Memory: pingMemory, Drain: time.Second,
		Prepare: func(ctx context.Context, s traffic.Endpoint) (traffic.Engine, error) {
			return prepare(ctx, s, pinging, Variant{})
		}}
}

// service has what the two ends of a connection do for a method.
type service struct {
	active, passive func(*task) error
	asks            bool // round trips are timed; else bytes are counted
	noDelay         bool // TCP_NODELAY: a message is sent at once, instead of filling packets
}

var (
	streaming = service{active: send, passive: receive}
	pinging   = service{active: ask, passive: answer, asks: true, noDelay: true}
)

// Variant is what a protocol that programs use like TCP changes of a stream.
type Variant struct {
	Multipath bool // MPTCP, where both hosts have it
	// Kernel is the kernel's view of a connection, in place of TCP_INFO; nil: TCP_INFO.
	Kernel func(w *Wire, index int) traffic.Kernel
}

// PrepareStream opens one end of a stream over a variant of TCP.
func PrepareStream(ctx context.Context, s traffic.Endpoint, v Variant) (traffic.Engine, error) {
	return prepare(ctx, s, streaming, v)
}

// engine is one end of connections over TCP: a data port that waits for them, or the connections.
type engine struct {
	traffic.NothingToJoin
	setup   traffic.Endpoint
	service service
	variant Variant
	size    unit.Bytes
	port    *Port         // of the listening end
	wires   []*Wire       // of the other
	clock   *record.Clock // of the end that asks
	source  *source       // nil: memory
}

func prepare(ctx context.Context, s traffic.Endpoint, what service, v Variant) (_ *engine, err error) {
	e := &engine{setup: s, service: what, variant: v, size: traffic.PingMessage(s.Setup)}
	if !what.asks {
		e.size = streamMessage(s.Setup)
	}
	if e.source, err = openSource(s); err != nil {
		return nil, err
	}
	if what.asks {
		e.clock = traffic.ClockOf(s.Setup)
	}
	sockets := SocketOptions{NoDelay: what.noDelay, Multipath: v.Multipath}
	if s.Listen {
		e.port, err = listen(ctx, s, sockets)
	} else {
		e.wires, err = dial(ctx, s, sockets)
	}
	if err != nil {
		e.source.close()
		return nil, err
	}
	return e, nil
}

func (e *engine) Ready(r *traffic.Ready) {
	if e.port != nil {
		r.Port, r.Token = e.port.Number(), e.port.Token
	}
}

func (e *engine) Close() {
	if e.port != nil {
		e.port.Close()
	}
	for _, w := range e.wires {
		w.Close()
	}
	e.source.close()
}

func (e *engine) Run(ctx context.Context, x traffic.Execution) (*traffic.Outcome, error) {
	w := x.Interval
	wires := e.wires
	if e.port != nil {
		waiting, stop := context.WithDeadline(ctx, time.Now().Add(time.Duration(w.Open-traffic.Now())))
		var err error
		wires, err = e.port.Wait(waiting)
		stop()
		if err != nil {
			return nil, err
		}
	}
	defer gomaxprocs.Reserve(e.setup.Threads())()
	tasks, plain := make([]*task, len(wires)), make([]*traffic.Flow, len(wires))
	var workers []watch.Worker
	for i, c := range wires {
		t := newTask(e.setup, e.service, e.size, w, i, c)
		t.source = e.source
		if e.variant.Kernel != nil {
			t.Kernel = e.variant.Kernel(c, i)
		}
		if t.Active() && !t.Asks {
			if err := t.setPace(); err != nil {
				return nil, err
			}
		}
		tasks[i], plain[i] = t, t.Flow
		workers = append(workers, watch.Worker{Name: fmt.Sprintf("connection %d", i),
			Run: t.OnThread(func(ctx context.Context) error { return t.run(ctx, e.service) })})
	}
	choice := func() string { return "" }
	if !e.service.asks {
		choice = shareTrial(e.setup.Setup, w, tasks)
	}
	watched, err := watch.Carry(ctx, x, e.setup, e.setup.Method, plain, func() {
		for _, t := range tasks {
			t.wire.Interrupt()
		}
	}, workers)
	if err != nil {
		return nil, err
	}
	if err := e.complete(tasks); err != nil {
		return nil, err
	}
	o, err := e.outcome(w, tasks, plain, watched)
	if err != nil {
		return nil, err
	}
	o.InEffect, o.Clock = traffic.EffectOf(e.setup, e.service.asks, plain, choice()), e.clock
	e.sourceEffect(o, watched)
	watched.Into(o)
	return o, nil
}

// outcome puts together what the tasks counted.
func (e *engine) outcome(w traffic.Interval, tasks []*task, plain []*traffic.Flow,
	watched watch.Sight) (*traffic.Outcome, error) {
	o := traffic.NewOutcome(w, e.size)
	if e.port != nil {
		o.Refused(e.port.UnauthenticatedPeers(), e.port.Listener.Addr())
	}
	counters := make([]*traffic.Counter, 0, len(tasks))
	for _, t := range tasks {
		if !t.Active() {
			counters = append(counters, t.Counter)
		}
	}
	var s traffic.Steady
	switch {
	case w.Whole:
		o.Transfer(w, counters)
	case !e.service.asks && len(counters) > 0:
		s = o.Count(w, counters, watched.Begin, watched.End)
		if text := traffic.Stall(o.Series, time.Duration(w.Step)); text != "" && e.setup.Pace == 0 {
			o.Warnings = append(o.Warnings, text)
		}
	}
	for _, t := range tasks {
		end := traffic.StreamEnd{Index: t.Index, Direction: t.Setup.DirectionOf(t.Index), Active: t.Active(),
			Sent: t.Sent.Load(), Received: t.Counter.Total.Load(), Drained: t.wire.drained, Socket: t.Socket()}
		if i := slices.Index(counters, t.Counter); i >= 0 && len(s.Streams) > 0 {
			end.Goodput = s.Rate(s.Streams[i])
		}
		if w.Whole && !t.Active() {
			end.Goodput = traffic.Over(end.Received, w.Begin, t.Counter.Last)
		}
		o.Streams = append(o.Streams, end)
	}
	if err := o.SetRTTSamples(plain); err != nil {
		return nil, err
	}
	return o, nil
}

// complete returns an error if an amount did not arrive in time.
func (e *engine) complete(tasks []*task) error {
	if e.setup.Amount == 0 {
		return nil
	}
	var want, have int64
	missing := 0
	verb := "sent"
	for _, t := range tasks {
		n := t.Sent.Load()
		if !t.Active() {
			n, verb = t.Counter.Total.Load(), "received"
		}
		want, have = want+t.share, have+n
		if n < t.share {
			missing++
		}
		if n > t.share {
			return &failure.Error{Code: failure.CodeInternal, Subject: "amount",
				Text: fmt.Sprintf("stream %d: %d bytes of %d", t.Index, n, t.share)}
		}
	}
	if missing == 0 {
		return nil
	}
	return &failure.Error{Code: failure.CodeTimeout, Subject: "amount", Text: fmt.Sprintf(
		"%s of %s were %s within the limit of %v; ask for less, or for more time (--time)",
		unit.Bytes(have).Like(unit.Bytes(want)), unit.Bytes(want), verb, e.setup.Interval)}
}

// sourceEffect puts what was sent, and where it came from, into an outcome.
func (e *engine) sourceEffect(o *traffic.Outcome, w watch.Sight) {
	if e.source == nil {
		return
	}
	var read *int64
	if w.Reads[0] != nil && w.Reads[1] != nil {
		n := *w.Reads[1] - *w.Reads[0]
		read = &n
	}
	step := int64(o.InEffect.SendBuffer) * int64(e.setup.Streams)
	o.InEffect.Source, o.InEffect.SourceDevice = e.source.String(), e.source.on
	o.InEffect.SourceFrom = e.source.from(read, w.Sent[1]-w.Sent[0], step, e.setup.Background)
}

// streamMessage returns the size of a message in effect.
func streamMessage(s traffic.Setup) unit.Bytes {
	if s.Size > 0 {
		return s.Size
	}
	return streamSize(s.Connections())
}

// receiveBuffer is the least buffer of a receiver of gathered messages.
const receiveBuffer = 256 * unit.KiB

func streamMemory(s traffic.Setup) unit.Bytes {
	trial := unit.Bytes(0) // the largest buffer that a trial may choose
	if s.Tuning.Trial {
		trial = largestBufferOf(s)
	}
	return (2*max(streamMessage(s), receiveBuffer, trial) + traffic.SliceMemory(s)) * unit.Bytes(s.Connections())
}

func pingMemory(s traffic.Setup) unit.Bytes {
	one := 2*max(traffic.PingMessage(s), receiveBuffer) + traffic.SliceMemory(s) + traffic.HistogramMemory + s.OpenMemory()
	return one * unit.Bytes(s.Connections())
}
