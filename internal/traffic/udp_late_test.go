package traffic

import (
	"testing"
	"time"
)

// A question that waited in the socket of a busy host until after the window is answered all the same, until the asking end says that it was the last.
func TestUDPLateQuestion(t *testing.T) {
	bubble(t, func(t *testing.T) {
		asking, answering := simulatedEnds(t, Setup{Method: "ping", Transport: UDP, Direction: Out, Streams: 1, Window: 100 * time.Millisecond}, link{}, link{})
		begin := Now() + int64(time.Second)
		w := newWindow(begin, answering.setup, answering.method.drain)
		over := make(chan int64, 1)
		go func() {
			if _, err := answering.Run(t.Context(), begin, func([]Sample) {}); err != nil {
				t.Error(err)
			}
			over <- Now()
		}()
		socket := asking.udp.wires[0]
		say := func(d stamp) {
			b := make([]byte, 64)
			d.tag = socket.tag
			d.put(b)
			if _, err := socket.one(b); err != nil {
				t.Fatal(err)
			}
		}
		sleepUntil(t.Context(), w.stop+100*ms)
		say(stamp{kind: kindAsk, window: true, number: 7, time: w.close - ms})
		b := make([]byte, 2048)
		n, err := socket.read(b)
		if d, ok := parseStamp(b[:n]); err != nil || !ok || d.kind != kindReply || d.number != 7 || !d.window || Now() != w.stop+100*ms {
			t.Errorf("%+v, %v after %v", d, err, time.Duration(Now()-w.stop))
		}
		say(stamp{kind: kindEnd})
		if at := <-over; at != w.stop+100*ms {
			t.Errorf("the answering end went on for %v after the last question", time.Duration(at-w.stop-100*ms))
		}

		// Without the word of the other end it waits until its deadline, and no longer than one answer is waited for.
		_, answering = simulatedEnds(t, Setup{Method: "ping", Transport: UDP, Direction: Out, Streams: 1, Window: 100 * time.Millisecond}, link{}, link{})
		begin = Now() + int64(time.Second)
		w = newWindow(begin, answering.setup, answering.method.drain)
		if _, err := answering.Run(t.Context(), begin, func([]Sample) {}); err != nil || Now() < w.deadline || Now() > w.deadline+int64(pingTimeout) {
			t.Errorf("%v, %v after the deadline", err, time.Duration(Now()-w.deadline))
		}
	})
}
