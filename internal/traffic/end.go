package traffic

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// End is one end of an experiment that was prepared: a data port that waits for connections, or connections.
type End struct {
	setup  Setup
	method Method
	size   unit.Bytes
	port   *port         // of the listening end
	wires  []*wire       // of the other
	udp    *udpEnd       // in place of both, over UDP
	icmp   *icmpEnd      // over ICMP
	verbs  *verbsEnd     // over RDMA
	halo   *haloEnd      // of halo
	clock  *record.Clock // of ping's end that asks
	source *source       // nil: memory

	mu      sync.Mutex
	started bool
	closed  bool
	running sync.WaitGroup
	cancel  context.CancelCauseFunc
}

// Prepare opens the data port, or every connection to that of the other end. What is returned must be closed.
// Errors are of type *Error.
func Prepare(ctx context.Context, s Setup) (*End, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	m, err := method(s.Method)
	if err != nil {
		return nil, err
	}
	if err := checkFiles(s.connections()); err != nil {
		return nil, err
	}
	if err := s.place(sysfs); err != nil {
		return nil, err
	}
	e := &End{setup: s, method: m, size: s.message(m)}
	if e.source, err = openSource(s); err != nil {
		return nil, err
	}
	if s.Method == "ping" && (s.active(0) || s.Direction == Both) {
		e.clock = readClock()
	}
	if s.Method == "halo" {
		e.halo, err = prepareHalo(ctx, s)
	} else if s.Transport == UDP {
		e.udp, err = prepareUDP(ctx, s)
	} else if s.Transport == ICMP {
		e.icmp, err = prepareICMP(ctx, s)
	} else if s.Transport == RDMA {
		e.verbs, err = prepareVerbs(ctx, s)
	} else if s.Listen {
		e.port, err = listen(ctx, s)
	} else {
		e.wires, err = dial(ctx, s)
	}
	if err != nil {
		e.source.close()
		return nil, connectError(s.Local.String()+" -> "+s.Remote.String(), err)
	}
	return e, nil
}

// Ready is what the other end and the controller need to know.
func (e *End) Ready() Ready {
	r := Ready{Size: e.size}
	if e.udp != nil {
		e.udp.ready(&r)
	}
	if e.port != nil {
		r.Port, r.Token = e.port.number(), e.port.token
	}
	if e.verbs != nil {
		r.Verbs = &e.verbs.own
	}
	if e.halo != nil {
		r.Halo = e.halo.ready()
	}
	return r
}

// Join gives an end of verbs the other end's numbers, as its Ready has them, and connects the pairs. It comes between
// Prepare and Run; of other methods nothing is to be joined.
func (e *End) Join(ctx context.Context, peer VerbsPeer) error {
	e.mu.Lock()
	if e.verbs == nil || e.started || e.closed {
		e.mu.Unlock()
		return &Error{Code: CodeInput, Subject: e.setup.Method, Text: "there is nothing to join, or it was started or closed before"}
	}
	e.running.Add(1)
	e.mu.Unlock()
	defer e.running.Done()
	return e.verbs.join(ctx, peer)
}

// JoinHalo gives an end of halo what all its ends said, in the order of their hosts, and connects the processes. It comes between
// Prepare and Run.
func (e *End) JoinHalo(ctx context.Context, peers []HaloPeer) error {
	e.mu.Lock()
	if e.halo == nil || e.started || e.closed {
		e.mu.Unlock()
		return &Error{Code: CodeInput, Subject: e.setup.Method, Text: "there is nothing to join, or it was started or closed before"}
	}
	e.running.Add(1)
	e.mu.Unlock()
	defer e.running.Done()
	return e.halo.join(ctx, peers)
}

