package report

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"linerate/internal/inspect/check"
	"linerate/internal/inspect/check/checks"
	"linerate/internal/record"
	"linerate/internal/report/reporttest"
)

func TestJUnit(t *testing.T) {
	asked := checks.All()[:3]
	r := check.Result{Findings: []record.Finding{
		{ID: asked[1].ID, Severity: record.Error, Subject: record.PartsOf("nas", "eth2"), Have: "a <down> \x1b[31mport\"",
			Want: "up & running", Evidence: []record.EvidenceLine{{Host: "nas", Source: "ip link", Line: "state DOWN"}},
			Consequence: "nothing passes", Fix: "ip link set eth2 up", Undo: "ip link set eth2 down"},
		{ID: asked[1].ID, Severity: record.Warning, Subject: record.PartsOf("pc", "eth1"), Have: "x", Want: "y",
			Consequence: "z", Fix: "f"},
		{ID: asked[2].ID, Severity: record.Info, Subject: record.PartsOf("pc", "eth1"), Have: "x", Want: "y",
			Consequence: "z", Fix: "f",
			Explains: []record.Explained{{ID: "mtu", Subject: record.PartsOf("pc", "eth3"), Have: "1500"}}},
	},
		Unknown: []record.Unknown{{Subject: "lab", Reason: "ssh: no answer"}}}
	of := Checked{What: "3 hosts of home", Machines: 3, Asked: asked}
	b := reporttest.Written(t, func(w io.Writer) error { return JUnit(w, of, r) })
	var got junitSuites
	if err := xml.Unmarshal([]byte(b), &got); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	s := got.Suites[0]
	if got.Tests != 4 || got.Failures != 1 || s.Skipped != 1 || len(s.Cases) != 4 ||
		s.Name != "linerate check 3 hosts of home" {
		t.Errorf("%+v", got)
	}
	if f := s.Cases[1].Failure; f == nil || f.Type != "error" || !strings.HasPrefix(f.Message, "nas: eth2: a <down> ") ||
		!strings.HasSuffix(f.Message, "(and 1 more)") || !strings.Contains(f.Text, "seen: nas, ip link: state DOWN\n") ||
		!strings.Contains(f.Text, "undo: ip link set eth2 down") || strings.Contains(b, "\x1b") {
		t.Errorf("%+v", f)
	}
	if s.Cases[0].Failure != nil || s.Cases[2].Failure != nil ||
		!strings.Contains(s.Cases[2].Out, "so: pc: eth3: 1500 (mtu)") {
		t.Errorf("%+v %+v", s.Cases[0], s.Cases[2])
	}
	if k := s.Cases[3]; k.Skipped == nil || k.Skipped.Message != "ssh: no answer" || k.Name != "lab" {
		t.Errorf("%+v", k)
	}
}

// A machine that reported nothing has passed no check.
func TestJUnitOfNothing(t *testing.T) {
	var b strings.Builder
	if err := JUnit(&b, Checked{What: "home", Asked: checks.All()[:3]},
		check.Result{Unknown: []record.Unknown{{Subject: "nas", Reason: "no answer"}}}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); strings.Count(got, "<skipped") != 4 || !strings.Contains(got, `skipped="4"`) {
		t.Error(got)
	}
}

// A goal that is met passes, one that is missed fails, and unknown or unmeasured ones do not count as passed.
func TestJUnitGoals(t *testing.T) {
	yes, no := true, false
	r := &record.Run{Fabric: "home", Goals: []record.Goal{
		{Name: "raw", Want: "at least 9 Gb/s", Have: "9.41 Gb/s", Met: &yes},
		{Name: "<nas>", Want: "at least 40 Gb/s", Have: "12.4 Gb/s \x1b[31m", Met: &no, Why: "pc -> nas: the slot"},
		{Name: "copy", Want: "at most 10 s", Why: "it was not measured"},
	}, Experiments: []*record.Experiment{{Name: "copy", From: "pc", To: "nas", Failed: "nas is gone"},
		{Name: "raw", From: "pc", To: "nas", Repeats: []record.Repeat{{}}}, {Name: "late", From: "pc", To: "nas"}}}
	b := reporttest.Written(t, func(w io.Writer) error { return JUnitGoals(w, r) })
	var got junitSuites
	if err := xml.Unmarshal([]byte(b), &got); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	s := got.Suites[0]
	if got.Tests != 5 || got.Failures != 1 || s.Skipped != 3 || s.Name != "linerate run home" {
		t.Errorf("%+v", got)
	}
	for i, want := range []string{"", "wanted at least 40 Gb/s, measured 12.4 Gb/s", "not known: it was not measured",
		"nas is gone", "it was not measured: the run was cut off before it"} {
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
	if strings.Contains(b, "\x1b") {
		t.Error("a control character is in it")
	}
}
