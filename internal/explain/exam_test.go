package explain

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/explain/cause"
	"linerate/internal/lab/fault"
)

// Every recorded run gets its cause as the verdict, and one of a healthy lab its ceiling.
func TestRuns(t *testing.T) {
	t.Parallel()
	named := map[string]bool{}
	for _, x := range recordedRuns(t, "") {
		r := x.judged(t, cause.All())
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
			t.Errorf("no run is recorded in which %s is the verdict (fault %[2]s): linerate lab exam examples/exam.yaml "+
				"--seed 2 --faults %[2]s -o DIR; go test ./internal/explain -run '^TestRecord$' -from DIR", f.Cause, f.ID)
		}
	}
}

// When a route is changed, its congestion window stays in the kernel's metrics of the address.
func TestClampIsForgotten(t *testing.T) {
	if v := load(t, "exam/route-cwnd").verdict(t); v.Limiter != "cwnd-clamp" || v.Confidence != "proved" ||
		!slices.Contains(strings.Split(v.Fix, "\n"), "ip tcp_metrics flush 10.9.1.2") {
		t.Errorf("%s (%s): %s", v.Limiter, v.Confidence, v.Fix)
	}
}
