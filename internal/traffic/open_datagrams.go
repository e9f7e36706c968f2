package traffic

import (
	"context"
	"errors"
)

// errNoAnswer and errEnded are returned by a read without a datagram: for now, and for good.
var (
	ErrNoAnswer = errors.New("no answer in time")
	ErrEnded    = errors.New("ended")
)

// DatagramSocket is a socket that exchanges datagrams which begin with a stamp.
type DatagramSocket interface {
	One(b []byte) (int, error)
	Read(b []byte) (int, error) // errNoAnswer after a while without one, errEnded at the end
	IsEnded() bool
}

// AskOpenDatagrams asks at fixed times over d; what comes back is of the kind reply. failed explains an error of the
// socket.
func AskOpenDatagrams(ctx context.Context, t *Flow, d DatagramSocket, tag uint32, reply byte,
	failed func(error) error) (*OpenQuestions, error) {
	o := NewOpenQuestions(t)
	out, in := t.Payload(t.Size), make([]byte, t.Size+1)
	return o, o.Both(ctx, false, func(k, now int64, interval bool) error {
		s := Stamp{Kind: KindAsk, Index: t.Index, Tag: tag, Number: k, Time: now, Interval: interval}
		s.Put(out)
		if _, err := d.One(out); err != nil {
			return failed(err)
		}
		t.Sent.Add(int64(len(out)))
		return nil
	}, func() error {
		for {
			if o.Over.Load() && o.taken.Load() == o.Next.Load() || o.broken.Load() || Now() >= t.Interval.Deadline ||
				d.IsEnded() {
				return nil
			}
			n, err := d.Read(in)
			now := Now()
			if err == ErrNoAnswer {
				continue
			}
			if err != nil {
				return failed(err)
			}
			a, ok := ParseStamp(in[:n])
			if !ok || a.Kind != reply || a.Tag != tag || a.Index != t.Index || !o.Answer(a.Number, now) {
				continue
			}
			t.Counter.Total.Add(int64(n))
		}
	}, func() {}, func() {})
}
