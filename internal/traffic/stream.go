package traffic

import (
	"io"
	"time"

	"linerate/internal/base/unit"
)

const (
	smallestBuffer = 128 * unit.KiB
	largestBuffer  = 4 * unit.MiB
	defaultBuffer  = unit.MiB
	// allBuffers is what the buffers of all connections of one end may take together in a trial.
	allBuffers = 8 * unit.MiB
	// lowWater is what a receiver that discards waits for: wake-ups, not copies, are its limit.
	lowWater = unit.MiB
	// messagePause is how long a receiver of small messages sleeps when it finds none, where the trial says that it helps:
	// it still takes them one by one, but is woken once for many. messageRoom, its receive buffer, is what arrives in that
	// time and no more: the sender finds it full, and its messages gather into large packets. A sender that is never held
	// up hands each one over by itself, at four times the cost.
	messagePause  = 200 * time.Microsecond
	messageRoom   = 256 * unit.KiB
	smallMessages = 64 * unit.KiB
)

// streamSize is the buffer of one stream where no trial chooses it. One stream is fastest with 1 MiB (fewer sleeps at a
// full send buffer, larger packets); many streams with 1 MiB each leave the cache that both ends share on small
// machines, so they divide it.
func streamSize(streams int) unit.Bytes {
	return max(smallestBuffer, defaultBuffer/unit.Bytes(max(1, streams)))
}

// largestBuffer is the largest one that a trial of s may choose.
func (s Setup) largestBuffer() unit.Bytes {
	if s.Size > 0 {
		return s.Size
	}
	return min(largestBuffer, max(smallestBuffer, allBuffers/unit.Bytes(max(1, s.connections()))))
}

// small says whether s sends messages so small that the calls and wake-ups are what they cost.
func (s Setup) small() bool {
	return s.Size > 0 && s.Size < smallMessages && s.Tuning.label() == "A"
}

// callsAStamp is how many small messages that the kernel took at once are sent between two looks at the clock, which costs
// a tenth of such a call.
const callsAStamp = 16

// send writes until the end, which is past the receiver's window, then closes its direction and waits for the receiver
// to do the same: everything that was sent has then been received.
func send(t *task) error {
	s, err := newSender(t)
	if err != nil {
		return err
	}
	defer s.close()
	p, err := t.pacer(t.wire.pace)
	if err != nil {
		return err
	}
	listening := t.setup.Tuning.Trial
	now, calls := Now(), 0
	for ; now < t.window.stop && t.left() > 0; calls++ {
		t.yield(now)
		if listening {
			if c, ok := t.wire.order(); ok {
				if err := s.adopt(c); err != nil {
					return err
				}
			}
			listening = now < t.window.open
		}
		p.wait(t.sent.Load(), t.window.stop)
		n, err := s.push(p)
		t.sent.Add(int64(n))
		if err != nil {
			return t.cutOff(err)
		}
		if calls%callsAStamp == 0 || p.rate > 0 || !s.quick(n) {
			now = Now()
		}
	}
	t.through()
	if err := t.wire.closeWrite(); err != nil {
		return t.cutOff(connectError(t.wire.peer, err))
	}
	return t.finish()
}

// receive reads until the sender has closed its direction. A size that was asked for is that of its reads, too: it
// takes one message with each call, as an application does, unless messages are gathered.
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
			stamp := Now()
			t.counter.add(stamp, n, t.wire.held)
			if trying {
				trying = !r.follow(stamp, n)
			}
			t.yield(stamp)
		}
		if err == io.EOF {
			if Now() < t.window.close && !t.allIn() {
				return t.early()
			}
			t.through()
			t.wire.drained = true
			return t.wire.closeWrite()
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
	s := t.setup
	r := &receiver{t: t, discard: s.Tuning.label() == "C"}
	largest := s.largestBuffer()
	if !s.Tuning.Trial {
		largest = t.size
	}
	first := t.size
	if s.Tuning.Gather > 1 {
		first = max(receiveBuffer, s.Size)
		largest = first
	}
	r.size = int(first)
	var err error
	if r.buf, r.free, err = pages(int(max(largest, first))); err != nil {
		return nil, &Error{Code: CodeLimit, Subject: t.wire.peer, Text: err.Error()}
	}
	t.effect.ReceiveBuffer = first
	if r.gathers = s.small() && t.trial != nil && t.near(); r.gathers {
		r.gather(true) // from the first byte on: a window that was opened wide is not taken back at once
	}
	if !r.discard {
		t.wire.hold()
	}
	if r.discard {
		if s.Size == 0 {
			r.size = int(lowWater)
			t.effect.ReceiveBuffer = lowWater
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

// follow tells the trial of a read, and does and orders what it wants next. It says whether the trial is over.
func (r *receiver) follow(stamp int64, n int) (over bool) {
	c, version, over := r.t.trial.read(stamp, n)
	if version == r.version {
		return over
	}
	r.version = version
	r.t.wire.sendOrder(c)
	r.t.seat.move(c.place)
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
	if r.discard || r.t.setup.Size > 0 {
		return over
	}
	r.size = min(len(r.buf), int(c.bytes()))
	r.t.effect.ReceiveBuffer = unit.Bytes(r.size)
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

// pause is what a read that finds nothing sleeps.
func (t *task) pause(d time.Duration) {
	if t.wire.rest(d) == nil {
		t.effect.Pause = d
	}
}

// lowWater sets what must have arrived before a read returns.
func (t *task) lowWater(n int) {
	if t.wire.lowWater(n) == nil {
		if t.effect.LowWater = unit.Bytes(n); n == 1 {
			t.effect.LowWater = 0
		}
	}
}

// near reports whether the round trip is so short that messageRoom carries more than small messages ever need, and the
// packets so small that messageRoom holds several.
func (t *task) near() bool {
	r, err := t.wire.reading()
	if err != nil {
		return false
	}
	rtt, mss := micros(tcpInfo(r.info).u32(tcpiMinRTT)), tcpInfo(r.info).u32(tcpiAdvMSS)
	return rtt != nil && *rtt < 100e-6 && mss != nil && *mss <= int64(messageRoom)/4
}

// room bounds the receive buffer, and with it the window that is offered to the sender; 0 gives it back to the system.
func (t *task) room(n unit.Bytes) {
	if t.wire.room(int(n)) == nil {
		t.effect.Window = n
	}
}
