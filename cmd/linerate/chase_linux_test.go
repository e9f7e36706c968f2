package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/result"
)

// A lab whose wire drops what is above a rate: no counter says so, so that the verdict asks, and the chase settles it. The lab as it is built gives
// nothing to chase, and a run without the flag chases nothing.
func TestChaseInLab(t *testing.T) {
	needLab(t)
	p := newPlace(t)
	s := p.labUp(t, copyFile(t, "../../examples/exam.yaml", p.path("exam.yaml")), "0.02")
	n := 0
	measure := func(flags ...string) (*result.Run, string) {
		t.Helper()
		n++
		dir := p.path(fmt.Sprintf("run%d", n))
		a := s.linerate(t, append([]string{"run", s.fabric, "--lab=" + s.id, "--repeats", "3", "-o", dir}, flags...)...)
		if a.code != exitDone {
			t.Fatalf("%d: %s%s", a.code, a.out, a.err)
		}
		o, err := result.Open(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		return o.Run, a.out + a.err
	}
	tries(t, func() error {
		r, said := measure("--chase", "30s")
		e := r.Experiments[0]
		if e.Verdict.Limiter != "link" {
			return fmt.Errorf("healthy: %s", e.Verdict.Sentence)
		}
		if len(e.Chase) != 0 || r.Chase == nil || r.Chase.Steps != 0 || len(r.Chase.LeftOut) != 0 || !strings.Contains(said, "no verdict asks") {
			t.Fatalf("a full link was chased: %+v\n%s", r.Chase, said)
		}
		return nil
	})
	if a := s.linerate(t, "lab", "fault", s.fabric, "policer-link", "--lab", s.id, "--set", "share=0.7,burst=0.01"); a.code != exitDone {
		t.Fatalf("%s%s", a.out, a.err)
	}
	tries(t, func() error {
		r, said := measure("--chase", "30s")
		e := r.Experiments[0]
		if len(e.Chase) == 0 || r.Chase.Steps != len(e.Chase) || len(e.Chase) > 3 || r.Chase.Seconds > 30 {
			return fmt.Errorf("steps %+v: %s\n%s", r.Chase, e.Verdict.Sentence, said)
		}
		for i, x := range e.Chase {
			if x.Chased == nil || x.Chased.For != e.ID || x.Chased.Step != i+1 || x.Chased.Why == "" || len(x.Repeats) == 0 {
				t.Errorf("step %d: %+v", i+1, x.Chased)
			}
		}
		v := e.Verdict
		if v.Limiter != "policer" || v.Confidence != "likely" || len(v.Evidence) < 2 {
			return fmt.Errorf("%s (%s): %s", v.Limiter, v.Confidence, v.Sentence)
		}
		if len(r.Experiments) != 1 || !strings.Contains(said, "step 1, pace") || strings.Contains(r.Sentence, "2 measurements") {
			t.Errorf("the steps are taken for experiments of the file: %s\n%s", r.Sentence, said)
		}
		page, err := os.ReadFile(filepath.Join(p.path(fmt.Sprintf("run%d", n)), result.ReportName))
		if err != nil || !strings.Contains(string(page), "Measured to settle it") {
			t.Errorf("the page does not have the steps: %v", err)
		}
		again := s.linerate(t, "explain", p.path(fmt.Sprintf("run%d", n)))
		if !strings.Contains(again.out, "comes too fast") || !strings.Contains(again.out, "step 1, pace") {
			t.Errorf("explained again: %s", again.out)
		}
		return nil
	})
	if r, _ := measure(); r.Chase != nil || len(r.Experiments[0].Chase) != 0 {
		t.Errorf("chased without the flag: %+v", r.Chase)
	}
}

// A time of --chase is the next word, or stands behind an equals sign; what cannot be meant is said.
func TestChaseFlag(t *testing.T) {
	for _, c := range []struct {
		chase string
		args  []string
		want  string
		left  int
	}{
		{chaseAlone, []string{"f.yaml"}, chaseAlone, 1},
		{chaseAlone, []string{"f.yaml", "2m"}, "2m", 1},
		{chaseAlone, []string{"2m", "f.yaml"}, "2m", 1},
		{chaseAlone, []string{"f.yaml", "g.yaml"}, chaseAlone, 2},
		{"30s", []string{"f.yaml", "2m"}, "30s", 2},
		{"", []string{"f.yaml", "2m"}, "", 2},
	} {
		f := runFlags{chase: c.chase}
		if left := f.chaseTime(c.args); f.chase != c.want || len(left) != c.left {
			t.Errorf("--chase %q, %q: %q, %q", c.chase, c.args, f.chase, left)
		}
	}
	for flag, why := range map[string]string{"soon": "--chase", "1s": "at least 5s", "2h": "at most 1h", "-5s": "--chase"} {
		f := runFlags{chase: flag}
		if _, err := f.chaseLimit(); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", flag, err)
		}
	}
}
