package udp

import (
	"testing"
	"time"

	"linerate/internal/traffic"
	"linerate/internal/traffic/traffictest"
)

// A question that waited in the socket of a busy host until after the interval is answered all the same, until the
// asking end sends that it was the last.
func TestUDPLateQuestion(t *testing.T) {
	traffictest.Bubble(t, func(t *testing.T) {
		_, answering, socket := simulatedPair(t,
			traffic.Setup{Method: "latency", Transport: traffic.UDP, Direction: traffic.Out, Streams: 1,
				Interval: 100 * time.Millisecond}, 250*time.Millisecond)
		begin := traffic.Now() + int64(time.Second)
		w := traffic.NewInterval(begin, answering.Setup, answering.Entry.Drain)
		over := make(chan int64, 1)
		go func() {
			if _, err := answering.Run(t.Context(), begin, func([]traffic.Sample) {}); err != nil {
				t.Error(err)
			}
			over <- traffic.Now()
		}()
		say := func(d traffic.Stamp) {
			b := make([]byte, 64)
			d.Tag = socket.tag
			d.Put(b)
			if _, err := socket.One(b); err != nil {
				t.Fatal(err)
			}
		}
		traffic.SleepUntil(t.Context(), w.Stop+100*ms)
		say(traffic.Stamp{Kind: traffic.KindAsk, Interval: true, Number: 7, Time: w.Close - ms})
		b := make([]byte, 2048)
		n, err := socket.Read(b)
		if d, ok := traffic.ParseStamp(b[:n]); err != nil || !ok || d.Kind != traffic.KindReply || d.Number != 7 ||
			!d.Interval || traffic.Now() != w.Stop+100*ms {
			t.Errorf("%+v, %v after %v", d, err, time.Duration(traffic.Now()-w.Stop))
		}
		say(traffic.Stamp{Kind: traffic.KindEnd})
		if at := <-over; at != w.Stop+100*ms {
			t.Errorf("the answering end went on for %v after the last question", time.Duration(at-w.Stop-100*ms))
		}

		// Without that message it waits until its deadline, and no longer than for one answer.
		_, answering, _ = simulatedPair(t, traffic.Setup{Method: "latency", Transport: traffic.UDP, Direction: traffic.Out,
			Streams: 1, Interval: 100 * time.Millisecond}, 250*time.Millisecond)
		begin = traffic.Now() + int64(time.Second)
		w = traffic.NewInterval(begin, answering.Setup, answering.Entry.Drain)
		if _, err := answering.Run(t.Context(), begin, func([]traffic.Sample) {}); err != nil ||
			traffic.Now() < w.Deadline || traffic.Now() > w.Deadline+int64(pingTimeout) {
			t.Errorf("%v, %v after the deadline", err, time.Duration(traffic.Now()-w.Deadline))
		}
	})
}
