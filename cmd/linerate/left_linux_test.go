package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"linerate/internal/cli"
	"linerate/internal/testenv"
)

// A measurement that is killed leaves a folder, which the next start of linerate removes, and not that of another
// measurement that runs.
func TestKilledMeasurement(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	p := newPlace(t)
	tmp := p.path("tmp")
	testenv.Check(t, os.Mkdir(tmp, 0o700))
	p.env = append(p.env, "TMPDIR="+tmp)
	folders := func() []string { return testenv.Must(filepath.Glob(filepath.Join(tmp, "linerate-run-*")))(t) }
	// start begins a measurement that lasts, and returns its folder when it runs.
	start := func() (folder string, kill func()) {
		before := folders()
		cmd := p.command(t, "measure", "command", "--repeats", "1", "--", "sleep", "60")
		testenv.Check(t, cmd.Start())
		kill = func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
		t.Cleanup(kill)
		for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			for _, f := range folders() {
				if _, err := os.Stat(filepath.Join(f, "run")); err == nil && !slices.Contains(before, f) {
					return f, kill
				}
			}
		}
		t.Fatal("the measurement makes no folder")
		return "", nil
	}
	killed, kill := start()
	running, end := start()
	kill()
	if _, err := os.Stat(killed); err != nil {
		t.Fatalf("nothing is left to remove: %v", err)
	}
	if a := p.linerate(t, "version"); a.code != cli.ExitDone {
		t.Fatalf("%s", a)
	}
	if got := folders(); !slices.Equal(got, []string{running}) {
		t.Errorf("%q are there, and only %s has a process", got, running)
	}
	end()
	p.linerate(t, "version")
	if got := folders(); len(got) > 0 {
		t.Errorf("%q are left", got)
	}
	p.nothingLeft(t, patience)
}

// The last lab removes the folder of all labs; one before it leaves the folder to the others.
func TestLabLeavesNoFolder(t *testing.T) {
	needLab(t)
	t.Parallel()
	p := newPlace(t)
	file := copyFile(t, "testdata/three.yaml", p.path("three.yaml"))
	var ids []string
	for range 2 {
		a := p.linerate(t, "lab", "up", file, "--json")
		id, _ := a.object(t, "linerate/lab/1")["id"].(string)
		if a.code != cli.ExitDone || id == "" {
			t.Fatalf("%s", a)
		}
		ids = append(ids, id)
	}
	for i, id := range ids {
		if a := p.linerate(t, "lab", "down", id); a.code != cli.ExitDone {
			t.Fatalf("%s", a)
		}
		if _, err := os.Stat(p.path("linerate", "lab")); os.IsNotExist(err) != (i == 1) {
			t.Errorf("after %d of 2 labs: %v", i+1, err)
		}
	}
	if _, err := os.Stat(p.path("linerate")); !os.IsNotExist(err) {
		t.Errorf("an empty folder is left: %v", err)
	}
}
