package tcp

import (
	"io"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/traffic"
)

const (
	smallestBuffer = 128 * unit.KiB
	largestBuffer  = 4 * unit.MiB
	defaultBuffer  = unit.MiB
	// allBuffers is the most that the buffers of all connections of one end may take in a trial.
	allBuffers = 8 * unit.MiB
	// lowWater is the number of bytes that a receiver that discards waits for: wake-ups, not copies, are its limit.
	lowWater = unit.MiB
	// messagePause is how long a receiver of small messages sleeps when it finds none, where the trial shows that it
	// helps: it still takes them one by one, but is woken once for many. messageRoom, its receive buffer, holds what
	// arrives in that time: the sender finds it full, and its messages gather into large packets. A sender that never
	// waits sends each one by itself, at four times the cost.
	messagePause  = 200 * time.Microsecond
	messageRoom   = 256 * unit.KiB
	smallMessages = 64 * unit.KiB
)

// streamSize returns the buffer of one stream without a trial. One stream is fastest with 1 MiB (fewer sleeps at a full
// send buffer, larger packets); many streams with 1 MiB each leave the cache that both ends share on small machines, so
// they divide it.
func streamSize(streams int) unit.Bytes {
	return max(smallestBuffer, defaultBuffer/unit.Bytes(max(1, streams)))
}

// largestBufferOf returns the largest buffer that a trial of s may choose.
func largestBufferOf(s traffic.Setup) unit.Bytes {
	if s.Size > 0 {
		return s.Size
	}
	return min(largestBuffer, max(smallestBuffer, allBuffers/unit.Bytes(max(1, s.Connections()))))
}

// small reports whether s sends messages so small that calls and wake-ups are their cost.
func small(s traffic.Setup) bool {
	return s.Size > 0 && s.Size < smallMessages && s.Tuning.Label() == "A"
}

// callsAStamp is the number of small messages, taken by the kernel at once, between two readings of the clock, which
// cost a tenth of such a call.
const callsAStamp = 16

// send writes until the end, which is after the receiver's interval, then closes its direction and waits for the
// receiver to do the same: everything that was sent has then been received.
func send(t *task) error {
	s, err := newSender(t)
	if err != nil {
		return err
	}
	defer s.close()
	listening := t.Setup.Tuning.Trial
	now, calls := traffic.Now(), 0
	for ; now < t.Interval.Stop && t.left() > 0; calls++ {
		t.Yield(now)
		if listening {
			if c, ok := t.wire.order(); ok {
				if err := s.adopt(c); err != nil {
					return err
				}
			}
			listening = now < t.Interval.Open
		}
		t.pacer.Wait(t.Sent.Load(), t.Interval.Stop)
		n, err := s.push()
		t.Sent.Add(int64(n))
		if err != nil {
			return t.cutOff(err)
		}
		if calls%callsAStamp == 0 || t.pacer.Rate > 0 || !s.quick(n) {
			now = traffic.Now()
		}
	}
	t.through()
	if err := t.wire.CloseWrite(); err != nil {
		return t.cutOff(failure.Of(t.wire.peer, err))
	}
	return t.finish()
}

// receive reads until the sender has closed its direction. The size of the setup is that of its reads, too: it takes
// one message with each call, as an application does, unless messages are gathered.
func receive(t *task) error {
	r, err := newReceiver(t)
	if err != nil {
		return err
	}
	defer r.free()
	trying := t.trial != nil
	for {
		n, err := r.read()
		if n > 0 {
			stamp := traffic.Now()
			t.Counter.Add(stamp, n, t.wire.held)
			if trying {
				trying = !r.follow(stamp, n)
			}
			t.Yield(stamp)
		}
		if err == io.EOF {
			if traffic.Now() < t.Interval.Close && !t.allIn() {
				return t.early()
			}
			t.through()
			t.wire.drained = true
			return t.wire.CloseWrite()
		}
		if err != nil {
			return t.cutOff(err)
		}
	}
}

