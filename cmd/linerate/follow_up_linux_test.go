package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/cli/job"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/testenv"
)

// A run with follow-ups keeps their steps apart from the experiments of the file, in the record and on the page; one
// without the flag has no such steps. Recorded runs (package explain) and internal/lab/exam/live test the verdicts.
func TestFollowUpInLab(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	fabric := copyFile(t, "../../examples/exam.yaml", p.path("exam.yaml"), "streams: 2}", "streams: 2, time: 1s}")
	s := p.labUp(t, fabric, "0.02")
	measure := func(name string, flags ...string) (*record.Run, string) {
		t.Helper()
		dir := p.path(name)
		a := s.linerate(t, append([]string{"run", s.fabric, "--in-lab=" + s.id, "--repeats", "1", "-o", dir}, flags...)...)
		if a.code != cli.ExitDone {
			t.Fatalf("%d: %s%s", a.code, a.out, a.err)
		}
		o := testenv.Must(runfolder.Open(dir, ""))(t)
		return o.Run, a.out + a.err
	}
	if r, _ := measure("plain"); r.FollowUp != nil || len(r.Experiments[0].FollowUp) != 0 {
		t.Errorf("followed up without the flag: %+v", r.FollowUp)
	}
	s.linerate(t, "lab", "fault", s.fabric, "policer-link", "--in-lab", s.id, "--set",
		"share=0.7,burst=0.01").ends(t, cli.ExitDone)
	r, said := measure("chased", "--follow-up", "30s")
	e := r.Experiments[0]
	if len(r.Experiments) != 1 || r.FollowUp == nil || r.FollowUp.Steps != len(e.FollowUp) || len(e.FollowUp) > 3 {
		t.Fatalf("%d experiments, follow-up %+v, %d steps of the experiment\n%s", len(r.Experiments), r.FollowUp,
			len(e.FollowUp), said)
	}
	for i, x := range e.FollowUp {
		if x.FollowedUp == nil || x.FollowedUp.For != e.ID || x.FollowedUp.Step != i+1 || x.FollowedUp.Why == "" {
			t.Errorf("step %d: %+v", i+1, x.FollowedUp)
		}
	}
	page, err := os.ReadFile(filepath.Join(p.path("chased"), runfolder.ReportName))
	if has := strings.Contains(string(page), "Further measurements"); err != nil || has != (len(e.FollowUp) > 0) {
		t.Errorf("%v: the page has the steps: %v, and there are %d", err, has, len(e.FollowUp))
	}
	again := s.linerate(t, "explain", p.path("chased"), "--json").ends(t, cli.ExitDone)
	if n := len(again.run(t).Experiments[0].FollowUp); n != len(e.FollowUp) {
		t.Errorf("%d steps, %d when explained again", len(e.FollowUp), n)
	}
	if len(e.FollowUp) == 0 && !strings.Contains(said, "no verdict asks") {
		t.Errorf("nothing was followed up, and the terminal does not show it: %s", said)
	}
}

// The time of the flag is the next word, or follows an equals sign; invalid times are errors.
func TestFollowUpFlag(t *testing.T) {
	for _, c := range []struct {
		time string
		args []string
		want string
		left int
	}{
		{job.FollowUpAlone, []string{"f.yaml"}, job.FollowUpAlone, 1},
		{job.FollowUpAlone, []string{"f.yaml", "2m"}, "2m", 1},
		{job.FollowUpAlone, []string{"2m", "f.yaml"}, "2m", 1},
		{job.FollowUpAlone, []string{"f.yaml", "g.yaml"}, job.FollowUpAlone, 2},
		{"30s", []string{"f.yaml", "2m"}, "30s", 2},
		{"", []string{"f.yaml", "2m"}, "", 2},
	} {
		f := job.Flags{FollowUp: c.time}
		if left := f.FollowUpTime(c.args); f.FollowUp != c.want || len(left) != c.left {
			t.Errorf("%q, %q: %q, %q", c.time, c.args, f.FollowUp, left)
		}
	}
	for flag, why := range map[string]string{"soon": "--follow-up", "1s": "at least 5s", "2h": "at most 1h",
		"-5s": "--follow-up"} {
		f := job.Flags{FollowUp: flag}
		if _, err := f.FollowUpLimit(); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", flag, err)
		}
	}
}
