package explain

import (
	"strings"
	"testing"

	"linerate/internal/record"
)

// A link of the lab that no shaper limited is not a verdict, whatever was measured on it.
func TestNeverShaped(t *testing.T) {
	full := func() *record.Verdict {
		return &record.Verdict{Limiter: "link", Confidence: "proved", Component: "link a--b",
			Sentence: "a -> b carries 9.4 Gb/s, 100 % of what link a--b allows: the link is full."}
	}
	e := &record.Experiment{Links: []string{"a--b", "b--c"}}
	for _, c := range []struct {
		name   string
		lab    *record.Lab
		shaped bool
	}{
		{"real hosts", nil, true},
		{"every link shaped", &record.Lab{Shaped: []string{"b--c", "a--b"}}, true},
		{"one not", &record.Lab{Shaped: []string{"a--b"}}, false},
		{"none", &record.Lab{}, false},
	} {
		v := full()
		neverShaped(v, e, c.lab)
		if kept := v.Limiter == "link"; kept != c.shaped {
			t.Errorf("%s: the limiter is %s", c.name, v.Limiter)
		}
		if !c.shaped && (v.Confidence != "" || strings.Contains(v.Sentence, "is full") ||
			!strings.Contains(v.Sentence, "never held to that rate")) {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
	v := &record.Verdict{Limiter: "cpu-copy"}
	neverShaped(v, e, &record.Lab{})
	if v.Limiter != "cpu-copy" {
		t.Errorf("another verdict became %s", v.Limiter)
	}
}
