package traffic

import (
	"testing"
	"time"

	"linerate/internal/testenv"
)

// What both ends count of an open loop over real sockets is the same, in each direction. How punctual it is, simulated time judges.
func TestOpenLoop(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	var setups []Setup
	for _, transport := range []string{TCP, UDP} {
		for _, direction := range []string{Out, Both} {
			s := setup("ping", 2)
			s.Direction, s.Every, s.Warmup, s.Window = direction, 5*time.Millisecond, 50*time.Millisecond, 500*time.Millisecond
			if transport == UDP {
				s.Transport = UDP
			}
			setups = append(setups, s)
		}
	}
	for i, r := range pairs(t, 5*time.Second, setups...) {
		ends := []*Outcome{r.from}
		if setups[i].Direction == Both {
			ends = append(ends, r.to)
		} else if r.to.Open != nil || r.to.Clock != nil {
			t.Errorf("the end that answers has an open loop: %+v, %+v", r.to.Open, r.to.Clock)
		}
		for _, o := range ends {
			h, err := DecodeHistogram(o.Histogram)
			if err != nil {
				t.Fatal(err)
			}
			service, err := DecodeHistogram(o.Open.Service)
			if err != nil {
				t.Fatal(err)
			}
			late, err := DecodeHistogram(o.Open.Late)
			if err != nil {
				t.Fatal(err)
			}
			if l := o.Open; l.Due != 200 || l.Sent == 0 || l.Sent > l.Due || l.Answered == 0 || l.Answered > l.Sent || late.Count() != l.Sent || service.Count() != l.Answered {
				t.Errorf("%+v: %d late, %d of service", l, late.Count(), service.Count())
			}
			// Over TCP what was not sent counts, too; over UDP what was lost is in no distribution.
			if want := map[bool]int64{true: o.Open.Answered, false: o.Open.Due}[setups[i].Transport == UDP]; h.Count() != want {
				t.Errorf("%d round trips, want %d; %+v", h.Count(), want, o.Open)
			}
			if c := o.Clock; c == nil || c.Resolution <= 0 || c.Cost <= 0 || c.Overhead <= 0 {
				t.Errorf("clock: %+v", c)
			}
			for _, e := range o.Streams {
				if (e.Trips != nil) != e.Active {
					t.Errorf("pair %d: %+v", e.Index, e.Trips)
				}
			}
		}
	}
}

// A thread that had no turn at the end of the window sends what was due in it, and no more.
func TestOpenLoopLateAtTheEnd(t *testing.T) { bubble(t, openLoopLateAtTheEnd) }

func openLoopLateAtTheEnd(t *testing.T) {
	for _, c := range []struct {
		late time.Duration // since the end
		want int64
	}{{0, 100}, {time.Minute, 0}} {
		s := setup("ping", 1)
		s.Side, s.Every, s.Window, s.sleep = From, time.Millisecond, 100*time.Millisecond, sleepUntil
		w := newWindow(0, s, 30*time.Second)
		o := newOpenLoop(newTask(s, 64, newWindow(Now()-w.stop-int64(c.late), s, 30*time.Second), 0, nil))
		if err := o.drive(t.Context(), false, func(int64, int64, bool) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if o.sent != c.want || o.next.Load() != c.want || o.reached != 0 {
			t.Errorf("%v after the end: %d of the window sent, %d in all, %d within it; want %d", c.late, o.sent, o.next.Load(), o.reached, c.want)
		}
	}
}

// An answer counts once, and only to a question that was asked and is remembered.
func TestOpenLoopAnswers(t *testing.T) {
	s := setup("ping", 1)
	s.Side, s.Every, s.Window = From, time.Millisecond, time.Second
	o := newOpenLoop(newTask(s, 64, newWindow(0, s, 0), 0, nil))
	if o.first != 0 || o.end != 1000 || len(o.sentAt) != 2048 {
		t.Fatalf("questions %d to %d, %d kept", o.first, o.end, len(o.sentAt))
	}
	if o.answer(0, 5) {
		t.Error("an answer to a question that was not asked")
	}
	for k := range int64(3000) {
		o.at(k).Store(o.due(k) + 1)
		o.next.Store(k + 1)
	}
	for k, want := range map[int64]bool{-1: false, 0: false, 951: false, 952: true, 2999: true, 3000: false} {
		if got := o.answer(k, o.due(max(k, 0))+10); got != want {
			t.Errorf("answer to %d: %v", k, got)
		}
	}
	if o.answer(952, 1e9) {
		t.Error("an answer counted twice")
	}
	if o.answered != 1 || o.t.trips.Count() != 1 || o.t.trips.Max() != 10e-9 || o.service.Max() != 9e-9 {
		t.Errorf("%d answered, %d round trips, %v and %v", o.answered, o.t.trips.Count(), o.t.trips.Max(), o.service.Max())
	}
	o.unanswered(998, 2e9)
	if o.t.trips.Count() != 3 || o.service.Count() != 3 {
		t.Errorf("%d round trips, %d of service", o.t.trips.Count(), o.service.Count())
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
	if len(p) != 6 || p[2].Seconds == nil || p[2].Behind < 3 || p[2].Behind > 4 || p[3].Seconds != nil || p[3].Behind != 299 || p[3].Why == "" || p[5].Behind != 1 {
		t.Errorf("%+v", p)
	}
}
