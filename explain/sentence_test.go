package explain

import (
	"strings"
	"testing"

	"linerate/result"
)

// A measurement without a known ceiling is not said to be below it.
func TestSentenceOfUnknownCeilings(t *testing.T) {
	e := func(limiter string) *result.Experiment {
		return &result.Experiment{Repeats: []result.Repeat{{}}, Verdict: &result.Verdict{Limiter: limiter, Sentence: "a -> b carries less."}}
	}
	for _, c := range []struct {
		limiters []string
		want     string
	}{
		{[]string{NotKnown}, "a -> b carries less."},
		{[]string{NotKnown, NotKnown}, "a -> b carries less. None of the 2 measurements has a known ceiling."},
		{[]string{"link", NotKnown, NotKnown}, "a -> b carries less. What could be carried is not known of 2 measurements."},
		{[]string{Unexplained, NotKnown}, "a -> b carries less. What could be carried is not known of 1 measurement."},
		{[]string{Unexplained, "app-limited", "link"}, "a -> b carries less. 2 of 3 measurements stay below their link."},
		{[]string{Unexplained, "app-limited", NotKnown}, "a -> b carries less. 2 of 3 measurements stay below their link. What could be carried is not known of 1 measurement."},
	} {
		r := &result.Run{Complete: true}
		for _, l := range c.limiters {
			r.Experiments = append(r.Experiments, e(l))
		}
		if got := Sentence(r); got != c.want {
			t.Errorf("%s: %q, want %q", strings.Join(c.limiters, ", "), got, c.want)
		}
	}
}