// Close ends what runs, and closes the port and every connection. It may be called at any time and more than once.
func (e *End) Close() {
	e.mu.Lock()
	e.closed = true
	cancel := e.cancel
	e.mu.Unlock()
	if cancel != nil {
		cancel(&Error{Code: CodeStopped, Text: "stopped"})
	}
	if e.verbs != nil {
		e.verbs.close() // it ends what waits for it, too
	}
	if e.halo != nil && e.halo.verbs != nil {
		e.halo.verbs.close()
	}
	e.running.Wait()
	if e.halo != nil {
		e.halo.close()
	}
	if e.icmp != nil {
		e.icmp.close()
	}
	if e.udp != nil {
		e.udp.close()
	}
	if e.port != nil {
		e.port.close()
	}
	for _, w := range e.wires {
		w.close()
	}
	e.source.close()
}

// Run carries the experiment out: the first byte at begin on this process's clock, then warm-up and window. emit gets
// samples, at most ten times a second, from one goroutine. Errors are of type *Error; an End runs once.
func (e *End) Run(ctx context.Context, begin int64, emit func([]Sample)) (*Outcome, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	e.mu.Lock()
	if e.started || e.closed {
		e.mu.Unlock()
		return nil, &Error{Code: CodeInput, Subject: e.setup.Method, Text: "it was started or closed before"}
	}
	e.started, e.cancel = true, cancel
	e.running.Add(1)
	e.mu.Unlock()
	defer e.running.Done()

	w := newWindow(begin, e.setup, e.method.drain)
	if late := Now() - w.open; late > 0 {
		return nil, &Error{Code: CodeLate, Subject: e.setup.Method,
			Text: fmt.Sprintf("the start came %v after the beginning of the window; the control channel is slow", time.Duration(late))}
	}
	watchCtx := ctx // on a host that is very busy it may look at its clocks only after the deadline
	ctx, stopTimer := context.WithDeadlineCause(ctx, time.Now().Add(time.Duration(w.deadline-Now())), errOver)
	defer stopTimer()
	if e.icmp != nil {
		return e.runICMP(ctx, watchCtx, cancel, w, emit)
	}
	if e.halo != nil && e.halo.verbs != nil {
		return e.runHaloVerbs(ctx, watchCtx, w, emit)
	}
	if e.halo != nil {
		return e.runHalo(ctx, watchCtx, cancel, w, emit)
	}
	if e.verbs != nil {
		return e.runVerbs(ctx, watchCtx, cancel, w, emit)
	}
	if e.udp != nil {
		return e.runUDP(ctx, watchCtx, cancel, w, emit)
	}
	wires := e.wires
	if e.port != nil {
		waiting, stop := context.WithDeadline(ctx, time.Now().Add(time.Duration(w.open-Now())))
		var err error
		wires, err = e.port.wait(waiting)
		stop()
		if err != nil {
			return nil, err
		}
	}
	defer reserve(e.threads())()
	tasks := make([]*task, len(wires))
	for i, c := range wires {
		tasks[i] = newTask(e.setup, e.size, w, i, c)
		tasks[i].source = e.source
	}
	choice := shareTrial(e.setup, w, tasks)
	watched, err := e.runTasks(ctx, watchCtx, cancel, w, tasks, emit)
	if err != nil {
		return nil, err
	}
	if err := e.complete(tasks); err != nil {
		return nil, err
	}
	o, err := e.outcome(w, tasks, watched)
	if err != nil {
		return nil, err
	}
	o.InEffect, o.Clock = inEffect(e.setup, tasks, choice()), e.clock
	e.sourceEffect(o, watched)
	o.see(watched)
	return o, nil
}

// threads is how many this end's part needs at once: in an open loop two for each pair that asks.
func (e *End) threads() int {
	n := e.setup.connections() + e.setup.Beside
	if e.setup.Every > 0 {
		n += e.setup.connections()
	}
	return n
}

// errOver is why what still runs at the deadline ends; it is no failure.
var errOver = errors.New("the time of the experiment is over")

