package measure

import (
	"testing"
	"time"
)

// A question that waited in the socket of a busy host until after the window is answered all the same, until the asking end says that it was the last.
func TestUDPLateQuestion(t *testing.T) {
	l := listeningTo(t, "ping", 100*time.Millisecond)
	if err := greetOther(t.Context(), l.conn, l.end.Ready().Token, 0); err != nil {
		t.Fatal(err)
	}
	begin := Now() + 1000*ms
	over := make(chan int64, 1)
	go func() {
		_, err := l.end.Run(t.Context(), begin, func([]Sample) {})
		if err != nil {
			t.Error(err)
		}
		over <- Now()
	}()
	w := newWindow(begin, l.end.setup, l.end.method.drain)
	sleepUntil(t.Context(), w.stop+100*ms)
	l.send(t, stamp{kind: kindAsk, window: true, number: 7, time: w.close - ms})
	l.conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	for b := make([]byte, 2048); ; {
		n, err := l.conn.Read(b)
		if err != nil {
			t.Fatalf("no answer: %v", err)
		}
		if d, ok := parseStamp(b[:n]); ok && d.kind == kindReply && d.number == 7 && d.window {
			break
		}
	}
	l.send(t, stamp{kind: kindEnd})
	if at := <-over; at >= w.deadline+int64(5*time.Second) {
		t.Errorf("the answering end went on for %v after its deadline", time.Duration(at-w.deadline))
	}
}
