package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/record/runfolder"
)

// A run with --chase keeps the steps that a verdict asked for apart from the experiments of the file, in the record and on the page; one without the
// flag chases nothing. Which verdict asks, and what the chase makes of it, is judged by recorded runs (package explain) and by internal/lab/exam/live.
func TestChaseInLab(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	fabric := copyFile(t, "../../examples/exam.yaml", p.path("exam.yaml"), "streams: 2}", "streams: 2, time: 1s}")
	s := p.labUp(t, fabric, "0.02")
	measure := func(name string, flags ...string) (*record.Run, string) {
		t.Helper()
		dir := p.path(name)
		a := s.linerate(t, append([]string{"run", s.fabric, "--lab=" + s.id, "--repeats", "1", "-o", dir}, flags...)...)
		if a.code != exitDone {
			t.Fatalf("%d: %s%s", a.code, a.out, a.err)
		}
		o, err := runfolder.Open(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		return o.Run, a.out + a.err
	}
	if r, _ := measure("plain"); r.Chase != nil || len(r.Experiments[0].Chase) != 0 {
		t.Errorf("chased without the flag: %+v", r.Chase)
	}
	if a := s.linerate(t, "lab", "fault", s.fabric, "policer-link", "--lab", s.id, "--set", "share=0.7,burst=0.01"); a.code != exitDone {
		t.Fatalf("%s%s", a.out, a.err)
	}
	r, said := measure("chased", "--chase", "30s")
	e := r.Experiments[0]
	if len(r.Experiments) != 1 || r.Chase == nil || r.Chase.Steps != len(e.Chase) || len(e.Chase) > 3 {
		t.Fatalf("%d experiments, chase %+v, %d steps of the experiment\n%s", len(r.Experiments), r.Chase, len(e.Chase), said)
	}
	for i, x := range e.Chase {
		if x.Chased == nil || x.Chased.For != e.ID || x.Chased.Step != i+1 || x.Chased.Why == "" {
			t.Errorf("step %d: %+v", i+1, x.Chased)
		}
	}
	page, err := os.ReadFile(filepath.Join(p.path("chased"), runfolder.ReportName))
	if has := strings.Contains(string(page), "Measured to settle it"); err != nil || has != (len(e.Chase) > 0) {
		t.Errorf("%v: the page has the steps: %v, and there are %d", err, has, len(e.Chase))
	}
	if again := s.linerate(t, "explain", p.path("chased")); again.code != exitDone || strings.Contains(again.out, "step 1") != (len(e.Chase) > 0) {
		t.Errorf("%d steps, explained again: %s", len(e.Chase), again)
	}
	if len(e.Chase) == 0 && !strings.Contains(said, "no verdict asks") {
		t.Errorf("nothing was chased, and the terminal does not say so: %s", said)
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