// runTasks runs all connections, and the watch beside them. The first failure ends all.
func (e *End) runTasks(ctx, watchCtx context.Context, cancel context.CancelCauseFunc, w window, tasks []*task, emit func([]Sample)) (sight, error) {
	stop := context.AfterFunc(ctx, func() {
		for _, t := range tasks {
			t.wire.interrupt()
		}
	})
	defer stop()
	var watched sight
	var watching, working sync.WaitGroup
	watching.Add(1)
	watchCtx, stopWatch := context.WithCancel(watchCtx)
	go func() {
		defer watching.Done()
		watched = watch(watchCtx, e.setup, w, tasks, emit)
	}()
	for _, t := range tasks {
		working.Add(1)
		go func() {
			defer working.Done()
			defer func() {
				if r := recover(); r != nil {
					cancel(&Error{Code: CodeInternal, Subject: e.setup.Method, Text: fmt.Sprintf("connection %d: %v", t.index, r)})
				}
			}()
			if err := t.run(ctx, e.method); err != nil {
				cancel(err)
			}
		}()
	}
	working.Wait()
	if Now() < w.close {
		stopWatch()
	}
	watching.Wait()
	stopWatch()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, errOver) {
		return watched, connectError(e.setup.Method, err)
	}
	return watched, nil
}

// outcome puts together what the tasks counted.
func (e *End) outcome(w window, tasks []*task, watched sight) (*Outcome, error) {
	o := &Outcome{OpenNS: w.open, CloseNS: w.close, StartNS: w.open, EndNS: w.close, Size: e.size, Slice: float64(w.step) / 1e9}
	if e.port != nil {
		o.Strangers = e.port.strangers()
		if n := o.Strangers; n > 0 {
			o.Warnings = append(o.Warnings, fmt.Sprintf("%d connections without the token were refused at %s; another program or host knocks there", n, e.port.listener.Addr()))
		}
	}
	counters := make([]*counter, 0, len(tasks))
	for _, t := range tasks {
		if !t.active() {
			counters = append(counters, t.counter)
		}
	}
	var s steady
	switch {
	case w.whole:
		o.transfer(w, counters)
	case e.setup.Method == "stream" && len(counters) > 0:
		s = cut(w, counters, watched.begin, watched.end)
		o.FirstNS, o.Head, o.Foot, o.Backlog = firstByte(counters), headMarks(counters), footMarks(w, counters), s.backlog
		o.StartNS, o.EndNS, o.Goodput = s.start, s.end, s.goodput()
		o.Warnings = append(o.Warnings, s.warnings...)
		o.Series = series(w, counters)
		if text := stall(o.Series, time.Duration(w.step)); text != "" && e.setup.Pace == 0 {
			o.Warnings = append(o.Warnings, text)
		}
	}
	for _, t := range tasks {
		end := StreamEnd{
			Index: t.index, Direction: t.setup.direction(t.index), Active: t.active(),
			Sent: t.sent.Load(), Received: t.counter.total.Load(), Drained: t.wire.drained,
			Socket: t.socket(),
		}
		if i := slices.Index(counters, t.counter); i >= 0 && len(s.streams) > 0 {
			end.Goodput = s.rate(s.streams[i])
		}
		if w.whole && !t.active() {
			end.Goodput = over(end.Received, w.begin, t.counter.last)
		}
		o.Streams = append(o.Streams, end)
	}
	if err := o.setTrips(tasks); err != nil {
		return nil, err
	}
	return o, nil
}

// series is what all counters received in each slice, in bits per second; a last slice that the window cuts short is
// scaled to its length.
func series(w window, counters []*counter) []float64 {
	out := make([]float64, w.slices())
	for i := range out {
		length := min(w.step, w.close-w.open-int64(i)*w.step)
		for _, c := range counters {
			out[i] += float64(c.slices[i].Load())
		}
		out[i] *= 8 / (float64(length) / 1e9)
	}
	return out
}
