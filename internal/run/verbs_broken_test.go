package run

import (
	"errors"
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/traffic"
)

// What the end that is left measured until the other one was gone stands in the error, and in the record.
func TestBrokeOff(t *testing.T) {
	seen := func(asked, came int64, operations int64, at int64) *traffic.Outcome {
		return &traffic.Outcome{Verbs: &traffic.VerbsSeen{Seconds: float64(max(at, 0)) / 1e9, AskedBytes: asked, CameBytes: came,
			Broken: &traffic.VerbsBroken{AtNS: at, LastNS: max(at, 0), Text: "rxe0 port 1: the other end does not answer"}, Pairs: []traffic.VerbsSaid{{Operations: operations}}}}
	}
	goodput := Spec{Method: Verbs, Verbs: traffic.VerbsOptions{Metric: traffic.MetricGoodput}}
	killed := errors.New("b: linerate-verbs: it ended: signal: killed")
	a, b := &side{host: "a", outcome: seen(1000000, 0, 50, 2e9)}, &side{host: "b", err: killed}
	c := &Cell{Exp: &record.Experiment{}}
	err := brokeOff(goodput, killed, []*side{a, b})
	keepBroken(c, 1, err)
	want := record.Broken{Repeat: 1, Host: "a", Text: "rxe0 port 1: the other end does not answer", After: 2, Last: 2, Operations: 50, Goodput: 4e6}
	if err == nil || !errors.Is(err, killed) || c.Exp.Broken == nil || *c.Exp.Broken != want {
		t.Fatalf("%v: %+v", err, c.Exp.Broken)
	}
	for _, part := range []string{"b: linerate-verbs: it ended", "a: rxe0 port 1: the other end does not answer", "broke off after 2.00 s of the window, and in the 2.00 s until its last answer 4.00 Mb/s were carried"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is missing: %v", part, err)
		}
	}

	// Both ends see it: the figures are those of the one that asked.
	b = &side{host: "b", outcome: seen(0, 0, 0, 3e9)}
	if err := brokeOff(goodput, nil, []*side{b, a}); err == nil || !strings.HasPrefix(err.Error(), "a: rxe0") {
		t.Errorf("both: %v", err)
	}
	a.outcome = seen(0, 0, 0, -5)
	if err := brokeOff(goodput, nil, []*side{a, b}); !strings.Contains(brokeOff(goodput, nil, []*side{a}).Error(), "before the window opened") || err == nil {
		t.Errorf("before the window: %v", err)
	}

	// The end that is left only answered: it says when, and that there are no figures.
	idle := seen(0, 0, 0, 3e9)
	idle.Verbs.Broken.LastNS = 0
	if err := brokeOff(goodput, killed, []*side{{host: "a", err: killed}, {host: "b", outcome: idle}}); err == nil ||
		!strings.Contains(err.Error(), "broke off after 3.00 s of the window, and b had asked for nothing that was answered in it") {
		t.Errorf("an end that answers: %v", err)
	}

	// Nothing broke off.
	a.outcome.Verbs.Broken = nil
	if err := brokeOff(goodput, killed, []*side{a, {host: "b", err: killed}}); err != nil {
		t.Errorf("nothing broke off: %v", err)
	}
	if err := brokeOff(goodput, nil, []*side{{host: "a", outcome: &traffic.Outcome{}}}); err != nil {
		t.Errorf("a stream: %v", err)
	}
	keepBroken(c, 0, killed)
}

// Pairs that did not begin together are a warning, with what it comes from.
func TestReleasedFar(t *testing.T) {
	ends := []record.VerbsEnd{{Host: "a", Skew: 51e-6}, {Host: "b", Skew: 50e-6}, {Host: "c", Skew: 2e-3, Crowded: true}}
	got := releasedFar(Spec{Streams: 8}, ends)
	if len(got) != 2 || !strings.Contains(got[0], "a: the 8 pairs were released within 51.0 us of each other, which is more than 50.0 us: a thread waited for its core") || !strings.Contains(got[1], "fewer cores than pairs") {
		t.Errorf("%q", got)
	}
	if got := releasedFar(Spec{Streams: 1}, ends); got != nil {
		t.Errorf("one pair: %q", got)
	}
}
