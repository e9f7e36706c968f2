package report

import (
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/terminal"
)

// shaperRun has a path that fills a leftover shaper, and one that is just below its link.
func shaperRun() *record.Run {
	e := func(share, of float64, v *record.Verdict) *record.Experiment {
		v.ShareOfCeiling = &of
		return &record.Experiment{Method: "throughput", From: "desk", To: "nas", Direction: "out", Verdict: v,
			Goodput: &record.Estimate{Median: share * 1e9}, Ceiling: &record.Chain{Limit: unit.BitRate(share / of * 1e9),
				Hops: []record.Hop{{Kind: "cable", Rate: unit.Known[unit.BitRate](1e9)},
					{Kind: "shaper", Rate: unit.Known(unit.BitRate(share / of * 1e9))}}}}
	}
	return &record.Run{Experiments: []*record.Experiment{
		e(0.966, 0.966, &record.Verdict{Limiter: record.LimiterUnexplained, Sentence: "nas -> desk carries 96.6 %."}),
		e(0.25, 0.998, &record.Verdict{Limiter: "local-shaper", Component: "shaper on desk: xg0", Sentence: "A shaper.",
			Fix: "tc qdisc del dev xg0 root"}),
	}, Findings: []record.Finding{
		{ID: "local-shaper", Severity: record.Error, Subject: record.PartsOf("desk", "xg0"), Have: "tbf at 500 Mbit",
			Fix: "tc qdisc del dev xg0 root", Consequence: "500 Mbit."},
		{ID: "local-shaper", Severity: record.Error, Subject: record.PartsOf("nas", "xg0"), Have: "tbf at 700 Mbit",
			Fix: "tc qdisc del dev xg0 root", Consequence: "700 Mbit."},
	}}
}

// The paragraphs begin with the path that is farthest below the plan, though its shaper is full.
func TestCausesOfAShaperComeFirst(t *testing.T) {
	if all := Causes(shaperRun()); len(all) != 2 || all[0].Verdict.Limiter != "local-shaper" {
		t.Errorf("%+v", all)
	}
}

// A finding that a verdict names stays in the list, and another host's with the same name keeps its fix.
func TestFoundOnHostsIsWhole(t *testing.T) {
	var out strings.Builder
	l := terminal.Terminal{Out: &out, Width: 100}.Lines()
	PrintFoundOnHosts(l, shaperRun())
	if err := l.Flush(); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for word, want := range map[string]int{"tbf at 500 Mbit": 1, "tbf at 700 Mbit": 1, "500 Mbit.": 0, "700 Mbit.": 1,
		"tc qdisc del dev xg0 root": 1} {
		if got := strings.Count(text, word); got != want {
			t.Errorf("%q: %d times, want %d:\n%s", word, got, want, text)
		}
	}
}

// Failures that differ only in the ports of their connections are one.
func TestFailuresOfOneKind(t *testing.T) {
	failed := func(name, why string) *record.Experiment { return &record.Experiment{Name: name, Failed: why} }
	r := &record.Run{Experiments: []*record.Experiment{
		failed("tcp", "10.0.0.1 -> 10.0.0.2:41235: no answer at all; the other way round, 10.0.0.2 -> 10.0.0.1:39001"),
		failed("tcp", "10.0.0.1 -> 10.0.0.2:35011: no answer at all; the other way round, 10.0.0.2 -> 10.0.0.1:50123"),
		failed("six", "[fe80::1] -> [fe80::2%e0]:35011: no answer at all"),
		failed("six", "[fe80::1] -> [fe80::2%e0]:35012: no answer at all"),
		failed("rtt", "10.0.0.1 -> 10.0.0.3:35011: no answer at all"),
	}}
	all := Missing(r, ReasonFailed)
	if len(all) != 3 || all[0].Combinations != 2 || all[0].Names[0] != "tcp (2)" || all[1].Names[0] != "six (2)" {
		t.Errorf("%+v", all)
	}
}
