//go:build linux

package connect_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"linerate/internal/host/connect"
	"linerate/internal/host/connect/connecttest"
	"linerate/internal/testenv"
)

// empty waits until Slurm has neither a job nor a step.
func empty(t *testing.T, c *connecttest.Cluster) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		left := c.Jobs(t) + c.Steps(t)
		if left == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("Slurm still has %q", left)
		}
	}
}

func srunErr(t *testing.T, ctx context.Context, s string) *connect.Error {
	t.Helper()
	spec, err := connect.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := connect.Open(ctx, spec)
	var e *connect.Error
	if !errors.As(err, &e) {
		if r != nil {
			r.Close()
		}
		t.Fatalf("%s: %v, want a *connect.Error", s, err)
	}
	return e
}

func TestSrun(t *testing.T) {
	c := connecttest.Slurm(t, 2)
	t.Run("contract", func(t *testing.T) { connecttest.SuiteOf(t, open(t, "srun -w n1"), 8<<20) })
	empty(t, c)
	t.Run("node", func(t *testing.T) {
		t.Setenv("LINERATE_SECRET_N2", "x")
		out, err := connect.Run(t.Context(), open(t, "srun -w n2"), nil, "sh", "-c",
			"hostname; pwd; echo $SLURM_NTASKS ${LINERATE_SECRET_N2-none}")
		if err != nil || string(out.Stdout) != "n2\n/\n1 none\n" || len(out.Stderr) > 0 {
			t.Errorf("got %q, %q, %v", out.Stdout, out.Stderr, err)
		}
	})
	empty(t, c)
	t.Run("inside a job", func(t *testing.T) { insideJob(t, c) })
	t.Run("queue", func(t *testing.T) { queued(t, c) })
	empty(t, c)
	t.Run("job ends", func(t *testing.T) {
		r := open(t, "srun -w n1")
		read, write := io.Pipe()
		p, err := r.Start(t.Context(), connect.Command{Argv: []string{"sh", "-c", "echo; sleep 3600"}, Stdout: write})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(read, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		go io.Copy(io.Discard, read)
		job, _, _ := strings.Cut(c.Jobs(t), " ")
		if out, err := exec.Command("scancel", job).CombinedOutput(); err != nil {
			t.Fatalf("scancel: %v: %s", err, out)
		}
		var e *connect.Error
		if exit, err := p.Wait(); exit != -1 || !errors.As(err, &e) || !strings.Contains(e.Error(), "CANCELLED") ||
			!strings.Contains(e.Try, "squeue --me") {
			t.Errorf("a step whose job is cancelled: %d, %v", exit, err)
		}
		for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
			_, err = connect.Run(t.Context(), r, nil, "true")
			if err != nil && strings.Contains(err.Error(), "job "+job+" has ended") {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("a command after the end of the job: %v", err)
			}
		}
	})
	empty(t, c)
}

// insideJob uses an existing job, which does not end.
func insideJob(t *testing.T, c *connecttest.Cluster) {
	if out, err := exec.Command("salloc", "--no-shell", "-w", "n1,n2", "-N2", "-J", "mine").
		CombinedOutput(); err != nil {
		t.Fatalf("salloc: %v: %s", err, out)
	}
	job, _, _ := strings.Cut(c.Jobs(t), " ")
	defer func() {
		exec.Command("scancel", job).Run()
		empty(t, c)
	}()
	t.Setenv("SLURM_JOB_ID", job)
	t.Setenv("SLURM_NNODES", "2") // as salloc leaves it in its shell: srun would start two tasks
	t.Setenv("SLURM_NTASKS", "2")
	for _, s := range []string{"srun -w n2", "srun --jobid " + job + " -w n2"} {
		r := open(t, s)
		out, err := connect.Run(t.Context(), r, []byte("in"), "sh", "-c", "hostname; cat; exit 3")
		if err != nil || out.Exit != 3 || string(out.Stdout) != "n2\nin" {
			t.Errorf("%s: %q, exit %d, %v", s, out.Stdout, out.Exit, err)
		}
		r.Close()
	}
	for end := time.Now().Add(time.Minute); c.Steps(t) != "" && time.Now().Before(end); {
		time.Sleep(50 * time.Millisecond)
	}
	if jobs := c.Jobs(t); !strings.HasPrefix(jobs, job+" mine RUNNING") || c.Steps(t) != "" {
		t.Errorf("after the connection was closed there are the jobs %q and the steps %q", jobs, c.Steps(t))
	}
}

