package report

import (
	"encoding/xml"
	"strings"
	"testing"

	"linerate/internal/record"
)

// A goal that is met passes, one that is missed fails, and neither what is not known nor what was not measured counts as passed.
func TestJUnitGoals(t *testing.T) {
	yes, no := true, false
	r := &record.Run{Fabric: "home", Goals: []record.Goal{
		{Name: "raw", Want: "at least 9 Gb/s", Have: "9.41 Gb/s", Met: &yes},
		{Name: "<nas>", Want: "at least 40 Gb/s", Have: "12.4 Gb/s \x1b[31m", Met: &no, Why: "pc -> nas: the slot"},
		{Name: "copy", Want: "at most 10 s", Why: "it was not measured"},
	}, Experiments: []*record.Experiment{{Name: "copy", From: "pc", To: "nas", Failed: "nas is gone"}, {Name: "raw", From: "pc", To: "nas", Repeats: []record.Repeat{{}}}, {Name: "late", From: "pc", To: "nas"}}}
	var b strings.Builder
	if err := JUnitGoals(&b, r); err != nil {
		t.Fatal(err)
	}
	var got junitSuites
	if err := xml.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	s := got.Suites[0]
	if got.Tests != 5 || got.Failures != 1 || s.Skipped != 3 || s.Name != "linerate run home" {
		t.Errorf("%+v", got)
	}
	for i, want := range []string{"", "wanted at least 40 Gb/s, measured 12.4 Gb/s", "not known: it was not measured", "nas is gone", "it was not measured: the run was cut off before it"} {
		c, have := s.Cases[i], ""
		switch {
		case c.Failure != nil:
			have = c.Failure.Message
		case c.Skipped != nil:
			have = c.Skipped.Message
		}
		if !strings.HasPrefix(have, want) || (want == "") != (have == "") {
			t.Errorf("%s: %q, want %q", c.Name, have, want)
		}
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Error("a control character is in it")
	}
}
