package main

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/cli"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/report/summary"
	"linerate/internal/run"
	"linerate/internal/run/experiment"
	"linerate/internal/testenv"
)

// From nothing to a summary, between this machine and one over ssh: a file is drafted, measured unchanged, and its
// summary shown.
func TestFirstMinutes(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	s := p.labUp(t, copyFile(t, "testdata/ssh.yaml", p.path("four.yaml")), "0.1")
	bin, _ := s.sshHosts(t, map[string]string{"a": "10.30.1.2"})
	here := func(args ...string) answer {
		return s.linerate(t, append([]string{"lab", "exec", s.id + "/ctl", "--", "env", "-C", s.dir, "HOME=" + s.dir,
			"PATH=" + bin + ":" + os.Getenv("PATH"), p.program(t)}, args...)...)
	}
	began := time.Now()
	a := here("init", "a", "--name", "first")
	initTook := time.Since(began)
	if a.code != 0 || !strings.Contains(a.out, "fabric.yaml: 2 hosts, 1 link\n") ||
		!strings.Contains(a.out, " 10.30.1.1 (") ||
		!strings.Contains(a.out, "next: linerate check fabric.yaml\n      linerate run fabric.yaml\n") {
		t.Fatalf("init: %s", a)
	}
	f, wrong := fabric.Load(p.path("fabric.yaml"), fabric.Options{})
	if len(wrong) > 0 || f.Name != "first" || len(f.Hosts) != 2 || f.Hosts[1].Connection != "ssh a" {
		t.Fatalf("the file: %v", wrong)
	}
	underFiveMinutes(t, f)
	if a := here("init", "a"); a.code != cli.ExitInput || !strings.Contains(a.err, "fabric.yaml exists") {
		t.Errorf("a second time: %s", a)
	}
	began = time.Now()
	if a := here("run", "fabric.yaml", "--repeats", "1", "--set", "time=200ms"); a.code != 0 {
		t.Fatalf("run: %s", a)
	} else {
		stated, _, _ := strings.Cut(a.err[max(0, strings.Index(a.err, "about ")):], "\n")
		t.Logf("init took %v; the run, shortened, took %v, and said beforehand: %s", initTook.Round(time.Millisecond),
			time.Since(began).Round(time.Millisecond), stated)
	}
	a = here("share", "latest")
	c, problems := summary.Parse(a.out)
	if a.code != 0 || len(problems) > 0 {
		t.Fatalf("show: %v %s", problems, a)
	}
	for _, key := range []string{"tcp-1-ab", "tcp-8-ba", "tcp-8-both", "ping-idle", "ping-loaded"} {
		if r := c.Row(key); r == nil || !r.Measured {
			t.Errorf("the summary has no %s: %s", key, a)
		}
	}

	tank := p.path("tank")
	testenv.Check(t, os.Mkdir(tank, 0o700))
	if a := here("quick", "a", "-o", "one", "--time", "200ms", "--to", "a:"+tank, "--format", "text"); a.code != 0 ||
		!strings.Contains(a.err, "report  one/report.html\n") || !strings.Contains(a.err, "\nabout ") {
		t.Errorf("quick: %s", a)
	} else if c, problems := summary.Parse(a.out); len(problems) > 0 || c.Row("tcp-1-ab") == nil ||
		!c.Row("tcp-1-ab").Measured {
		t.Errorf("quick: %v %s", problems, a)
	} else if len(c.Storage) != 1 || c.Storage[0].Name != "a.tank" || c.Storage[0].AskedBy != "B" ||
		len(c.Storage[0].Rows) != 8 || slices.ContainsFunc(c.Storage[0].Rows,
		func(r summary.Row) bool { return !r.Measured }) {
		t.Errorf("quick: no rows of storage in %s", a)
	} else if !strings.Contains(strings.Join(c.Notes, "\n"), "RDMA: not measured: ") {
		t.Errorf("quick does not say why there is no RDMA: %s", a)
	}
	report := here("report", "one")
	if a := here("quick", "a", "-o", "two", "--time", "200ms", "--repeats", "1"); a.code != 0 ||
		!strings.Contains(report.out, "\nnext    share        linerate share one\n") ||
		!strings.Contains(a.out, "\nnext    share        linerate share two\n") {
		t.Errorf("quick prints no report: %s\nreport: %s", a, report)
	}
	if left, err := os.ReadDir(tank); err != nil || len(left) > 0 {
		t.Errorf("quick has left %v (%v)", left, err)
	}
}

// underFiveMinutes compares the duration that linerate run announces for a drafted file with the five minutes from
// nothing to a summary, of which one is left for init and for typing. The real duration depends on the machine.
func underFiveMinutes(t *testing.T, f *fabric.Fabric) {
	t.Helper()
	drafted := plan.Build(f)
	combinations := testenv.Must(run.Combinations(drafted, experiment.Options{}))(t)
	stated, repeats := run.Estimate([]run.Config{{Plan: drafted, Combinations: combinations}})
	t.Logf("as drafted, linerate run says: about %v, %d repeats", stated.Round(time.Second), repeats)
	if repeats == 0 || stated > 4*time.Minute {
		t.Errorf("the drafted file is measured for %v: %d repeats", stated, repeats)
	}
}

// Wrong words are reported before a host is queried.
func TestFirstMinutesWrong(t *testing.T) {
	p := newPlace(t)
	t.Chdir(p.dir)
	testenv.WriteFile(t, p.path("fabric.yaml"), "", 0o600)
	for _, c := range []struct {
		says string
		args []string
	}{
		{"error: missing HOST", []string{"init"}},
		{"error: missing HOST", []string{"quick"}},
		{"error: --time 1 is not valid\nhelp: write a time with its unit", []string{"quick", "a", "--time", "1"}},
		{"help: write --link 40G, 940M", []string{"quick", "a", "--link", "fast"}},
		{"error: quick takes one HOST, and these are 2: a, b\nhelp: write a connection of two words in quotes",
			[]string{"quick", "a", "b"}},
		{"omit one of the two", []string{"quick", "a", "--lab"}},
		{"--time 1ms: at least 100ms", []string{"quick", "a", "--time", "1ms"}},
		{"omit one of the two", []string{"quick", "--lab", "--from", "netns A"}},
		{`--format "poem": a summary is printed as one of text, markdown, bbcode, csv, json`,
			[]string{"quick", "a", "--format", "poem"}},
		{"give one of the two", []string{"quick", "a", "--format", "csv", "--json"}},
		{"exists, and init overwrites no file", []string{"init", "a", "-o", p.path("fabric.yaml")}},
		{"there is no folder", []string{"init", "a", "-o", p.path("no/where.yaml")}},
		{`connection "rsh a"`, []string{"init", "rsh a", "-o", p.path("new.yaml")}},
		{"these are 3", []string{"quick", "netns a[1-2]", "--from", "local"}},
	} {
		if a := call(t, nil, c.args...); a.code != cli.ExitInput || a.out != "" || !strings.Contains(a.err, c.says) {
			t.Errorf("%q: want exit code 2 and %q: %s", c.args, c.says, a)
		}
	}
	if _, err := os.Stat(p.path("new.yaml")); err == nil {
		t.Error("a refused init has written a file")
	}
}
