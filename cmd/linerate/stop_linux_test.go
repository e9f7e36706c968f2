package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"linerate/internal/cli"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/testenv"
)

// Three values of streams with two repeats: the tests below interrupt them in the middle.
var sixRepeats = []string{"streams: 1", "streams: [1, 2, 3], repeats: 2"}

// started is a running run that has finished its first experiment and measures the next one.
func (p *place) started(t *testing.T, fabric, dir string) (cmd *exec.Cmd, errs *output) {
	t.Helper()
	cmd, errs = p.command(t, "run", fabric, "--lab", "--scale", "0.02", "-o", dir), &output{}
	cmd.Stdout, cmd.Stderr = io.Discard, errs
	testenv.Check(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	errs.wait(t, "1/3  ")
	during := func() int {
		found, _ := filepath.Glob(filepath.Join(dir, "snapshots", "*during*"))
		return len(found)
	}
	before := during()
	for end := time.Now().Add(patience); during() == before; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("nothing more is measured: %s", errs)
		}
	}
	return cmd, errs
}

// cutOff reads an unfinished run folder and returns its repeats, each by its experiment and index, as written.
func cutOff(t *testing.T, dir string) map[string]string {
	t.Helper()
	o := testenv.Must(runfolder.Open(dir, ""))(t)
	if o.Complete {
		t.Error("the run that was cut off has a manifest")
	}
	return repeatsOf(t, o.Run)
}

func repeatsOf(t *testing.T, r *record.Run) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, e := range r.Experiments {
		for _, x := range e.Repeats {
			b := testenv.Must(json.Marshal(x))(t)
			out[fmt.Sprintf("%s %d", e.ID, x.Index)] = string(b)
		}
	}
	return out
}

// resumed resumes a run and checks that it kept its results and measured the rest.
func (p *place) resumed(t *testing.T, fabric, dir string, kept map[string]string) {
	t.Helper()
	from := time.Now()
	a := p.linerate(t, "run", fabric, "--lab", "--resume", "-o", dir, "--json").ends(t, cli.ExitDone)
	if want := fmt.Sprintf("%d repeats are kept", len(kept)); !strings.Contains(a.err, want) {
		t.Errorf("no %q: %s", want, a.err)
	}
	r := a.run(t)
	all := repeatsOf(t, r)
	if len(all) != 6 || !r.Complete {
		t.Errorf("%d repeats, want 6; complete %v", len(all), r.Complete)
	}
	for k, v := range kept {
		if all[k] != v {
			t.Errorf("repeat %s is not what was kept:\n%s\n%s", k, v, all[k])
		}
	}
	fresh := 0
	for _, e := range r.Experiments {
		for _, x := range e.Repeats {
			if x.Start.After(from) {
				fresh++
			}
		}
	}
	if fresh != 6-len(kept) {
		t.Errorf("%d repeats were measured again, want %d", fresh, 6-len(kept))
	}
	if err := runfolder.Verify(dir); err != nil {
		t.Error(err)
	}
	p.nothingLeft(t, time.Minute)
}

// Ctrl-C ends a run early, leaves only its results, and the run can be resumed.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	fabric, dir := copyFile(t, "testdata/three.yaml", p.path("three.yaml"), sixRepeats...), p.path("run")
	cmd, errs := p.started(t, fabric, dir)
	testenv.Check(t, cmd.Process.Signal(os.Interrupt))
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != cli.ExitInterrupted {
		t.Errorf("exit code %d, want %d:\n%s", code, cli.ExitInterrupted, errs)
	}
	p.nothingLeft(t, 0)
	if !strings.Contains(errs.String(), "interrupted") || !strings.Contains(errs.String(), "--resume") {
		t.Errorf("nothing says how to go on:\n%s", errs)
	}
	kept := cutOff(t, dir)
	if len(kept) < 2 || len(kept) > 5 {
		t.Errorf("%d repeats were kept, want 2 to 5", len(kept))
	}
	if a := p.linerate(t, "report", dir); a.code != cli.ExitDone || !strings.Contains(a.out, "host1 -") {
		t.Errorf("report of the interrupted run: %s", a)
	}
	p.resumed(t, fabric, dir, kept)
}