// tee wraps a program so that its standard error also goes to a file, and returns the file's path.
func tee(t *testing.T, name string) string {
	t.Helper()
	at, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	said := filepath.Join(t.TempDir(), "said")
	onPath(t, name, "#!/bin/bash\nexec "+at+" \"$@\" 2> >(tee "+said+" >&2)\n")
	return said
}

func queued(t *testing.T, c *connecttest.Cluster) {
	for _, w := range []struct{ connection, said, try string }{
		{"srun -w nowhere", "Invalid node name", "sinfo -N"},
		{"srun -p nowhere -w n1", "nvalid partition", "sinfo -s"},
		{"srun -p other -w n2", "configuration is not available", "scontrol show node n2"},
		{"srun --jobid 99999 -w n1", "nvalid job id", "salloc"},
		{"srun -w " + c.Down, "down, drained or reserved (ReqNodeNotAvail, UnavailableNodes:n3); n3 is down and does not " +
			"respond, reason: power supply", "State=RESUME"},
		{"srun -p down -w n1", "its partition is down (PartitionDown)", "sinfo -s"},
		{"srun -w n1,n2", "a host is one node", "srun -w {host}"},
		{"srun -N 2", "a host is one node", "srun -w NODE"},
	} {
		if e := srunErr(t, t.Context(), w.connection); !strings.Contains(e.Error(), w.said) ||
			!strings.Contains(e.Try, w.try) {
			t.Errorf("%s: %v; want %q and a try with %q", w.connection, e, w.said, w.try)
		}
	}
	// Another job has the node: the connection waits until the caller gives up, and leaves no job behind.
	r := open(t, "srun -w n1")
	said := tee(t, "srun")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	looked := make(chan struct{})
	go func() {
		defer close(looked)
		for end := time.Now().Add(2 * time.Minute); ctx.Err() == nil &&
			time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			if text, _ := os.ReadFile(said); strings.Contains(string(text), "queued and waiting for resources") {
				break
			}
		}
		cancel(context.DeadlineExceeded)
	}()
	if e := srunErr(t, ctx, "srun -w n1"); !errors.Is(e, context.DeadlineExceeded) ||
		!strings.Contains(e.Output, "queued and waiting for resources") {
		t.Errorf("a taken node: %v", e)
	}
	cancel(nil)
	<-looked
	r.Close()
}

// Everything of a killed controller ends: waiting and running jobs.
func TestSrunControllerKilled(t *testing.T) {
	c := connecttest.Slurm(t, 1)
	for _, s := range []string{"srun -w n1", "srun -w " + c.Down} {
		cmd := exec.Command("/proc/self/exe", "linerate-test-opener", s)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if s == "srun -w n1" {
			if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
		} else {
			for c.Jobs(t) == "" {
				time.Sleep(20 * time.Millisecond)
			}
		}
		cmd.Process.Kill()
		cmd.Wait()
		empty(t, c)
	}
}

// TestSrunWithoutLineEnds checks that a step whose line is too long to read is reported, and not waited for.
func TestSrunWithoutLineEnds(t *testing.T) {
	testenv.Need(t, testenv.Live)
	onPath(t, "srun", "#!/bin/sh\nhead -c 100000 /dev/zero | tr '\\0' x\nexec cat >/dev/null\n")
	t.Setenv("SLURM_JOB_ID", "")
	e := srunErr(t, t.Context(), "srun -w n1")
	if !strings.Contains(e.Error(), "read what the step writes: bufio.Scanner: token too long") {
		t.Error(e)
	}
}
