package report

import (
	"encoding/xml"
	"strings"
	"testing"

	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

func TestJUnit(t *testing.T) {
	asked := check.Checks()[:3]
	r := check.Result{
		Findings: []record.Finding{
			{ID: asked[1].ID, Severity: record.Error, Subject: "nas: eth2", Have: "a <down> \x1b[31mport\"", Want: "up & running", Evidence: []record.EvidenceLine{{Host: "nas", Source: "ip link", Line: "state DOWN"}}, Consequence: "nothing passes", Fix: "ip link set eth2 up", Undo: "ip link set eth2 down"},
			{ID: asked[1].ID, Severity: record.Warning, Subject: "pc: eth1", Have: "x", Want: "y", Consequence: "z", Fix: "f"},
			{ID: asked[2].ID, Severity: record.Info, Subject: "pc: eth1", Have: "x", Want: "y", Consequence: "z", Fix: "f", Explains: []record.Explained{{ID: "mtu", Subject: "pc: eth3", Have: "1500"}}},
		},
		Unknown: []record.Unknown{{Subject: "lab", Reason: "ssh: no answer"}},
	}
	var b strings.Builder
	if err := JUnit(&b, Checked{"3 hosts of home", 3, asked}, r); err != nil {
		t.Fatal(err)
	}
	var got junitSuites
	if err := xml.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	s := got.Suites[0]
	if got.Tests != 4 || got.Failures != 1 || s.Skipped != 1 || len(s.Cases) != 4 || s.Name != "linerate check 3 hosts of home" {
		t.Errorf("%+v", got)
	}
	if f := s.Cases[1].Failure; f == nil || f.Type != "error" || !strings.HasPrefix(f.Message, "nas: eth2: a <down> ") || !strings.HasSuffix(f.Message, "(and 1 more)") ||
		!strings.Contains(f.Text, "seen: nas, ip link: state DOWN\n") || !strings.Contains(f.Text, "undo: ip link set eth2 down") || strings.Contains(b.String(), "\x1b") {
		t.Errorf("%+v", f)
	}
	if s.Cases[0].Failure != nil || s.Cases[2].Failure != nil || !strings.Contains(s.Cases[2].Out, "so: pc: eth3: 1500 (mtu)") {
		t.Errorf("%+v %+v", s.Cases[0], s.Cases[2])
	}
	if k := s.Cases[3]; k.Skipped == nil || k.Skipped.Message != "ssh: no answer" || k.Name != "lab" {
		t.Errorf("%+v", k)
	}
}

// A machine that told nothing has passed no check.
func TestJUnitOfNothing(t *testing.T) {
	var b strings.Builder
	if err := JUnit(&b, Checked{What: "home", Asked: check.Checks()[:3]}, check.Result{Unknown: []record.Unknown{{Subject: "nas", Reason: "no answer"}}}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); strings.Count(got, "<skipped") != 4 || !strings.Contains(got, `skipped="4"`) {
		t.Error(got)
	}
}
