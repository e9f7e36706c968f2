// Package udp is the engine of bulk transfers and of requests and responses over UDP.
package udp

import (
	"context"
	"fmt"
	"net"
	"time"

	"linerate/internal/base/gomaxprocs"
	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/traffic"
	"linerate/internal/traffic/watch"
)

// Stream is the entry of bulk transfers over UDP.
func Stream() traffic.Entry {
	return traffic.Entry{Method: "throughput", Transport: traffic.UDP, Takes: traffic.Takes{Pace: true, UDP: true},
		NoAmount: "datagrams that are lost are not retransmitted, so that no amount of them comes through for certain; " +
			"measure a time, or use tcp",
		NoSource: "it is for the transport tcp; datagrams come from memory",
		Check:    func(s traffic.Setup) error { return check(s, int(datagramSize(s))) }, Size: datagramSize,
		Drain: 300 * time.Millisecond,
		Memory: func(s traffic.Setup) unit.Bytes {
			one := receiveBatch*traffic.LargestDatagram + seenDatagrams/8 + traffic.SliceMemory(s)
			return one * unit.Bytes(s.Connections())
		},
		Prepare: func(ctx context.Context, s traffic.Endpoint) (traffic.Engine, error) { return prepare(ctx, s, false) }}
}

// Ping is the entry of requests and responses over UDP.
func Ping() traffic.Entry {
	return traffic.Entry{Method: "latency", Transport: traffic.UDP, Takes: traffic.Takes{Every: true, Spin: true,
		UDP: true},
		NoAmount: "it is for throughput; latency takes a time", NoSource: "it is for throughput, not for latency",
		Check: func(s traffic.Setup) error { return check(s, int(traffic.PingMessage(s))) }, Size: traffic.PingMessage,
		Drain: time.Second,
		Memory: func(s traffic.Setup) unit.Bytes {
			one := traffic.HistogramMemory + 2*mostPayload + s.OpenMemory() + traffic.SliceMemory(s)
			return one * unit.Bytes(s.Connections())
		},
		Prepare: func(ctx context.Context, s traffic.Endpoint) (traffic.Engine, error) { return prepare(ctx, s, true) }}
}

// datagramSize returns the size of a message of stream in effect.
func datagramSize(s traffic.Setup) unit.Bytes {
	if s.Size > 0 {
		return s.Size
	}
	return unit.Bytes(fits(s))
}

// options are the settings of a socket.
type options struct {
	traffic.Endpoint
	size unit.Bytes // of a message
	asks bool       // it times round trips; else it counts datagrams
}

// engine is the sockets of one end: ports that are greeted, or connections.
type engine struct {
	traffic.NothingToJoin
	setup options
	port  *port
	wires []*wire
	clock *record.Clock // of the end that asks
}

func prepare(ctx context.Context, s traffic.Endpoint, asks bool) (_ *engine, err error) {
	e := &engine{setup: options{Endpoint: s, size: datagramSize(s.Setup), asks: asks}}
	if asks {
		e.setup.size, e.clock = traffic.PingMessage(s.Setup), traffic.ClockOf(s.Setup)
	}
	if s.Listen {
		e.port, err = listen(ctx, e.setup)
	} else {
		e.wires, err = dial(ctx, e.setup)
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

func (e *engine) Ready(r *traffic.Ready) {
	if e.port != nil {
		r.Ports, r.Token = e.port.ports, e.port.token
	}
}

func (e *engine) Close() {
	if e.port != nil {
		e.port.close()
	}
	for _, w := range e.wires {
		w.Close()
	}
}

func (e *engine) Run(ctx context.Context, x traffic.Execution) (*traffic.Outcome, error) {
	w := x.Interval
	if e.port != nil {
		waiting, stop := context.WithDeadline(ctx, time.Now().Add(time.Duration(w.Open-traffic.Now())))
		wires, err := e.port.wait(waiting)
		stop()
		if err != nil {
			return nil, err
		}
		e.wires = wires
	}
	defer gomaxprocs.Reserve(e.setup.Threads())()
	tasks, plain := make([]*task, len(e.wires)), make([]*traffic.Flow, len(e.wires))
	var workers []watch.Worker
	for i, wire := range e.wires {
		tasks[i] = newTask(e.setup, w, i, wire)
		plain[i] = tasks[i].Flow
		if t := tasks[i]; t.Active() && !t.Asks {
			if err := t.spread(); err != nil {
				return nil, err
			}
		}
		workers = append(workers, watch.Worker{Name: fmt.Sprintf("connection %d", i), Run: tasks[i].OnThread(tasks[i].run)})
	}
	seen, err := watch.Carry(ctx, x, e.setup.Endpoint, e.setup.Method, plain, func() {
		for _, t := range tasks {
			t.udp.interrupt()
		}
	}, workers)
	if err != nil {
		return nil, err
	}
	o, err := e.outcome(w, tasks, plain)
	if err != nil {
		return nil, err
	}
	o.InEffect.Placement, o.InEffect.Mark = tasks[0].Effect.Placement, e.setup.MarkEffect()
	for _, t := range tasks {
		if t.Active() {
			o.InEffect.PaceBy, o.InEffect.PaceWhy, o.InEffect.PaceSpread = t.Effect.PaceBy, t.Effect.PaceWhy, t.Effect.PaceSpread
			break
		}
	}
	if e.setup.asks {
		o.InEffect.Wait, o.Clock = traffic.EffectOf(e.setup.Endpoint, true, plain, "").Wait, e.clock
	}
	seen.Into(o)
	return o, nil
}

// outcome puts together what the tasks counted.
func (e *engine) outcome(w traffic.Interval, tasks []*task, plain []*traffic.Flow) (*traffic.Outcome, error) {
	o := traffic.NewOutcome(w, e.setup.size)
	if p := e.port; p != nil {
		p.mu.Lock()
		o.UnauthenticatedPeers = p.fromOthers
		p.mu.Unlock()
		if n := o.UnauthenticatedPeers; n > 0 {
			o.Warnings = append(o.Warnings, fmt.Sprintf("%d datagrams without the token were ignored at the data ports of %s; "+
				"another program or host sends there", n, e.setup.Local))
		}
	}
	var counters []*traffic.Counter
	for _, t := range tasks {
		if !t.Active() && !t.Asks {
			counters = append(counters, t.Counter)
		}
	}
	var s traffic.Steady
	if len(counters) > 0 {
		s = o.Count(w, counters, nil, nil)
	}
	at := 0
	for _, t := range tasks {
		count := t.count
		end := traffic.StreamEnd{Index: t.Index, Direction: t.Setup.DirectionOf(t.Index), Active: t.Active(),
			Sent: t.Sent.Load(), Received: t.Counter.Total.Load(), UDP: &count}
		if !t.Active() && len(s.Streams) > 0 {
			end.Goodput = s.Rate(s.Streams[at])
			at++
		}
		o.Streams = append(o.Streams, end)
	}
	if err := o.SetRTTSamples(plain); err != nil {
		return nil, err
	}
	return o, nil
}

// NewSimulated makes one end of connections that are not sockets, for simulations.
func NewSimulated(s traffic.Endpoint, asks bool, conns []net.Conn) traffic.Engine {
	e := &engine{setup: options{Endpoint: s, size: datagramSize(s.Setup), asks: asks}}
	if asks {
		e.setup.size = traffic.PingMessage(s.Setup)
	}
	for i, c := range conns {
		e.wires = append(e.wires, newWireOver(c, e.setup, i))
	}
	return e
}