// receiver is the reading end of one stream.
type receiver struct {
	t       *task
	buf     []byte
	free    func()
	size    int // of one read
	discard bool
	version int
	gathers bool // small messages may gather
}

func newReceiver(t *task) (*receiver, error) {
	s := t.Setup
	r := &receiver{t: t, discard: s.Tuning.Label() == "C"}
	largest := largestBufferOf(s.Setup)
	if !s.Tuning.Trial {
		largest = t.Size
	}
	first := t.Size
	if s.Tuning.Gather > 1 {
		first = max(receiveBuffer, s.Size)
		largest = first
	}
	r.size = int(first)
	var err error
	if r.buf, r.free, err = pages(int(max(largest, first))); err != nil {
		return nil, &failure.Error{Code: failure.CodeLimit, Subject: t.wire.peer, Text: err.Error()}
	}
	t.Effect.ReceiveBuffer = first
	if r.gathers = small(s.Setup) && t.trial != nil && t.near(); r.gathers {
		r.gather(true) // from the first byte on: a wide receive window does not shrink at once
	}
	if !r.discard {
		t.wire.Hold()
	}
	if r.discard {
		if s.Size == 0 {
			r.size = int(lowWater)
			t.Effect.ReceiveBuffer = lowWater
		}
		t.lowWater(int(lowWater))
	}
	return r, nil
}

func (r *receiver) read() (int, error) {
	if r.discard {
		return r.t.wire.discard(r.size)
	}
	return r.t.wire.Read(r.buf[:r.size])
}

// follow reports a read to the trial, and does and orders what it wants next. It reports whether the trial is over.
func (r *receiver) follow(stamp int64, n int) (over bool) {
	c, version, over := r.t.trial.read(stamp, n)
	if version == r.version {
		return over
	}
	r.version = version
	r.t.wire.sendOrder(c)
	r.t.Affinity.Move(c.place)
	if r.gathers {
		r.gather(c.pauses)
	}
	if r.discard {
		low := 1
		if c.lowWater {
			low = int(lowWater)
		}
		r.t.lowWater(low)
	}
	if r.discard || r.t.Setup.Size > 0 {
		return over
	}
	r.size = min(len(r.buf), int(c.bytes()))
	r.t.Effect.ReceiveBuffer = unit.Bytes(r.size)
	return over
}

// gather makes small messages gather at the sender, or no longer.
func (r *receiver) gather(on bool) {
	if on {
		r.t.room(messageRoom)
		r.t.pause(messagePause)
		return
	}
	r.t.pause(0)
	r.t.room(0)
}

// pause sets how long a read that finds nothing sleeps.
func (t *task) pause(d time.Duration) {
	if t.wire.rest(d) == nil {
		t.Effect.Pause = d
	}
}

// lowWater sets what must have arrived before a read returns.
func (t *task) lowWater(n int) {
	if t.wire.lowWater(n) == nil {
		if t.Effect.LowWater = unit.Bytes(n); n == 1 {
			t.Effect.LowWater = 0
		}
	}
}

// near reports whether the round trip is so short that messageRoom carries more than small messages ever need, and the
// packets so small that messageRoom holds several.
func (t *task) near() bool {
	r, err := t.wire.Reading()
	if err != nil {
		return false
	}
	rtt, mss := traffic.Micros(traffic.TCPInfo(r.Info).U32(traffic.TcpiMinRTT)),
		traffic.TCPInfo(r.Info).U32(traffic.TcpiAdvMSS)
	return rtt != nil && *rtt < 100e-6 && mss != nil && *mss <= int64(messageRoom)/4
}

// room limits the receive buffer, and with it the receive window; 0: the system tunes it again.
func (t *task) room(n unit.Bytes) {
	if t.wire.room(int(n)) == nil {
		t.Effect.TCPWindow = n
	}
}
