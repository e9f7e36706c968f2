package udp

import (
	"context"
	"syscall"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/traffic"
)

// ends is how often the end of a stream is announced, endEvery the time in between: one of them arrives on any path
// that is worth measuring; where none does, the receiver waits for its deadline.
const (
	ends     = 3
	endEvery = 2 * time.Millisecond
)

// task is what one end does with one UDP connection.
type task struct {
	*traffic.Flow
	options options
	udp     *wire
	count   traffic.Datagrams
	seq     *sequence
}

func newTask(s options, w traffic.Interval, index int, wire *wire) *task {
	t := &task{Flow: traffic.NewFlow(s.Endpoint, s.asks, s.size, w, index), options: s, udp: wire}
	t.count.Send, t.count.Receive, t.count.PerCall = wire.sendMode, wire.receiveMode, wire.perCall
	if !t.Active() && !s.asks {
		t.seq = newSequence()
	}
	return t
}

// work is the connection's part of the method.
func (t *task) work() error {
	switch {
	case t.Asks && t.Active():
		return t.ask()
	case t.Asks:
		return t.answer()
	case t.Active():
		t.count.Receive = ""
		return t.send()
	}
	t.count.Send, t.count.PerCall = "", 0
	return t.receive()
}

// send sends datagrams until the end, which is after the interval, and then announces how many there were in the
// interval.
func (t *task) send() error {
	size := int(t.Size)
	// The program keeps the mean rate; the kernel, where it can, only spaces the datagrams of one call.
	p := traffic.NewPacer(t.Setup.Pace, t.Interval.Begin)
	most := max(1, p.Message(t.udp.perCall*size)/size)
	buf := t.Payload(t.Size * unit.Bytes(most))
	d := traffic.Stamp{Kind: traffic.KindData, Index: t.Index, Tag: t.udp.tag}
	for {
		p.Wait(t.Sent.Load(), t.Interval.Stop)
		now := traffic.Now()
		if now >= t.Interval.Stop {
			break
		}
		d.Time, d.Interval = now, now >= t.Interval.Open && now < t.Interval.Close
		for i := range most {
			d.Number = t.count.Total + int64(i)
			d.Put(buf[i*size:])
		}
		n, err := t.udp.send(buf, most)
		t.Sent.Add(int64(n * size))
		t.count.Total += int64(n)
		if d.Interval {
			t.count.Sent += int64(n)
		}
		if err != nil {
			return t.failed(err)
		}
	}
	d = traffic.Stamp{Kind: traffic.KindEnd, Index: t.Index, Tag: t.udp.tag, Number: t.count.Sent, Time: traffic.Now()}
	d.Put(buf)
	for range ends {
		if _, err := t.udp.One(buf[:traffic.StampSize]); err != nil {
			return t.failed(err)
		}
		time.Sleep(endEvery)
	}
	return nil
}

// receive counts until it has all that the sender announced for its interval, or until the deadline.
func (t *task) receive() error {
	announced := int64(-1)
	var bytes int64
	each := func(b []byte, now int64) {
		d, ok := traffic.ParseStamp(b)
		if !ok || d.Index != t.Index || d.Tag != t.udp.tag {
			return
		}
		switch d.Kind {
		case traffic.KindData:
			if t.seq.add(d, now) {
				bytes += int64(len(b))
			}
		case traffic.KindEnd:
			announced = d.Number
		}
	}
	before, _ := t.udp.dropped() // by greetings, and trials of how to send
	err := t.take(each, &bytes, func() bool { return announced >= 0 && t.seq.received >= announced })
	if err == nil {
		// What is in the socket has arrived: only without it are the missing those that were dropped.
		n := 0
		n, err = t.udp.rest(each)
		t.count.Reads += int64(n)
	}
	s := t.seq
	t.count.Received, t.count.Reordered, t.count.Duplicated, t.count.Arrived = s.received, s.reordered, s.duplicated,
		s.arrived
	t.count.Jitter, t.count.Gaps, t.count.Scatter = s.jitter/1e9, s.gaps, s.scatter()
	if t.count.Drops, t.count.Buffer = t.udp.dropped(); t.count.Drops != nil && before != nil {
		*t.count.Drops -= *before
	}
	return err
}

// take receives until everything is in, or until the deadline.
func (t *task) take(each func([]byte, int64), bytes *int64, all func() bool) error {
	for !all() {
		*bytes = 0
		n, now, err := t.udp.receive(each)
		if err != nil {
			return t.failed(err)
		}
		if *bytes > 0 {
			t.count.Reads += int64(n)
			t.Counter.Add(now, int(*bytes), t.udp.held)
		}
		if n == 0 || t.udp.IsEnded() {
			return nil
		}
	}
	return nil
}

// failed forgives an error after the interval, and the end of the experiment at any time.
func (t *task) failed(err error) error {
	if traffic.Now() >= t.Interval.Close || t.udp.IsEnded() {
		return nil
	}
	if failure.IsErrno(err, syscall.EMSGSIZE, "larger than") {
		return &failure.Error{Code: failure.CodeLimit, Subject: t.udp.peer,
			Text: "the path does not take datagrams of this size any more: a host on it has lowered its MTU; ask for less, " +
				"or for fragments (fragment: true)"}
	}
	return failure.Of(t.udp.peer, err)
}

// run does the connection's part.
func (t *task) run(ctx context.Context) error {
	if t.Active() && !traffic.SleepUntil(ctx, t.Interval.Begin) {
		return context.Cause(ctx)
	}
	return t.work()
}

// spread makes the kernel space the datagrams that a paced program sends with one call, where it can.
func (t *task) spread() error {
	_, err := t.PaceInKernel(func() (err error) {
		t.Effect.PaceSpread, err = t.udp.evenly(t.options)
		return err
	})
	return err
}
