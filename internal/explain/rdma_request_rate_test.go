package explain

import (
	"fmt"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/testenv"
)

// The goodput of small requests grows with their size as long as each request costs the same. Where it does not, the
// bottleneck is another one.
func TestRequestRate(t *testing.T) {
	// Requests per second at two sizes. The first is judged.
	with := func(t *testing.T, size string, perSecond float64, other string, there float64) *record.Verdict {
		x := load(t, "exam/healthy-rdma")
		set := func(size string, perSecond float64) {
			n := testenv.Must(unit.ParseBytes(size))(t)
			x.do(t, fmt.Sprintf("setting size %s ; goodput %g", size, perSecond*8*float64(n)/float64(x.exp.Ceiling.Limit)))
		}
		set(size, perSecond)
		x.again(t)
		set(other, there)
		return x.verdict(t)
	}
	v := with(t, "8B", 20_000, "64B", 20_500)
	if v.Limiter != "rdma-request-rate" || v.Confidence != "proved" || v.Identity == nil ||
		!strings.Contains(v.Sentence, "20.0 thousand a second of 8 B each, and 20.5 thousand of 64 B") {
		t.Errorf("%s (%s): %s", v.Limiter, v.Confidence, v.Sentence)
	}
	if v := with(t, "8B", 20_000, "64B", 14_000); v.Limiter != "rdma-request-rate" || v.Confidence != "likely" {
		t.Errorf("fewer of the larger ones: %s (%s)", v.Limiter, v.Confidence)
	}
	for name, v := range map[string]*record.Verdict{"as many bytes of both": with(t, "8B", 20_000, "64B", 2_500),
		"the larger one is judged": with(t, "64B", 20_000, "8B", 20_000),
		"hardly larger":            with(t, "64B", 20_000, "96B", 20_000)} {
		if v.Limiter == "rdma-request-rate" {
			t.Errorf("%s: %s", name, v.Sentence)
		}
	}
}

// A completion has the bytes of several requests. A short interval may count one completion too many, which is not a
// measurement error.
func TestLumps(t *testing.T) {
	read := func(t *testing.T, size string, signal int, share float64) string {
		x := from(t, "exam/healthy-rdma", fmt.Sprintf("goodput %g ; setting size %s ; setting pairs 1", share, size))
		for i := range x.exp.Verbs.Ends {
			x.exp.Verbs.Ends[i].Signal = signal
		}
		return x.verdict(t).Limiter
	}
	if got := read(t, "64B", 1, 1.03); got != "above-ceiling" {
		t.Errorf("3 %% above, in requests of 64 B: %s", got)
	}
	if got := read(t, "1MiB", 8, 1.03); got == "above-ceiling" {
		t.Errorf("3 %% above, of which a completion of 8 MiB is more: %s", got)
	}
}
