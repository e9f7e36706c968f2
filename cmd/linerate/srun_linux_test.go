package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/host/connect/connecttest"
	"linerate/internal/record"
	"linerate/internal/testenv"
)

// Measurements between two nodes of a real Slurm: their agents are job steps, nothing is sent where the file system is
// shared, and a killed controller leaves nothing behind.
func TestMeasureSrun(t *testing.T) {
	testenv.Need(t, testenv.Slurm)
	c := connecttest.Slurm(t, 2)
	p := newPlace(t)
	measure := func(interval string) *exec.Cmd {
		return p.command(t, "measure", "throughput", "--from", "srun -w n1 -p all", "--to", "srun -w n2", "--link", "10G",
			"--direction", "out", "--repeats", "1", "--time", interval, "--json", "-o", "runs/"+interval)
	}
	a := finish(t, measure("1s")).ends(t, 0)
	run := a.run(t)
	if len(run.Experiments) != 1 || run.Experiments[0].From != "n1" || run.Experiments[0].To != "n2" ||
		run.Experiments[0].Goodput == nil {
		t.Errorf("measured %s", a)
	}
	quiet := func() {
		t.Helper()
		for end := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
			left := c.Jobs(t) + c.Steps(t) + agents(t)
			if left == "" {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("left behind: %s", left)
			}
		}
	}
	quiet()

	// Ranks of a command under srun: in a common job they are distributed over the nodes in turn; two jobs share no step.
	app := func(flags string) *record.Experiment {
		a := finish(t, p.command(t, "measure", "command", "--from", "srun "+flags+"-w n1", "--from", "srun "+flags+"-w n2",
			"--processes", "4", "--repeats", "1", "--extract", `tasks (\d+)`, "--json", "-o",
			"runs/app"+flags, "--", "srun", "-O", "-n", "{processes}", "-l", "sh", "-c",
			`echo on $SLURMD_NODENAME in $(pwd); test $SLURM_PROCID != 0 || echo tasks $SLURM_NTASKS`))
		r := a.run(t)
		if len(r.Experiments) != 1 {
			t.Fatal(a)
		}
		return r.Experiments[0]
	}
	if x := app(""); !strings.Contains(x.NotRun, "n1 is in job ") || !strings.Contains(x.NotRun, "salloc -N 2 -w n1,n2") {
		t.Errorf("hosts in two jobs: %+v", x)
	}
	quiet()
	if out, err := exec.Command("salloc", "--no-shell", "-w", "n1,n2", "-N2").CombinedOutput(); err != nil {
		t.Fatalf("salloc: %v: %s", err, out)
	}
	job := strings.Fields(c.Jobs(t))[0]
	x := app("--jobid " + job + " ")
	if x.Figure == nil || x.Figure.Median != 4 ||
		!slices.Equal(x.App.Command[:6], []string{"srun", "--overlap", "--jobid=" + job, "-w", "n1,n2", "-N2"}) {
		t.Fatalf("%+v", x)
	}
	text, err := os.ReadFile(p.path("runs/app--jobid " + job + " /" + x.App.Output))
	for i, want := range []string{"0: on n1 in ", "1: on n2 in ", "2: on n1 in ", "3: on n2 in "} {
		if err != nil || !strings.Contains(string(text), want+"/dev/shm/linerate-app-") {
			t.Errorf("rank %d: %v: %s", i, err, text)
		}
	}
	if out, err := exec.Command("scancel", job).CombinedOutput(); err != nil {
		t.Fatalf("scancel: %v: %s", err, out)
	}
	quiet()
	// On a login node srun's own options place the ranks.
	login := finish(t, p.command(t, "measure", "command", "--repeats", "1", "--extract", `tasks (\d+)`, "--json", "--",
		"srun", "-N2", "sh", "-c", `test $SLURM_PROCID != 0 || echo tasks $SLURM_NTASKS`))
	if x := login.run(t).Experiments[0]; x.Figure == nil || x.Figure.Median != 2 ||
		!slices.Equal(x.App.Command[:2], []string{"srun", "-N2"}) {
		t.Errorf("%+v", x)
	}
	quiet()

	killed := measure("10m")
	said := &output{}
	killed.Stdout, killed.Stderr, killed.WaitDelay = said, said, time.Second
	testenv.Check(t, killed.Start())
	for end := time.Now().Add(2 * time.Minute); strings.Count(agents(t), "\n") < 2; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			killed.Process.Kill()
			killed.Wait()
			t.Fatalf("no agents; linerate said: %s\n%s", said, c.Logs())
		}
	}
	killed.Process.Kill()
	killed.Wait()
	quiet()
}

// agents lists the processes of this test's program that are agents, a line each.
func agents(t *testing.T) string {
	var b strings.Builder
	folders := testenv.Must(filepath.Glob("/proc/[0-9]*"))(t)
	for _, dir := range folders {
		line, _ := os.ReadFile(dir + "/cmdline")
		if words := strings.Split(string(line), "\x00"); len(words) > 1 &&
			strings.HasPrefix(words[0], filepath.Dir(program(t))+"/") && words[1] == "agent" {
			b.WriteString(dir + "\n")
		}
	}
	return b.String()
}
