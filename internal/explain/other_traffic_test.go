package explain

import "testing"

// Without goodput over time, other traffic may have been that of the flow itself, at a time when it did not pause.
func TestOtherTrafficWithoutTime(t *testing.T) {
	r := load(t, "other-traffic")
	if v := r.verdict(t); v.Limiter != "other-traffic" || v.Identity == nil {
		t.Fatalf("%s: %s", v.Limiter, v.Sentence)
	}
	r.exp.Repeats[0].SeriesOut = nil
	if v := r.verdict(t); v.Limiter == "other-traffic" {
		t.Errorf("%s", v.Sentence)
	}
}
