package traffic

import (
	"context"
	"errors"
	"runtime"
	"syscall"
	"time"

	"linerate/internal/base/unit"
)

var (
	errNoAnswer = errors.New("no answer in time")
	errEnded    = errors.New("ended")
)

// ends is how often the end of a stream is announced, endEvery how long after one another: one of them arrives on any
// path that is worth measuring; where none does, the receiver waits for its deadline.
const (
	ends     = 3
	endEvery = 2 * time.Millisecond
)

// udpTask is what one end does with one UDP connection.
type udpTask struct {
	*task
	udp   *udpWire
	count Datagrams
	seq   *sequence
}

func newUDPTask(s Setup, w window, index int, wire *udpWire) *udpTask {
	t := &udpTask{task: newTask(s, s.udpSize(), w, index, nil), udp: wire}
	t.count.Send, t.count.Receive, t.count.PerCall = wire.sendMode, wire.receiveMode, wire.perCall
	if !t.active() && s.Method == "stream" {
		t.seq = newSequence()
	}
	return t
}

// work is the connection's part of the method.
func (t *udpTask) work() error {
	switch {
	case t.setup.Method == "ping" && t.active():
		return t.ask()
	case t.setup.Method == "ping":
		return t.answer()
	case t.active():
		t.count.Receive = ""
		return t.send()
	}
	t.count.Send, t.count.PerCall = "", 0
	return t.receive()
}

// send hands datagrams over until the end, which is past the window, and then says how many there were in the window.
func (t *udpTask) send() error {
	size := int(t.size)
	// The program keeps the mean; what spaces the datagrams of one call, if there is something, only makes them even.
	p := newPacer(t.setup.Pace, t.window.begin)
	if err := t.spread(); err != nil {
		return err
	}
	most := max(1, p.message(t.udp.perCall*size)/size)
	buf := t.payload(t.size * unit.Bytes(most))
	d := stamp{kind: kindData, index: t.index, tag: t.udp.tag}
	for {
		p.wait(t.sent.Load(), t.window.stop)
		now := Now()
		if now >= t.window.stop {
			break
		}
		d.time, d.window = now, now >= t.window.open && now < t.window.close
		for i := range most {
			d.number = t.count.Total + int64(i)
			d.put(buf[i*size:])
		}
		n, err := t.udp.send(buf, most)
		t.sent.Add(int64(n * size))
		t.count.Total += int64(n)
		if d.window {
			t.count.Sent += int64(n)
		}
		if err != nil {
			return t.failed(err)
		}
	}
	d = stamp{kind: kindEnd, index: t.index, tag: t.udp.tag, number: t.count.Sent, time: Now()}
	d.put(buf)
	for range ends {
		if _, err := t.udp.one(buf[:stampSize]); err != nil {
			return t.failed(err)
		}
		time.Sleep(endEvery)
	}
	return nil
}

// receive counts until everything is in that the sender says it sent in its window, or until the deadline.
func (t *udpTask) receive() error {
	announced := int64(-1)
	var bytes int64
	each := func(b []byte, now int64) {
		d, ok := parseStamp(b)
		if !ok || d.index != t.index || d.tag != t.udp.tag {
			return
		}
		switch d.kind {
		case kindData:
			if t.seq.add(d, now) {
				bytes += int64(len(b))
			}
		case kindEnd:
			announced = d.number
		}
	}
	before, _ := t.udp.dropped() // by greetings, and trials of how to send
	err := t.take(each, &bytes, func() bool { return announced >= 0 && t.seq.received >= announced })
	if err == nil {
		// What stands in the socket has arrived: only without it are the missing those that were dropped.
		n := 0
		n, err = t.udp.rest(each)
		t.count.Reads += int64(n)
	}
	s := t.seq
	t.count.Received, t.count.Reordered, t.count.Duplicated, t.count.Arrived = s.received, s.reordered, s.duplicated, s.arrived
	t.count.Jitter, t.count.Gaps, t.count.Scatter = s.jitter/1e9, s.gaps, s.scatter()
	if t.count.Drops, t.count.Buffer = t.udp.dropped(); t.count.Drops != nil && before != nil {
		*t.count.Drops -= *before
	}
	return err
}

// take receives until everything is in, or until the deadline.
func (t *udpTask) take(each func([]byte, int64), bytes *int64, all func() bool) error {
	for !all() {
		*bytes = 0
		n, now, err := t.udp.receive(each)
		if err != nil {
			return t.failed(err)
		}
		if *bytes > 0 {
			t.count.Reads += int64(n)
			t.counter.add(now, int(*bytes), t.udp.held)
		}
		if n == 0 || t.udp.isEnded() {
			return nil
		}
	}
	return nil
}

// failed forgives an error after the window, and the end of the experiment at any time.
func (t *udpTask) failed(err error) error {
	if Now() >= t.window.close || t.udp.isEnded() {
		return nil
	}
	if isErrno(err, syscall.EMSGSIZE, "larger than") {
		return &Error{Code: CodeLimit, Subject: t.udp.peer, Text: "the path does not take datagrams of this size any more: a host on it has lowered its MTU; ask for less, or for fragments (fragment: true)"}
	}
	return connectError(t.udp.peer, err)
}

// run does the connection's part on a thread of its own.
func (t *udpTask) run(ctx context.Context) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	t.ctx, t.seat = ctx, newSeat(t.setup, t.index)
	t.thread.Store(int64(t.seat.thread))
	defer t.seat.leave()
	if t.seat.err != nil {
		return &Error{Code: CodeInput, Subject: "placement", Text: t.seat.err.Error()}
	}
	defer func() { t.effect.Placement = t.seat.text(t.setup) }()
	if t.active() && !sleepUntil(ctx, t.window.begin) {
		return context.Cause(ctx)
	}
	return t.work()
}
