package explain

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/lab/fault"
)

// Every recorded run leads to its cause, and one of a healthy lab to its ceiling.
func TestRuns(t *testing.T) {
	t.Parallel()
	named := map[string]bool{}
	for _, x := range recordedRuns(t, "") {
		r := x.judged(t, known())
		if !x.right(r) {
			for _, e := range r.Experiments {
				if e.Verdict != nil {
					t.Errorf("%s: %s, want %v: %s", x.name, e.Verdict.Limiter, x.of.Truth, e.Verdict.Sentence)
				}
			}
		}
		for _, e := range r.Experiments {
			if e.Verdict != nil {
				named[e.Verdict.Limiter] = true
			}
		}
	}
	for _, f := range fault.All() {
		if !named[f.Cause] {
			t.Errorf("no run is recorded in which %s is the verdict (fault %[2]s): linerate lab exam examples/exam.yaml --seed 2 --only %[2]s -o DIR; go test ./explain -run '^TestRecord$' -from DIR", f.Cause, f.ID)
		}
	}
}

// A route's window stays in what the kernel remembers of an address when the route is changed.
func TestClampIsForgotten(t *testing.T) {
	if v := kept(t, "exam/route-cwnd").verdict(t); v.Limiter != cwndClamp.ID || v.Confidence != "proved" || !slices.Contains(strings.Split(v.Fix, "\n"), "ip tcp_metrics flush 10.9.1.2") {
		t.Errorf("%s (%s): %s", v.Limiter, v.Confidence, v.Fix)
	}
}
