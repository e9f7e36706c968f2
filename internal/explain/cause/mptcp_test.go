package cause

import (
	"strings"
	"testing"

	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// A measurement over MPTCP has no ceiling although the links' rates are known: no rate is requested.
func TestNoCeilingOverMPTCP(t *testing.T) {
	c := &judge.Case{Exp: &record.Experiment{From: "a", To: "b", Goodput: &record.Estimate{Median: 184e6},
		Settings: map[string]string{"transport": "mptcp"}}, Goodput: 184e6}
	v := Verdict(c, Tables{})
	if v.Limiter != record.LimiterUnknown || !strings.Contains(v.Sentence, "over MPTCP") ||
		strings.Contains(v.Sentence+v.Fix, "rate on the path") || strings.Contains(v.Fix, "--link") {
		t.Errorf("%q, fix %q", v.Sentence, v.Fix)
	}
}
