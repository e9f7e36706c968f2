package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"linerate/reach/reachtest"
)

// Two nodes of a real Slurm are measured between: their agents are job steps, nothing is sent where the file system is
// shared, and nothing is left of a controller that was killed.
func TestMeasureSrun(t *testing.T) {
	c := reachtest.Slurm(t, 2)
	p := newPlace(t)
	measure := func(window string) *exec.Cmd {
		return p.command(t, "measure", "stream", "--from", "srun -w n1 -p all", "--to", "srun -w n2", "--rate", "10G", "--direction", "out",
			"--repeats", "1", "--time", window, "--json", "-o", "runs/"+window)
	}
	a := finish(t, measure("300ms"))
	if a.code != 0 {
		t.Fatal(a)
	}
	run := a.run(t)
	if len(run.Experiments) != 1 || run.Experiments[0].From != "n1" || run.Experiments[0].To != "n2" || run.Experiments[0].Goodput == nil ||
		run.Experiments[0].Goodput.Median <= 0 {
		t.Errorf("measured %s", a)
	}
	quiet := func() {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
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
	killed := measure("60s")
	said := &output{}
	killed.Stdout, killed.Stderr, killed.WaitDelay = said, said, time.Second
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); strings.Count(agents(t), "\n") < 2; time.Sleep(20 * time.Millisecond) {
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

// agents are the processes of this test's own program that are agents, a line each.
func agents(t *testing.T) string {
	var b strings.Builder
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range folders {
		line, _ := os.ReadFile(dir + "/cmdline")
		if words := strings.Split(string(line), "\x00"); len(words) > 1 && strings.HasPrefix(words[0], filepath.Dir(program(t))+"/") && words[1] == "agent" {
			b.WriteString(dir + "\n")
		}
	}
	return b.String()
}
