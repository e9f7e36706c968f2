package traffic

import "time"

// pingTimeout is how long ping over UDP waits for an answer before the message or its answer counts as lost. An answer
// that comes later is not counted.
const pingTimeout = 250 * time.Millisecond

// ask sends a message and waits for its answer, one at a time, and records the time of every round trip that began
// inside the window.
func (t *udpTask) ask() error {
	if t.setup.Every > 0 {
		return t.askOpen(t.ctx)
	}
	out := t.payload(t.size)
	in := make([]byte, t.size+1)
	if err := t.udp.exchangeTimeout(int64(pingTimeout)); err != nil {
		return connectError(t.udp.peer, err)
	}
	d := stamp{kind: kindAsk, index: t.index, tag: t.udp.tag}
	for {
		start := Now()
		if start >= t.window.stop {
			t.askedAll()
			return nil
		}
		d.number, d.time, d.window = t.count.Total, start, start >= t.window.open && start < t.window.close
		d.put(out)
		if _, err := t.udp.one(out); err != nil {
			return t.failed(err)
		}
		t.sent.Add(int64(len(out)))
		t.count.Total++
		if d.window {
			t.count.Sent++
		}
		for {
			n, err := t.udp.read(in)
			end := Now()
			if err == errNoAnswer {
				if end-start < int64(pingTimeout) {
					continue
				}
				break // lost
			}
			if err == errEnded || err != nil {
				return t.failed(err)
			}
			a, ok := parseStamp(in[:n])
			if !ok || a.kind != kindReply || a.number != d.number || a.tag != d.tag || a.index != t.index {
				if end-start < int64(pingTimeout) {
					continue // of one that was given up
				}
				break
			}
			t.counter.total.Add(int64(n))
			if d.window {
				t.count.Received++
				t.trip(start, end)
			}
			break
		}
	}
}

// askedAll tells the answering end, several times, that no question follows. It may be lost, and so is no error: the other end has a deadline.
func (t *udpTask) askedAll() {
	d := stamp{kind: kindEnd, index: t.index, tag: t.udp.tag, time: Now()}
	b := make([]byte, stampSize)
	d.put(b)
	for range ends {
		_, _ = t.udp.one(b)
	}
}

// answer sends every message back with its number and time; never more bytes than came. It goes on after the window until the other end
// says that it has asked all: on a busy host the last question may wait in the socket for longer than traffic goes on, and is not lost for that.
func (t *udpTask) answer() error {
	buf := make([]byte, t.size+1)
	if err := t.udp.exchangeTimeout(int64(pingTimeout)); err != nil {
		return connectError(t.udp.peer, err)
	}
	for Now() < t.window.deadline && !t.udp.isEnded() {
		n, err := t.udp.read(buf)
		if err == errNoAnswer {
			continue
		}
		if err != nil {
			return t.failed(err)
		}
		d, ok := parseStamp(buf[:n])
		if !ok || d.kind != kindAsk || d.tag != t.udp.tag || d.index != t.index {
			if ok && d.kind == kindEnd && d.tag == t.udp.tag {
				return nil
			}
			continue
		}
		t.counter.total.Add(int64(n))
		d.kind = kindReply
		d.put(buf)
		if _, err := t.udp.one(buf[:n]); err != nil {
			return t.failed(err)
		}
		t.sent.Add(int64(n))
	}
	return nil
}
