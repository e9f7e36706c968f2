package traffic

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// udpEnd is the sockets of one end: a port that is greeted, or connections.
type udpEnd struct {
	port  *udpPort
	wires []*udpWire
}

func prepareUDP(ctx context.Context, s Setup) (*udpEnd, error) {
	u := &udpEnd{}
	var err error
	if s.Listen {
		u.port, err = listenUDP(ctx, s)
	} else {
		u.wires, err = dialUDP(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	return u, nil
}

func (u *udpEnd) ready(r *Ready) {
	if u.port != nil {
		r.Ports, r.Token = u.port.ports, u.port.token
	}
}

func (u *udpEnd) close() {
	if u.port != nil {
		u.port.close()
	}
	for _, w := range u.wires {
		w.close()
	}
}

// runUDP is Run over UDP.
func (e *End) runUDP(ctx, watchCtx context.Context, cancel context.CancelCauseFunc, w window, emit func([]Sample)) (*Outcome, error) {
	u := e.udp
	if u.port != nil {
		waiting, stop := context.WithDeadline(ctx, time.Now().Add(time.Duration(w.open-Now())))
		wires, err := u.port.wait(waiting)
		stop()
		if err != nil {
			return nil, err
		}
		u.wires = wires
	}
	defer reserve(e.threads())()
	tasks := make([]*udpTask, len(u.wires))
	plain := make([]*task, len(u.wires))
	for i, wire := range u.wires {
		tasks[i] = newUDPTask(e.setup, w, i, wire)
		plain[i] = tasks[i].task
	}
	stop := context.AfterFunc(ctx, func() {
		for _, t := range tasks {
			t.udp.interrupt()
		}
	})
	defer stop()
	var seen sight
	var watching, working sync.WaitGroup
	watchCtx, stopWatch := context.WithCancel(watchCtx)
	watching.Go(func() { seen = watch(watchCtx, e.setup, w, plain, emit) })
	for _, t := range tasks {
		working.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					cancel(&Error{Code: CodeInternal, Subject: e.setup.Method, Text: fmt.Sprintf("connection %d: %v", t.index, r)})
				}
			}()
			if err := t.run(ctx); err != nil {
				cancel(err)
			}
		})
	}
	working.Wait()
	if Now() < w.close {
		stopWatch()
	}
	watching.Wait()
	stopWatch()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, errOver) {
		return nil, connectError(e.setup.Method, err)
	}
	o, err := e.udpOutcome(w, tasks, plain)
	if err != nil {
		return nil, err
	}
	o.InEffect.Placement, o.InEffect.Mark = tasks[0].effect.Placement, e.setup.markEffect()
	for _, t := range tasks {
		if t.active() {
			o.InEffect.PaceBy, o.InEffect.PaceWhy, o.InEffect.PaceSpread = t.effect.PaceBy, t.effect.PaceWhy, t.effect.PaceSpread
			break
		}
	}
	if e.setup.Method == "ping" {
		o.InEffect.Wait, o.Clock = inEffect(e.setup, plain, "").Wait, e.clock
	}
	o.see(seen)
	return o, nil
}

// udpOutcome puts together what the tasks counted.
func (e *End) udpOutcome(w window, tasks []*udpTask, plain []*task) (*Outcome, error) {
	o := &Outcome{OpenNS: w.open, CloseNS: w.close, StartNS: w.open, EndNS: w.close, Size: e.size, Slice: float64(w.step) / 1e9}
	if p := e.udp.port; p != nil {
		p.mu.Lock()
		o.Strangers = p.foreign
		p.mu.Unlock()
		if n := o.Strangers; n > 0 {
			o.Warnings = append(o.Warnings, fmt.Sprintf("%d datagrams without the token were ignored at the data ports of %s; another program or host sends there", n, e.setup.Local))
		}
	}
	var counters []*counter
	for _, t := range tasks {
		if !t.active() && e.setup.Method == "stream" {
			counters = append(counters, t.counter)
		}
	}
	var s steady
	if len(counters) > 0 {
		s = cut(w, counters, nil, nil)
		o.FirstNS, o.Head, o.Foot, o.Backlog = firstByte(counters), headMarks(counters), footMarks(w, counters), s.backlog
		o.StartNS, o.EndNS, o.Goodput = s.start, s.end, s.goodput()
		o.Warnings = append(o.Warnings, s.warnings...)
		o.Series = series(w, counters)
	}
	at := 0
	for _, t := range tasks {
		count := t.count
		end := StreamEnd{Index: t.index, Direction: t.setup.direction(t.index), Active: t.active(),
			Sent: t.sent.Load(), Received: t.counter.total.Load(), UDP: &count}
		if !t.active() && len(s.streams) > 0 {
			end.Goodput = s.rate(s.streams[at])
			at++
		}
		o.Streams = append(o.Streams, end)
	}
	if err := o.setTrips(plain); err != nil {
		return nil, err
	}
	return o, nil
}
