package traffic

import (
	"math"
	"testing"
	"time"
)

// Two ends that are cut at one common interval report what arrived in it, wherever their own edges were.
func TestBetween(t *testing.T) {
	setup := Setup{Interval: time.Second}
	w := NewInterval(0, setup, 0)
	const every, n = 100_000, 1250 // 12.5 MB/s: 100 Mb/s
	c := NewCounter(w)
	for at := int64(-every * 10); at < w.Close+every*10; at += every {
		c.Add(at+7, n, func() int64 { return 0 })
	}
	counters := []*Counter{c}
	s := cut(w, counters, nil, nil)
	o := &Outcome{StartNS: s.start, EndNS: s.end, Goodput: s.goodput(), Head: headMarks(counters),
		Foot: footMarks(w, counters), FirstNS: firstByte(counters)}
	if o.FirstNS != -every*10+7 {
		t.Errorf("first byte at %d", o.FirstNS)
	}
	if len(o.Head) > 1002 || len(o.Foot) > 1002 {
		t.Errorf("%d and %d marks for edges of 50 ms", len(o.Head), len(o.Foot))
	}
	for _, x := range []struct{ start, end int64 }{{s.start, s.end}, {10e6, 990e6}, {49e6, 951e6}, {0, 1e9},
		{1_234_567, 999_999_999}} {
		have := o.Between(x.start, x.end)
		// At worst the reads between two marks at either edge are on the wrong side.
		if slack := 100e6 * 2 * marksApart / float64(x.end-x.start); math.Abs(have-100e6) > slack {
			t.Errorf("between %d and %d: %.0f, want 100e6 +- %.0f", x.start, x.end, have, slack)
		}
	}
	o.Backlog = 125_000 // a tenth of a percent waited before the interval
	if have := o.Between(s.start, s.end); math.Abs(have-99e6) > 0.2e6 {
		t.Errorf("with a backlog: %.0f, want 99e6", have)
	}
	if have := (&Outcome{Goodput: 5}).Between(0, 1e9); have != 5 {
		t.Errorf("without marks: %v", have)
	}
	silent := []*Counter{NewCounter(w)}
	o = &Outcome{Head: headMarks(silent), Foot: footMarks(w, silent)}
	if have := o.Between(0, 1e9); have != 0 {
		t.Errorf("nothing received: %v", have)
	}
}

// What verbs carried in an interval inside its own one is the sum of its slices, the first and the last in part.
func TestBetweenOfVerbs(t *testing.T) {
	o := &Outcome{OpenNS: 1000, CloseNS: 5000, Series: []float64{1e9, 3e9, 2e9, 0}, Verbs: &VerbsSeen{}}
	for _, x := range []struct {
		start, end int64
		want       float64
	}{{1000, 5000, 1.5e9}, {1500, 2500, 2e9}, {0, 2000, 1e9}, {3500, 9000, 1e9 * 2 / 3}, {5000, 5000, 0}} {
		if have := o.Between(x.start, x.end); math.Abs(have-x.want) > 1 {
			t.Errorf("%d to %d: %g, want %g", x.start, x.end, have, x.want)
		}
	}
}