// kill -9 of the controller also ends the lab; the journal has the results.
func TestKilled(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	fabric, dir := copyFile(t, "testdata/three.yaml", p.path("three.yaml"), sixRepeats...), p.path("run")
	cmd, _ := p.started(t, fabric, dir)
	cmd.Process.Kill()
	cmd.Wait()
	p.nothingLeft(t, time.Minute)
	kept := cutOff(t, dir)
	if len(kept) < 1 || len(kept) > 5 { // the journal is synced once a second
		t.Errorf("%d repeats were kept, want 1 to 5", len(kept))
	}
	p.resumed(t, fabric, dir, kept)
	testenv.Count(t, "kill points", "linerate run, kill -9 of the controller while it measures in a lab", 1)
}

// A full disk is reported, and earlier results are not lost.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	needLab(t)
	if os.Geteuid() != 0 {
		missing(t, "root, to mount a small disk")
	}
	p := newPlace(t)
	disk := p.path("disk")
	testenv.Check(t, os.Mkdir(disk, 0o700))
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=64m"); err != nil {
		missing(t, "the right to mount a small disk: "+err.Error())
	}
	t.Cleanup(func() { syscall.Unmount(disk, syscall.MNT_DETACH) })
	// It is full once the first experiment is measured.
	fabric, dir := copyFile(t, "testdata/three.yaml", p.path("three.yaml"), sixRepeats...), filepath.Join(disk, "run")
	cmd, errs := p.started(t, fabric, dir)
	if err := os.WriteFile(filepath.Join(disk, "other"), make([]byte, 64<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	cmd.Wait()
	a := answer{code: cmd.ProcessState.ExitCode(), err: errs.String()}
	if a.code != cli.ExitFailed {
		t.Errorf("want exit code 1: %s", a)
	}
	if !strings.Contains(a.err, "no space left on device") || !strings.Contains(a.err, dir) {
		t.Errorf("the message does not say what is full: %s", a.err)
	}
	if strings.Contains(a.err, "goroutine") {
		t.Errorf("a stack trace: %s", a.err)
	}
	p.nothingLeft(t, 0)
	if kept := cutOff(t, dir); len(kept) < 1 {
		t.Errorf("no repeat was kept: %s", a)
	}
	if a := p.linerate(t, "report", dir); a.code != cli.ExitDone || !strings.Contains(a.out, "host1 -") {
		t.Errorf("the journal cannot be reported: %s", a)
	}
}

// An interruption at any time, also while the lab is being built, leaves nothing of the lab, and the exit code gives
// the reason.
func TestInterruptedAtAnyMoment(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	fabric := copyFile(t, "testdata/three.yaml", p.path("three.yaml"))
	moments := 0
	for i, after := range []time.Duration{0, 3, 10, 20, 40, 100, 400, 1200, 2600} { // milliseconds
		moments++
		signal := []os.Signal{os.Interrupt, syscall.SIGTERM}[i%2]
		cmd, errs := p.command(t, "run", fabric, "--lab", "--scale", "0.02", "-o", p.path(fmt.Sprint("run", i))), &output{}
		cmd.Stdout, cmd.Stderr = io.Discard, errs
		testenv.Check(t, cmd.Start())
		stop := time.AfterFunc(patience, func() { cmd.Process.Kill() })
		errs.wait(t, "lab: building") // from now on it handles signals
		time.Sleep(after * time.Millisecond)
		cmd.Process.Signal(signal)
		cmd.Wait()
		stop.Stop()
		if code := cmd.ProcessState.ExitCode(); code != cli.ExitInterrupted {
			t.Errorf("%v after %v ms: exit code %d, want %d:\n%s", signal, int(after), code, cli.ExitInterrupted, errs)
		}
		p.nothingLeft(t, time.Minute)
		// An existing folder can be resumed; without a record there is none.
		dir := p.path(fmt.Sprint("run", i))
		if _, err := os.Stat(dir); err == nil {
			cutOff(t, dir)
		}
	}
	testenv.Count(t, "kill points", "linerate run, interrupted while it builds its lab and while it measures", moments)
}
