// Package icmp is the engine of echo requests: round trips to a host that has no agent.
package icmp

import (
	"context"
	"fmt"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/gomaxprocs"
	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/traffic"
	"linerate/internal/traffic/watch"
)

// Ping is the entry of echo requests (RFC 792, RFC 4443), which need no agent at the other end. They are always an open
// loop: a host or switch answers them next to its work and must not be flooded.
func Ping() traffic.Entry {
	return traffic.Entry{Method: "latency", Transport: traffic.ICMP,
		Takes:    traffic.Takes{Every: true, Spin: true, PathMTU: true, LocalChosen: true},
		NoAmount: "it is for throughput; latency takes a time", NoSource: "it is for throughput, not for latency",
		Uninvited: true, Check: check, Size: traffic.PingMessage, Drain: time.Second,
		Memory: func(s traffic.Setup) unit.Bytes {
			return (traffic.HistogramMemory + s.OpenMemory() + 3*traffic.LargestDatagram + traffic.SliceMemory(s)) * unit.Bytes(
				s.Connections(),
			)
		},
		Prepare: func(ctx context.Context, s traffic.Endpoint) (traffic.Engine, error) { return prepare(ctx, s) }}
}

const (
	icmpHeader = 8
	echoTries  = 3
	echoWait   = time.Second
)

// engine is the sockets of the one end that pings over ICMP, and what is known of the path.
type engine struct {
	traffic.NothingToJoin
	setup traffic.Endpoint
	clock *record.Clock
	wires []*wire
	mtu   *record.PathMTU
}

// check reports what is wrong with what s asks of ICMP.
func check(s traffic.Setup) error {
	ip := traffic.Ipv4Header
	if s.Remote.Is6() {
		ip = traffic.Ipv6Header
	}
	switch size := int64(traffic.PingMessage(s)); {
	case s.Side != traffic.From || s.Listen || s.Direction != traffic.Out:
		return traffic.Invalid("direction", s.Direction,
			"possible over icmp, where from asks and the other end has no agent: out")
	case s.Every <= 0:
		return traffic.Invalid("every", s.Every, "a time above 0: over icmp questions are asked at fixed times")
	case size < traffic.StampSize:
		return &failure.Error{Code: failure.CodeLimit, Subject: "size",
			Text: fmt.Sprintf("%d bytes is below %d, what number and time of an echo take; ask for more", size,
				traffic.StampSize)}
	case size > int64(65535-ip-icmpHeader):
		return &failure.Error{Code: failure.CodeLimit, Subject: "size",
			Text: fmt.Sprintf("%d bytes is above %d, the most of one ICMP echo; ask for less", size, 65535-ip-icmpHeader)}
	}
	return nil
}

// prepare opens a socket for every pair, and looks whether the other end answers before anything is measured.
func prepare(ctx context.Context, s traffic.Endpoint) (_ *engine, err error) {
	e := &engine{setup: s, clock: traffic.ReadClock()}
	defer func() {
		if err != nil {
			e.Close()
		}
	}()
	for i := range s.Streams {
		w, err := open(s, i)
		if err != nil {
			return nil, err
		}
		e.wires = append(e.wires, w)
	}
	rtt, err := e.wires[0].firstEcho(ctx)
	if err != nil {
		return nil, err
	}
	if s.PathMTU {
		if e.mtu, err = findPathMTU(ctx, s, rtt); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// Ready adds nothing: no one connects.
func (e *engine) Ready(*traffic.Ready) {}

func (e *engine) Close() {
	for _, w := range e.wires {
		w.close()
	}
}

func (e *engine) Run(ctx context.Context, x traffic.Execution) (*traffic.Outcome, error) {
	w := x.Interval
	defer gomaxprocs.Reserve(e.setup.Threads())()
	tasks := make([]*traffic.Flow, len(e.wires))
	counts := make([]traffic.Datagrams, len(tasks))
	var workers []watch.Worker
	for i := range tasks {
		tasks[i] = traffic.NewFlow(e.setup, true, traffic.PingMessage(e.setup.Setup), w, i)
		workers = append(workers, watch.Worker{Name: fmt.Sprintf("pair %d", i), Run: tasks[i].OnThread(
			func(ctx context.Context) error { return askEchoes(ctx, tasks[i], e.wires[i], &counts[i]) })})
	}
	seen, err := watch.Carry(ctx, x, e.setup, e.setup.Method, tasks, func() {
		for _, c := range e.wires {
			c.interrupt()
		}
	}, workers)
	if err != nil {
		return nil, err
	}
	o := traffic.NewOutcome(w, traffic.PingMessage(e.setup.Setup))
	o.Clock, o.PathMTU = e.clock, e.mtu
	for i, t := range tasks {
		o.Streams = append(o.Streams, traffic.StreamEnd{Index: i, Direction: traffic.Out, Active: true,
			Sent: t.Sent.Load(), Received: t.Counter.Total.Load(), UDP: &counts[i]})
	}
	if err := o.SetRTTSamples(tasks); err != nil {
		return nil, err
	}
	o.InEffect = traffic.EffectOf(e.setup, true, tasks, "")
	o.InEffect.Path = e.wires[0].kind()
	seen.Into(o)
	for _, c := range e.wires {
		if text := c.refusal(); text != "" {
			o.Warnings = append(o.Warnings, text)
			break
		}
	}
	return o, nil
}

// askEchoes does one pair's part.
func askEchoes(ctx context.Context, t *traffic.Flow, w *wire, count *traffic.Datagrams) error {
	if !traffic.SleepUntil(ctx, t.Interval.Begin) {
		return context.Cause(ctx)
	}
	o, err := traffic.AskOpenDatagrams(ctx, t, w, w.tag, traffic.KindAsk, func(err error) error {
		if traffic.Now() >= t.Interval.Close || w.IsEnded() {
			return nil
		}
		return failure.Of(w.peer, err)
	})
	count.Total, count.Sent, count.Received = o.Next.Load(), o.Sent, o.Answered
	return err
}
