package traffic

import (
	"testing"
	"testing/synctest"
	"time"
)

// A thread that did not run at the end of the interval sends what was due in it, and no more.
func TestOpenLoopLateAtTheEnd(t *testing.T) { inBubble(t, openLoopLateAtTheEnd) }

func openLoopLateAtTheEnd(t *testing.T) {
	for _, c := range []struct {
		late time.Duration // since the end
		want int64
	}{{0, 100}, {time.Minute, 0}} {
		s := Setup{Method: "latency", Direction: Out, Streams: 1, Interval: time.Second}
		s.Side, s.Every, s.Interval = From, time.Millisecond, 100*time.Millisecond
		w := NewInterval(0, s, 30*time.Second)
		o := NewOpenQuestions(NewFlow(Endpoint{Setup: s, Sleep: SleepUntil}, true, 64,
			NewInterval(Now()-w.Stop-int64(c.late), s, 30*time.Second), 0))
		if err := o.drive(t.Context(), false, func(int64, int64, bool) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if o.Sent != c.want || o.Next.Load() != c.want || o.reached != 0 {
			t.Errorf("%v after the end: %d of the interval sent, %d in all, %d within it; want %d", c.late, o.Sent,
				o.Next.Load(), o.reached, c.want)
		}
	}
}

// An answer counts once, and only to a question that was asked and is remembered.
func TestOpenLoopAnswers(t *testing.T) {
	s := Setup{Method: "latency", Direction: Out, Streams: 1, Interval: time.Second}
	s.Side, s.Every, s.Interval = From, time.Millisecond, time.Second
	o := NewOpenQuestions(NewFlow(Endpoint{Setup: s}, true, 64, NewInterval(0, s, 0), 0))
	if o.first != 0 || o.end != 1000 || len(o.sentAt) != 2048 {
		t.Fatalf("questions %d to %d, %d kept", o.first, o.end, len(o.sentAt))
	}
	if o.Answer(0, 5) {
		t.Error("an answer to a question that was not asked")
	}
	for k := range int64(3000) {
		o.at(k).Store(o.due(k) + 1)
		o.Next.Store(k + 1)
	}
	for k, want := range map[int64]bool{-1: false, 0: false, 951: false, 952: true, 2999: true, 3000: false} {
		if got := o.Answer(k, o.due(max(k, 0))+10); got != want {
			t.Errorf("answer to %d: %v", k, got)
		}
	}
	if o.Answer(952, 1e9) {
		t.Error("an answer counted twice")
	}
	if o.Answered != 1 || o.t.RTTSamples.Count() != 1 || o.t.RTTSamples.Max() != 10e-9 || o.service.Max() != 9e-9 {
		t.Errorf("%d answered, %d round trips, %v and %v", o.Answered, o.t.RTTSamples.Count(), o.t.RTTSamples.Max(),
			o.service.Max())
	}
	o.Unanswered(998, 2e9)
	if o.t.RTTSamples.Count() != 3 || o.service.Count() != 3 {
		t.Errorf("%d round trips, %d of service", o.t.RTTSamples.Count(), o.service.Count())
	}
}

// A quantile is carried by so many that it is improbable that all of them lie below it.
func TestCarried(t *testing.T) {
	for q, want := range map[float64]int64{0.5: 5, 0.9: 29, 0.99: 299, 0.999: 2995, 0.9999: 29956} {
		if got := least(q); got != want {
			t.Errorf("%v is carried by %d, want %d", q, got, want)
		}
	}
	h := NewHistogram()
	for i := range 298 {
		h.Record(time.Duration(i+1) * time.Microsecond)
	}
	if h.Carried(0.99) != 0 || h.Carried(0.9) == 0 {
		t.Errorf("of 298: p90 %v, p99 %v", h.Carried(0.9), h.Carried(0.99))
	}
	h.Record(time.Millisecond)
	l, err := h.Latency()
	if err != nil || l.P99 == 0 || l.P999 != 0 || l.Max < 999e-6 {
		t.Fatalf("%+v, %v", l, err)
	}
	p := l.Percentiles
	if len(p) != 6 || p[2].Seconds == nil || p[2].Behind < 3 || p[2].Behind > 4 || p[3].Seconds != nil ||
		p[3].Behind != 299 || p[3].Why == "" || p[5].Behind != 1 {
		t.Errorf("%+v", p)
	}
}

// inBubble runs f in simulated time, which begins after this process.
func inBubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Duration(max(0, -Now())) + time.Hour)
		f(t)
	})
}
