package network

import (
	"errors"
	"strings"
	"testing"

	"linerate/internal/base/method"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
)

// The figures of the remaining end until the other one was gone are in the error, and in the record.
func TestBrokeOff(t *testing.T) {
	seen := func(asked, came int64, operations int64, at int64) *traffic.Outcome {
		return &traffic.Outcome{
			Verbs: &traffic.VerbsSeen{Seconds: float64(max(at, 0)) / 1e9, AskedBytes: asked, CameBytes: came,
				Broken: &traffic.VerbsBroken{AtNS: at, LastNS: max(at, 0), Text: "rxe0 port 1: the other end does not answer"},
				Pairs:  []traffic.VerbsSaid{{Operations: operations}}},
		}
	}
	goodput := Spec{Method: method.RDMA, RDMA: traffic.VerbsOptions{Metric: traffic.MetricGoodput}}
	killed := errors.New("b: linerate-verbs: it ended: signal: killed")
	a, b := &remote.End{Host: "a", Outcome: seen(1000000, 0, 50, 2e9)}, &remote.End{Host: "b", Err: killed}
	c := &experiment.Combination{Record: &record.Experiment{}}
	err := brokenBy(goodput, killed, []*remote.End{a, b})
	keepBroken(c, 1, err)
	want := record.Broken{Repeat: 1, Host: "a", Text: "rxe0 port 1: the other end does not answer",
		After: 2, Last: 2, Operations: 50, Goodput: 4e6}
	if err == nil || !errors.Is(err, killed) || c.Record.Broken == nil || *c.Record.Broken != want {
		t.Fatalf("%v: %+v", err, c.Record.Broken)
	}
	for _, part := range []string{"b: linerate-verbs: it ended", "a: rxe0 port 1: the other end does not " +
		"answer", "broke off after 2.00 s of the interval, and in the 2.00 s until its last answer 4.00 Mb/s were carried"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is missing: %v", part, err)
		}
	}

	// Both ends notice it: the figures are those of the requesting end.
	b = &remote.End{Host: "b", Outcome: seen(0, 0, 0, 3e9)}
	if err := brokenBy(goodput, nil, []*remote.End{b, a}); err == nil || !strings.HasPrefix(err.Error(), "a: rxe0") {
		t.Errorf("both: %v", err)
	}
	a.Outcome = seen(0, 0, 0, -5)
	if err := brokenBy(
		goodput,
		nil,
		[]*remote.End{a, b},
	); !strings.Contains(brokenBy(goodput, nil, []*remote.End{a}).Error(), "before the interval opened") ||
		err == nil {
		t.Errorf("before the interval: %v", err)
	}

	// The remaining end only answered: it reports the time, and that there are no figures.
	idle := seen(0, 0, 0, 3e9)
	idle.Verbs.Broken.LastNS = 0
	if err := brokenBy(goodput, killed, []*remote.End{{Host: "a", Err: killed}, {Host: "b", Outcome: idle}}); err == nil ||
		!strings.Contains(err.Error(),
			"broke off after 3.00 s of the interval, and b had asked for nothing that was answered in it") {
		t.Errorf("an end that answers: %v", err)
	}

	// Nothing broke off.
	a.Outcome.Verbs.Broken = nil
	if err := brokenBy(goodput, killed, []*remote.End{a, {Host: "b", Err: killed}}); err != nil {
		t.Errorf("nothing broke off: %v", err)
	}
	if err := brokenBy(goodput, nil, []*remote.End{{Host: "a", Outcome: &traffic.Outcome{}}}); err != nil {
		t.Errorf("a stream: %v", err)
	}
	keepBroken(c, 0, killed)
}

// Pairs that did not begin together cause a warning, with the reason.
func TestReleasedFar(t *testing.T) {
	ends := []record.VerbsEnd{
		{Host: "a", Skew: 51e-6},
		{Host: "b", Skew: 50e-6},
		{Host: "c", Skew: 2e-3, Crowded: true},
	}
	got := releaseWarnings(Spec{Streams: 8}, ends)
	if len(got) != 2 ||
		!strings.Contains(
			got[0],
			"a: the 8 pairs were released within 51.0 us of each other, which is more than 50.0 us: a thread waited for "+
				"its core",
		) ||
		!strings.Contains(got[1], "fewer cores than pairs") {
		t.Errorf("%q", got)
	}
	if got := releaseWarnings(Spec{Streams: 1}, ends); got != nil {
		t.Errorf("one pair: %q", got)
	}
}
