package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/cli"
	"linerate/internal/lab/exam"
	"linerate/internal/record/runfolder"
	"linerate/internal/testenv"
)

// An exam of one fault and a healthy lab leaves the run folders, the blind copies and exam.json. internal/lab/exam/live
// tests its verdicts.
func TestExamSample(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	file := copyFile(t, "../../examples/exam.yaml", p.path("exam.yaml"), "streams: 2}", "streams: 2, time: 1s}")
	dir := p.path("exam")
	a := p.linerate(t, "lab", "exam", file, "--seed", "2", "--faults", "shaper-tbf", "--rate", "100M", "-o", dir, "--json")
	if a.code != cli.ExitDone {
		t.Fatal(a)
	}
	var x struct {
		Outcomes []exam.Outcome
		Matrices []exam.Matrix
	}
	testenv.Check(t, json.Unmarshal([]byte(a.out), &x))
	if len(x.Outcomes) != 2 || len(x.Matrices) != 2 {
		t.Fatalf("%+v", x)
	}
	for _, o := range x.Outcomes {
		if o.Mark == exam.Failed || o.Mark == "" || o.Limiter == "" || o.Sentence == "" {
			t.Errorf("%+v", o)
		}
		for _, name := range []string{"run/manifest.json", "blind/manifest.json"} {
			if _, err := os.Stat(filepath.Join(dir, o.Folder, name)); err != nil {
				t.Error(err)
			}
		}
		r := testenv.Must(runfolder.Open(filepath.Join(dir, o.Folder, "run"), ""))(t)
		if r.Run.Lab == nil || r.Run.Lab.Scale != 0.01 {
			t.Errorf("lab %+v: want links of 10 Gb/s at 100 Mb/s", r.Run.Lab)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "exam.json")); err != nil {
		t.Error(err)
	}
	p.nothingLeft(t, time.Minute)
}

// Invalid flags of an exam are refused before a lab is built.
func TestExamFlags(t *testing.T) {
	for _, c := range []struct{ flag, value, want string }{
		{"--rate", "fast", "--rate fast: it takes a rate of at most 200 Mb/s"}, {"--rate", "1G", "--rate 1G"},
		{"--healthy-every", "0", "--healthy-every 0"},
	} {
		if a := call(t, nil, "lab", "exam", "../../examples/exam.yaml", c.flag, c.value); a.code != cli.ExitInput ||
			!strings.Contains(a.err, c.want) {
			t.Errorf("%s %s: want code 2 and %q: %s", c.flag, c.value, c.want, a)
		}
	}
}

// A fault is injected, reported and undone by hand.
func TestFaultByHand(t *testing.T) {
	needLab(t)
	p := newPlace(t)
	s := p.labUp(t, copyFile(t, "../../examples/exam.yaml", p.path("exam.yaml")), "0.02")
	rmem := func() string {
		return strings.Join(strings.Fields(s.on(t, "host2", "sysctl", "-n", "net.ipv4.tcp_rmem")), " ")
	}
	was := rmem()
	a := s.linerate(t, "lab", "fault", s.fabric, "receive-buffer", "--set", "limit=20000", "--in-lab", s.id)
	if a.code != cli.ExitDone || !hold(strings.Split(a.out, "\n"),
		[]string{"receive-buffer:", "  limit 20.0 kB", "host2: sysctl", "a verdict should say: receive-window-cap"}) {
		t.Fatal(a)
	}
	if now := rmem(); now != "4096 20000 20000" {
		t.Errorf("%q", now)
	}
	if a := s.linerate(t, "lab", "fault", "--undo", "--in-lab", s.id); a.code != cli.ExitDone || rmem() != was {
		t.Errorf("undone: %q, before %q: %s", rmem(), was, a)
	}
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"receive-buffer", "--set", "limit=7,colour=red"}, []string{"limit", "it takes", "colour"}},
		{[]string{"calls-small", "--set", "bytes=512"}, []string{"calls-small", "size: 512", "fabric file"}},
		{[]string{"nothing"}, []string{`no fault "nothing"`, "--list"}},
		{[]string{"receive-buffer", "--in-lab", "zzzz"}, []string{"no lab zzzz"}},
	} {
		args := append([]string{"lab", "fault", s.fabric}, c.args...)
		if !slices.Contains(args, "--in-lab") {
			args = append(args, "--in-lab", s.id)
		}
		a := s.linerate(t, args...)
		for _, w := range c.want {
			if a.code != cli.ExitInput || !strings.Contains(a.err, w) {
				t.Errorf("%v: want code 2 and %q: %s", c.args, w, a)
			}
		}
	}
}

// A fault that needs its own kernel is not injected between namespaces, nor one of namespaces between guests.
func TestExamOfGuests(t *testing.T) {
	for _, c := range []struct{ file, only, want string }{
		{"../../examples/exam.yaml", "backlog-short", "backlog-short needs guests as sender and receiver"},
		{"../../examples/exam-guests.yaml", "receive-buffer", "receive-buffer needs namespaces"},
	} {
		if a := call(t, nil, "lab", "exam", c.file, "--seed", "2", "--faults", c.only); a.code != cli.ExitInput ||
			!strings.Contains(a.err, c.want) {
			t.Errorf("%s: want code 2 and %q: %s", c.file, c.want, a)
		}
	}
}
