package udp

import (
	"context"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/traffic"
)

// pingTimeout is the time after which the message or its answer counts as lost. An answer that comes later is not
// counted.
const pingTimeout = 250 * time.Millisecond

// ask sends a message and waits for its answer, one at a time, and records the time of every round trip that began
// inside the interval.
func (t *task) ask() error {
	if t.Setup.Every > 0 {
		return t.askOpen(t.Ctx)
	}
	out := t.Payload(t.Size)
	in := make([]byte, t.Size+1)
	if err := t.udp.exchangeTimeout(int64(pingTimeout)); err != nil {
		return failure.Of(t.udp.peer, err)
	}
	d := traffic.Stamp{Kind: traffic.KindAsk, Index: t.Index, Tag: t.udp.tag}
	for {
		start := traffic.Now()
		if start >= t.Interval.Stop {
			t.askedAll()
			return nil
		}
		d.Number, d.Time, d.Interval = t.count.Total, start, start >= t.Interval.Open && start < t.Interval.Close
		d.Put(out)
		if _, err := t.udp.One(out); err != nil {
			return t.failed(err)
		}
		t.Sent.Add(int64(len(out)))
		t.count.Total++
		if d.Interval {
			t.count.Sent++
		}
		for {
			n, err := t.udp.Read(in)
			end := traffic.Now()
			if err == traffic.ErrNoAnswer {
				if end-start < int64(pingTimeout) {
					continue
				}
				break // lost
			}
			if err == traffic.ErrEnded || err != nil {
				return t.failed(err)
			}
			a, ok := traffic.ParseStamp(in[:n])
			if !ok || a.Kind != traffic.KindReply || a.Number != d.Number || a.Tag != d.Tag || a.Index != t.Index {
				if end-start < int64(pingTimeout) {
					continue // of one that was given up
				}
				break
			}
			t.Counter.Total.Add(int64(n))
			if d.Interval {
				t.count.Received++
				t.Trip(start, end)
			}
			break
		}
	}
}

// askedAll sends the answering end, several times, that no question follows. Its loss is not an error: the other end
// has a deadline.
func (t *task) askedAll() {
	d := traffic.Stamp{Kind: traffic.KindEnd, Index: t.Index, Tag: t.udp.tag, Time: traffic.Now()}
	b := make([]byte, traffic.StampSize)
	d.Put(b)
	for range ends {
		_, _ = t.udp.One(b)
	}
}

// answer sends every message back with its number and time; never more bytes than came. It goes on after the interval
// until the other end sends that it has asked all: on a busy host the last question may wait in the socket for longer
// than traffic goes on, and is not lost.
func (t *task) answer() error {
	buf := make([]byte, t.Size+1)
	if err := t.udp.exchangeTimeout(int64(pingTimeout)); err != nil {
		return failure.Of(t.udp.peer, err)
	}
	for traffic.Now() < t.Interval.Deadline && !t.udp.IsEnded() {
		n, err := t.udp.Read(buf)
		if err == traffic.ErrNoAnswer {
			continue
		}
		if err != nil {
			return t.failed(err)
		}
		d, ok := traffic.ParseStamp(buf[:n])
		if !ok || d.Kind != traffic.KindAsk || d.Tag != t.udp.tag || d.Index != t.Index {
			if ok && d.Kind == traffic.KindEnd && d.Tag == t.udp.tag {
				return nil
			}
			continue
		}
		t.Counter.Total.Add(int64(n))
		d.Kind = traffic.KindReply
		d.Put(buf)
		if _, err := t.udp.One(buf[:n]); err != nil {
			return t.failed(err)
		}
		t.Sent.Add(int64(n))
	}
	return nil
}

// askOpen is ask with questions at fixed times. An answer counts until the end of the experiment; what has not arrived
// by then is lost, and is in no distribution.
func (t *task) askOpen(ctx context.Context) error {
	if err := t.udp.exchangeTimeout(int64(pingTimeout)); err != nil {
		return failure.Of(t.udp.peer, err)
	}
	o, err := traffic.AskOpenDatagrams(ctx, t.Flow, t.udp, t.udp.tag, traffic.KindReply, t.failed)
	t.count.Total, t.count.Sent, t.count.Received = o.Next.Load(), o.Sent, o.Answered
	t.askedAll()
	return err
}
