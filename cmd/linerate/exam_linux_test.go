package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/exam"
)

// A sample of the exam: a setting, a queueing discipline and a card that tells of a slow link, each beside a healthy lab.
func TestExamSample(t *testing.T) {
	needLab(t)
	p := newPlace(t)
	file := copyFile(t, "../../examples/exam.yaml", p.path("exam.yaml"))
	n := 0
	tries(t, func() error {
		n++
		dir := p.path("exam" + strings.Repeat("x", n))
		a := p.linerate(t, "lab", "exam", file, "--seed", "2", "--only", "receive-buffer,shaper-tbf,link-slow", "-o", dir, "--json")
		if a.code != exitDone {
			t.Fatal(a)
		}
		var x struct {
			Outcomes []exam.Outcome
			Matrices []exam.Matrix
		}
		if err := json.Unmarshal([]byte(a.out), &x); err != nil {
			t.Fatal(err)
		}
		if len(x.Outcomes) != 6 || len(x.Matrices) != 3 {
			t.Fatalf("%+v", x)
		}
		for _, o := range x.Outcomes {
			if o.Mark == exam.Wrong || o.Mark == exam.Failed {
				t.Errorf("%+v", o)
			}
			if o.Mark != exam.Right {
				return fmt.Errorf("%s: %s: %s", o.Truth, o.Limiter, o.Sentence)
			}
			for _, name := range []string{"run/manifest.json", "blind/manifest.json"} {
				if _, err := os.Stat(filepath.Join(dir, o.Folder, name)); err != nil {
					t.Error(err)
				}
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "exam.json")); err != nil {
			t.Error(err)
		}
		return nil
	})
	p.nothingLeft(t, 10*time.Second)
}

// A fault is made, told and taken back by hand.
func TestFaultByHand(t *testing.T) {
	needLab(t)
	p := newPlace(t)
	s := p.labUp(t, copyFile(t, "../../examples/exam.yaml", p.path("exam.yaml")), "0.02")
	rmem := func() string {
		return strings.Join(strings.Fields(s.on(t, "host2", "sysctl", "-n", "net.ipv4.tcp_rmem")), " ")
	}
	was := rmem()
	a := s.linerate(t, "lab", "fault", s.fabric, "receive-buffer", "--set", "limit=20000", "--lab", s.id)
	if a.code != exitDone || !hold(strings.Split(a.out, "\n"), []string{"receive-buffer:", "  limit 20.0 kB", "host2: sysctl", "a verdict should say: receive-window-cap"}) {
		t.Fatal(a)
	}
	if now := rmem(); now != "4096 20000 20000" {
		t.Errorf("%q", now)
	}
	if a := s.linerate(t, "lab", "fault", "--undo", "--lab", s.id); a.code != exitDone || rmem() != was {
		t.Errorf("undone: %q, before %q: %s", rmem(), was, a)
	}
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"receive-buffer", "--set", "limit=7,colour=red"}, []string{"limit", "it takes", "colour"}},
		{[]string{"calls-small", "--set", "bytes=512"}, []string{"calls-small", "size: 512", "fabric file"}},
		{[]string{"nothing"}, []string{`no fault "nothing"`, "--list"}},
		{[]string{"receive-buffer", "--lab", "zzzz"}, []string{"no lab zzzz"}},
	} {
		args := append([]string{"lab", "fault", s.fabric}, c.args...)
		if !slices.Contains(args, "--lab") {
			args = append(args, "--lab", s.id)
		}
		a := s.linerate(t, args...)
		for _, w := range c.want {
			if a.code != exitInput || !strings.Contains(a.err, w) {
				t.Errorf("%v: want code 2 and %q: %s", c.args, w, a)
			}
		}
	}
}

// A fault that needs a kernel of its own is not made where the ends are namespaces, nor one of namespaces where they are guests.
func TestExamOfGuests(t *testing.T) {
	for _, c := range []struct{ file, only, want string }{
		{"../../examples/exam.yaml", "backlog-short", "backlog-short needs guests as sender and receiver"},
		{"../../examples/exam-guests.yaml", "receive-buffer", "receive-buffer needs namespaces"},
	} {
		if a := call(t, nil, "lab", "exam", c.file, "--seed", "2", "--only", c.only); a.code != exitInput || !strings.Contains(a.err, c.want) {
			t.Errorf("%s: want code 2 and %q: %s", c.file, c.want, a)
		}
	}
}
