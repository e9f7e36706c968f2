package explain_test

import "testing"

// Without goodput over time, what passed beside it may have been of the flow itself, in a part of the window in which it did not stand still.
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
