package explain

import (
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// What small requests carry grows with their size as long as each costs the same; where it no longer does, something else holds.
func TestRequestRate(t *testing.T) {
	// requests a second at two sizes; the first is judged.
	with := func(t *testing.T, size string, perSecond float64, other string, there float64) *record.Verdict {
		set := func(e *record.Experiment, size string, perSecond float64) {
			n, err := unit.ParseBytes(size)
			if err != nil {
				t.Fatal(err)
			}
			e.Settings["size"], e.Goodput.Median = size, perSecond*8*float64(n)
			for i := range e.Repeats {
				e.Repeats[i].Goodput, e.Repeats[i].Forward = e.Goodput.Median, e.Goodput.Median
			}
		}
		x := kept(t, "exam/healthy-rdma").record(t, func(e *record.Experiment) { set(e, size, perSecond) })
		return x.twice(t, func(e *record.Experiment) { set(e, other, there) }).verdict(t)
	}
	v := with(t, "8B", 20_000, "64B", 20_500)
	if v.Limiter != "rdma-request-rate" || v.Confidence != "proved" || v.Identity == nil || !strings.Contains(v.Sentence, "20.0 thousand a second of 8 B each, and 20.5 thousand of 64 B") {
		t.Errorf("%s (%s): %s", v.Limiter, v.Confidence, v.Sentence)
	}
	if v := with(t, "8B", 20_000, "64B", 14_000); v.Limiter != "rdma-request-rate" || v.Confidence != "likely" {
		t.Errorf("fewer of the larger ones: %s (%s)", v.Limiter, v.Confidence)
	}
	for name, v := range map[string]*record.Verdict{"as many bytes of both": with(t, "8B", 20_000, "64B", 2_500), "the larger one is judged": with(t, "64B", 20_000, "8B", 20_000),
		"hardly larger": with(t, "64B", 20_000, "96B", 20_000)} {
		if v.Limiter == "rdma-request-rate" {
			t.Errorf("%s: %s", name, v.Sentence)
		}
	}
}

// A completion has the bytes of several requests: a short window may get those of one too many, and that is no error of measurement.
func TestLumps(t *testing.T) {
	read := func(t *testing.T, size string, signal int, share float64) string {
		return kept(t, "exam/healthy-rdma").carries(t, share).record(t, func(e *record.Experiment) {
			e.Settings["size"], e.Settings["pairs"] = size, "1"
			for i := range e.Verbs.Ends {
				e.Verbs.Ends[i].Signal = signal
			}
		}).verdict(t).Limiter
	}
	if got := read(t, "64B", 1, 1.03); got != "above-ceiling" {
		t.Errorf("3 %% above, in requests of 64 B: %s", got)
	}
	if got := read(t, "1MiB", 8, 1.03); got == "above-ceiling" {
		t.Errorf("3 %% above, of which a completion of 8 MiB is more: %s", got)
	}
}
