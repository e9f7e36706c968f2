package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"linerate/internal/cli"
	"linerate/internal/explain/goals"
	"linerate/internal/record/runfolder"
)

// Four hosts behind a switch: the flows of every pattern add up to its goodput, with the ceiling of the links that its
// hosts share.
func TestPatterns(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	fabric := copyFile(t, "testdata/star.yaml", p.path("star.yaml"))
	flows := map[string]string{"pairs": "n1>n3 n2>n4", "halves": "n1>n3 n2>n4", "incast": "n1>n4 n2>n4 n3>n4",
		"shuffle": "n1>n2 n1>n3 n1>n4 n2>n1 n2>n3 n2>n4 n3>n1 n3>n2 n3>n4 n4>n1 n4>n2 n4>n3"}
	// In links of 10 Gb/s at MTU 1500 at this scale.
	const link = 0.02 * 10e9 * 1448 / 1538
	ceilings := map[string]float64{"pairs": 2 * link, "halves": 4 * link, "incast": link, "shuffle": 4 * link}
	streams := map[string]int{"pairs": 2, "halves": 8, "incast": 6, "shuffle": 12}
	for name := range flows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := p.linerate(t, "run", fabric, "--lab", "--scale", "0.02", "--experiments", name, "--repeats", "2", "--json",
				"-o",
				filepath.Join(t.TempDir(), "run")).ends(t, cli.ExitDone)
			x := a.run(t).Experiments[0]
			var have []string
			sum := 0.0
			for i, f := range x.Flows {
				have = append(have, f.From+">"+f.To)
				if f.Goodput == nil || len(f.Links) != 2 || len(f.Ends) != 2 {
					t.Fatalf("flow %d: %+v", i, f)
				}
				sum += x.Repeats[0].Flows[i].Goodput
			}
			if got := strings.Join(have, " "); got != flows[name] {
				t.Fatalf("flows %s; want %s", got, flows[name])
			}
			if r := x.Repeats[0]; r.Goodput < 0.999*sum || r.Goodput > 1.001*sum || r.Seconds <= 0 {
				t.Errorf("goodput %v of a repeat in %v s is not the sum of its flows %v", r.Goodput, r.Seconds, sum)
			}
			if c := float64(x.Ceiling.Limit); c > 1.0001*ceilings[name] || c < 0.995*ceilings[name] {
				t.Errorf("ceiling %v; want %v", c, ceilings[name])
			}
			if f := x.Fairness; f == nil || f.Streams != streams[name] || f.Jain <= 0 || f.Jain > 1 {
				t.Errorf("fairness %+v; want that of %d streams", f, streams[name])
			}
			if x.Verdict == nil {
				t.Error("no verdict")
			}
		})
	}
}

// An agent is killed while a group is measured: the failure names the host, and its flow has no figure. If a start came
// late, the group is prepared again; if the agent dies during that, no flow was measured. So TestFlowsOfABrokenGroup of
// package run checks which flows are kept.
func TestGroupLosesAHost(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	s := p.labUp(t, copyFile(t, "testdata/star.yaml", p.path("star.yaml"), "traffic: incast,",
		"traffic: incast, time: 15s,"), "0.02")
	dir := p.path("run")
	cmd := s.command(t, "run", s.fabric, "--in-lab="+s.id, "--experiments", "incast", "--repeats", "1", "--budget", "60s",
		"--json", "-o", dir)
	done := make(chan answer, 1)
	go func() { done <- finish(t, cmd) }()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if files, _ := filepath.Glob(filepath.Join(dir, "snapshots", "*during*")); len(files) > 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("no snapshot during the measurement")
		}
	}
	s.on(t, "n2", "sh", "-c", `here=$(readlink /proc/self/ns/net); for p in /proc/[0-9]*; do
		[ "$(readlink $p/ns/net)" = "$here" ] || continue
		case "$(tr '\0' ' ' <$p/cmdline)" in sh*) ;; *" agent"*) kill -9 ${p#/proc/};; esac; done`)
	a := <-done
	if a.code != cli.ExitIncomplete {
		t.Fatalf("want exit code 4: %s", a)
	}
	x := a.run(t).Experiments[0]
	if !strings.Contains(x.Failed, "n2") || x.Goodput != nil || len(x.Repeats) != 0 {
		t.Errorf("failed %q, goodput %v, %d repeats; want n2 named and no sum", x.Failed, x.Goodput, len(x.Repeats))
	}
	for _, f := range x.Flows {
		if f.Goodput != nil && (f.From == "n2" || f.Failed != "") {
			t.Errorf("%s -> %s: goodput %v, failed %q", f.From, f.To, f.Goodput, f.Failed)
		}
	}
	again := s.linerate(t, "report", dir, "--all")
	if again.code != cli.ExitDone || !strings.Contains(again.out, "n2") {
		t.Errorf("report: %s", again)
	}
	if _, err := os.Stat(filepath.Join(dir, runfolder.ReportName)); err != nil {
		t.Error(err)
	}
}

// 1,024 streams under a low soft limit of open files: linerate raises the limit to the hard one.
func TestManyStreamsLowLimit(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	fabric := copyFile(t, "testdata/three.yaml", p.path("three.yaml"), "streams: 1}", "streams: 1024, repeats: 1}")
	cmd := p.command(t, "run", fabric, "--lab", "--scale", "0.05", "--json")
	cmd.Args = append([]string{"sh", "-c", `ulimit -Sn 256 && exec "$@"`, "sh"}, cmd.Args...)
	cmd.Path = "/bin/sh"
	a := finish(t, cmd)
	x := a.run(t).Experiments[0]
	if a.code != cli.ExitDone {
		t.Fatalf("exit code %d: failed %q, not run %q, warnings %q; %s", a.code, x.Failed, x.NotRun, x.Warnings, a.err)
	}
	if x.Goodput == nil || len(x.Repeats) != 1 || len(x.Repeats[0].Streams) != 1024 || x.Fairness == nil ||
		x.Fairness.Streams != 1024 {
		t.Errorf("%s: %+v", goals.Combination(x), x.Fairness)
	}
}
