package traffic

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// ICMP is the transport of ping that needs no agent at the other end: echo requests (RFC 792, RFC 4443), always as an
// open loop, because a host or switch answers them beside its work and nobody may flood it.
const ICMP = "icmp"

const (
	icmpHeader = 8
	echoTries  = 3
	echoWait   = time.Second
)

// icmpEnd is the sockets of the one end that pings over ICMP, and what is known of the path.
type icmpEnd struct {
	wires []*icmpWire
	mtu   *record.PathMTU
}

// checkICMP says what is wrong with what s asks of ICMP.
func (s Setup) checkICMP() error {
	bad := func(key string, value any, want string) error {
		return &Error{Code: CodeInput, Subject: key, Text: fmt.Sprintf("%v is not %s", value, want)}
	}
	ip := ipv4Header
	if s.Remote.Is6() {
		ip = ipv6Header
	}
	switch size := int64(s.icmpSize()); {
	case s.Method != "ping":
		return bad("transport", s.Transport, "one of "+s.Method)
	case s.Side != From || s.Listen || s.Direction != Out:
		return bad("direction", s.Direction, "possible over icmp, where from asks and the other end has no agent: out")
	case s.Every <= 0:
		return bad("every", s.Every, "a time above 0: over icmp questions are asked at fixed times")
	case s.UDP != (UDPOptions{}):
		return bad("udp", "an option of UDP", "for the transport icmp")
	case size < stampSize:
		return &Error{Code: CodeLimit, Subject: "size", Text: fmt.Sprintf("%d bytes is below %d, what number and time of an echo take; ask for more", size, stampSize)}
	case size > int64(65535-ip-icmpHeader):
		return &Error{Code: CodeLimit, Subject: "size", Text: fmt.Sprintf("%d bytes is above %d, the most of one ICMP echo; ask for less", size, 65535-ip-icmpHeader)}
	}
	return nil
}

// icmpSize is what an echo carries behind its header.
func (s Setup) icmpSize() unit.Bytes {
	if s.Size > 0 {
		return s.Size
	}
	return pingSize(1)
}

func (s Setup) icmpMemory() unit.Bytes {
	return histogramMemory + s.openMemory() + 3*largestDatagram + 2*8*unit.Bytes(newWindow(0, s, 0).slices())
}

// prepareICMP opens a socket for every pair, and looks whether the other end answers before anything is measured.
func prepareICMP(ctx context.Context, s Setup) (_ *icmpEnd, err error) {
	e := &icmpEnd{}
	defer func() {
		if err != nil {
			e.close()
		}
	}()
	for i := range s.Streams {
		w, err := openICMP(s, i)
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

func (e *icmpEnd) close() {
	for _, w := range e.wires {
		w.close()
	}
}

// runICMP is Run over ICMP.
func (e *End) runICMP(ctx, watchCtx context.Context, cancel context.CancelCauseFunc, w window, emit func([]Sample)) (*Outcome, error) {
	defer reserve(e.threads())()
	tasks := make([]*task, len(e.icmp.wires))
	counts := make([]Datagrams, len(tasks))
	for i := range tasks {
		tasks[i] = newTask(e.setup, e.setup.icmpSize(), w, i, nil)
	}
	stop := context.AfterFunc(ctx, func() {
		for _, x := range e.icmp.wires {
			x.interrupt()
		}
	})
	defer stop()
	var seen sight
	var watching, working sync.WaitGroup
	watchCtx, stopWatch := context.WithCancel(watchCtx)
	defer stopWatch()
	watching.Go(func() { seen = watch(watchCtx, e.setup, w, tasks, emit) })
	for i, t := range tasks {
		working.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					cancel(&Error{Code: CodeInternal, Subject: e.setup.Method, Text: fmt.Sprintf("pair %d: %v", t.index, r)})
				}
			}()
			if err := t.runICMP(ctx, e.icmp.wires[i], &counts[i]); err != nil {
				cancel(err)
			}
		})
	}
	working.Wait()
	if Now() < w.close {
		stopWatch()
	}
	watching.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, errOver) {
		return nil, connectError(e.setup.Method, err)
	}
	o := &Outcome{OpenNS: w.open, CloseNS: w.close, StartNS: w.open, EndNS: w.close, Size: e.size, Slice: float64(w.step) / 1e9, Clock: e.clock, PathMTU: e.icmp.mtu}
	for i, t := range tasks {
		o.Streams = append(o.Streams, StreamEnd{Index: i, Direction: Out, Active: true, Sent: t.sent.Load(), Received: t.counter.total.Load(), UDP: &counts[i]})
	}
	if err := o.setTrips(tasks); err != nil {
		return nil, err
	}
	o.InEffect = inEffect(e.setup, tasks, "")
	o.InEffect.Path = e.icmp.wires[0].kind()
	o.see(seen)
	for _, x := range e.icmp.wires {
		if text := x.refusal(); text != "" {
			o.Warnings = append(o.Warnings, text)
			break
		}
	}
	return o, nil
}

func (t *task) runICMP(ctx context.Context, w *icmpWire, count *Datagrams) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	t.ctx, t.seat = ctx, newSeat(t.setup, t.index)
	defer t.seat.leave()
	if t.seat.err != nil {
		return &Error{Code: CodeInput, Subject: "placement", Text: t.seat.err.Error()}
	}
	defer func() { t.effect.Placement = t.seat.text(t.setup) }()
	if !sleepUntil(ctx, t.window.begin) {
		return context.Cause(ctx)
	}
	o, err := askOpenDatagrams(ctx, t, w, w.tag, kindAsk, func(err error) error {
		if Now() >= t.window.close || w.isEnded() {
			return nil
		}
		return connectError(w.peer, err)
	})
	count.Total, count.Sent, count.Received = o.next.Load(), o.sent, o.answered
	return err
}
