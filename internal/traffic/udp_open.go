package traffic

import "context"

// datagrams is a socket that exchanges datagrams which begin with a stamp.
type datagrams interface {
	one(b []byte) (int, error)
	read(b []byte) (int, error) // errNoAnswer after a while without one, errEnded at the end
	isEnded() bool
}

// askOpen is ask with questions at fixed times. Nothing waits for an answer, so none comes too late before the end of
// the experiment; what has not come by then is lost, and is in no distribution.
func (t *udpTask) askOpen(ctx context.Context) error {
	if err := t.udp.exchangeTimeout(int64(pingTimeout)); err != nil {
		return connectError(t.udp.peer, err)
	}
	o, err := askOpenDatagrams(ctx, t.task, t.udp, t.udp.tag, kindReply, t.failed)
	t.count.Total, t.count.Sent, t.count.Received = o.next.Load(), o.sent, o.answered
	t.askedAll()
	return err
}

// askOpenDatagrams asks at fixed times over d; what comes back is of the kind reply. failed says what an error of the
// socket means.
func askOpenDatagrams(ctx context.Context, t *task, d datagrams, tag uint32, reply byte, failed func(error) error) (*openLoop, error) {
	o := newOpenLoop(t)
	out, in := t.payload(t.size), make([]byte, t.size+1)
	return o, o.both(ctx, false, func(k, now int64, window bool) error {
		s := stamp{kind: kindAsk, index: t.index, tag: tag, number: k, time: now, window: window}
		s.put(out)
		if _, err := d.one(out); err != nil {
			return failed(err)
		}
		t.sent.Add(int64(len(out)))
		return nil
	}, func() error {
		for {
			if o.over.Load() && o.taken.Load() == o.next.Load() || o.broken.Load() || Now() >= t.window.deadline || d.isEnded() {
				return nil
			}
			n, err := d.read(in)
			now := Now()
			if err == errNoAnswer {
				continue
			}
			if err != nil {
				return failed(err)
			}
			a, ok := parseStamp(in[:n])
			if !ok || a.kind != reply || a.tag != tag || a.index != t.index || !o.answer(a.number, now) {
				continue
			}
			t.counter.total.Add(int64(n))
		}
	}, func() {}, func() {})
}
