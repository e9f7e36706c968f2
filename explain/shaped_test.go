package explain

import (
	"strings"
	"testing"

	"linerate/result"
)

// A link of the lab that was never held to its rate is no verdict, whatever was measured on it.
func TestNeverShaped(t *testing.T) {
	full := func() *result.Verdict {
		return &result.Verdict{Limiter: "link", Confidence: "proved", Component: "link a--b", Sentence: "a -> b carries 9.4 Gb/s, 100 % of what link a--b allows: the link is full."}
	}
	e := &result.Experiment{Links: []string{"a--b", "b--c"}}
	for _, c := range []struct {
		name   string
		lab    *result.Lab
		shaped bool
	}{
		{"real hosts", nil, true},
		{"every link shaped", &result.Lab{Shaped: []string{"b--c", "a--b"}}, true},
		{"one not", &result.Lab{Shaped: []string{"a--b"}}, false},
		{"none", &result.Lab{}, false},
	} {
		v := full()
		neverShaped(v, e, c.lab)
		if kept := v.Limiter == "link"; kept != c.shaped {
			t.Errorf("%s: the limiter is %s", c.name, v.Limiter)
		}
		if !c.shaped && (v.Confidence != "" || strings.Contains(v.Sentence, "is full") || !strings.Contains(v.Sentence, "never held to that rate")) {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
	v := &result.Verdict{Limiter: "cpu-copy"}
	neverShaped(v, e, &result.Lab{})
	if v.Limiter != "cpu-copy" {
		t.Errorf("another verdict became %s", v.Limiter)
	}
}
