package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/cli"
	"linerate/internal/testenv"
)

// appsFabric is the fabric of the tests of app, with its file next to it.
func appsFabric(t *testing.T, p *place) string {
	t.Helper()
	self := testenv.Must(os.Executable())(t)
	testenv.WriteFile(t, p.path("given.txt"), []byte("score 12.5\n"), 0o600)
	return copyFile(t, "testdata/apps.yaml", p.path("apps.yaml"), "TEST carry", self+" carry", "TEST carry", self+" carry")
}

// Commands run on hosts of a lab: a figure with its interval for each value of a parameter, a server and its client
// with the network's counters, missing and failing programs, goals, and nothing without permission.
func TestApps(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	fabric, dir := appsFabric(t, p), p.path("run")

	refused := p.linerate(t, "run", fabric, "--lab", "--experiments", "alone", "--json", "-o", p.path("none"))
	if r := refused.run(t); refused.code != cli.ExitIncomplete || len(r.Experiments) != 2 ||
		!strings.Contains(r.Experiments[0].NotRun, "allow it with --allow-commands") {
		t.Fatalf("without being allowed: %s", refused)
	}

	a := p.linerate(t, "run", fabric, "--lab", "--allow-commands", "--json", "-o", dir)
	r := a.run(t)
	if a.code != cli.ExitIncomplete || len(r.Experiments) != 5 || len(r.Goals) != 2 {
		t.Fatalf("%s", a)
	}
	for _, x := range r.Experiments {
		switch x.Name + x.Settings["threads"] {
		case "alone1":
			if x.Figure == nil || x.Figure.Median != 12.5 || x.Figure.Repeats != 2 || x.FigureUnit != "points" ||
				x.Seconds.Median < 0.1 {
				t.Errorf("%+v", x)
			}
			if g := r.Goals[0]; g.Met == nil || !*g.Met || g.Have != "12.5 points" {
				t.Errorf("goal %+v", g)
			}
		case "alone2":
			if x.Seconds == nil || x.Seconds.Median < 0.2 || x.InEffect["command"] != "sh -c sleep $1; cat given.txt sh 0.2" {
				t.Errorf("%+v", x)
			}
		case "pair":
			if x.Figure == nil || x.Figure.Median <= 0 || x.From != "n1" || x.To != "n2" {
				t.Fatalf("%+v", x)
			}
			h := x.App.Hosts
			if len(h) != 2 || h[0].Sent == nil || *h[0].Sent < 8000000 || *h[1].Received < 8000000 || h[0].Interface == "" ||
				h[0].Cores == nil {
				t.Errorf("hosts %+v", h)
			}
			text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(x.App.Output)))
			if err != nil || !strings.Contains(string(text), "received 8000000") {
				t.Errorf("output %q, %v", text, err)
			}
			if g := r.Goals[1]; g.Met == nil || *g.Met {
				t.Errorf("goal %+v", g)
			}
			shown := p.linerate(t, "report", dir, "--all")
			testenv.Contains(t, shown, shown.out, "pair on n1 -> n2", "carried in", "missed", "12.5 points", x.App.Output)
		case "absent":
			if x.NotRun != "lmp-that-nobody-has is not on n3: install it there, or write its whole path" {
				t.Errorf("%+v", x)
			}
		case "broken":
			if !strings.Contains(x.Failed, "exit code 4") || !strings.Contains(x.Failed, "no such table") ||
				!strings.Contains(x.Failed, "output/") {
				t.Errorf("%+v", x)
			}
		}
	}
	p.nothingLeft(t, 2*time.Second)
}

// mpiFabric is the same fabric with one experiment under mpirun.
func mpiFabric(t *testing.T, p *place, command, more string) string {
	t.Helper()
	text := testenv.Must(os.ReadFile("testdata/apps.yaml"))(t)
	hosts, _, _ := strings.Cut(string(text), "experiments:")
	path := p.path("mpi.yaml")
	testenv.WriteFile(t, path, []byte(fmt.Sprintf("%sexperiments:\n  ranks: {method: command, on: \"n[1-3]\", command: "+
		"\"%s\", repeats: 1%s}\n", hosts, command, more)), 0o600)
	return path
}

// needMPI skips the test where Open MPI is not installed.
func needMPI(t *testing.T) {
	t.Helper()
	needLab(t)
	if out, err := exec.Command("mpirun", "--version").CombinedOutput(); err != nil ||
		!strings.Contains(string(out), "Open MPI") {
		missing(t, "mpirun of Open MPI: apt-get install openmpi-bin")
	}
}

// The real mpirun starts its ranks on three hosts of a lab without sshd, distributed in turn.
func TestMPI(t *testing.T) {
	t.Parallel()
	needMPI(t)
	p := newPlace(t)
	dir := p.path("run")
	fabric := mpiFabric(t, p, "mpirun -n {processes} sh -c 'echo rank $OMPI_COMM_WORLD_RANK on $(hostname); test "+
		"$OMPI_COMM_WORLD_RANK != 0 || echo ranks $OMPI_COMM_WORLD_SIZE'",
		", processes: 5, extract: {match: 'ranks ([0-9]+)'}, time: 40s")
	a := p.linerate(t, "run", fabric, "--lab", "--allow-commands", "--json", "-o", dir)
	x := a.run(t).Experiments[0]
	if a.code != cli.ExitDone || x.Figure == nil || x.Figure.Median != 5 {
		t.Fatalf("%s", a)
	}
	text := testenv.Must(os.ReadFile(filepath.Join(dir, filepath.FromSlash(x.App.Output))))(t)
	var ranks []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "rank ") {
			ranks = append(ranks, strings.TrimSpace(line))
		}
	}
	slices.Sort(ranks)
	if want := []string{"rank 0 on n1", "rank 1 on n2", "rank 2 on n3", "rank 3 on n1",
		"rank 4 on n2"}; !slices.Equal(ranks, want) {
		t.Errorf("ranks %q, want %q", ranks, want)
	}
	p.nothingLeft(t, 2*time.Second)
}

// kill -9 of the controller leaves no rank, no daemon and no file.
func TestMPIKilled(t *testing.T) {
	t.Parallel()
	needMPI(t)
	p := newPlace(t)
	shared := func() []string {
		var out []string
		for _, pattern := range []string{"/dev/shm/linerate-app-*", "/tmp/linerate-app-*", "/dev/shm/vader*", "/tmp/ompi.*"} {
			found, _ := filepath.Glob(pattern)
			out = append(out, found...)
		}
		return out
	}
	before := shared()
	cmd := p.command(t, "run", mpiFabric(t, p, "mpirun -n 3 sleep 300", ""), "--lab", "--allow-commands", "-o",
		p.path("run"))
	testenv.Check(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	ranks := func() (n int) {
		for _, line := range p.processes(t) {
			if strings.HasSuffix(strings.TrimSpace(line), " sleep 300") && !strings.Contains(line, "mpirun") {
				n++
			}
		}
		return n
	}
	for end := time.Now().Add(patience); ranks() < 3; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the ranks do not run:\n%s", strings.Join(p.processes(t), "\n"))
		}
	}
	testenv.Check(t, cmd.Process.Kill())
	cmd.Wait()
	p.nothingLeft(t, time.Minute)
	// Other tests of this machine may have such files for moments: only the present ones must disappear.
	left := slices.DeleteFunc(shared(), func(file string) bool { return slices.Contains(before, file) })
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if left = slices.DeleteFunc(left, func(file string) bool { return !exists(file) }); len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%q are left", left)
		}
	}
}
