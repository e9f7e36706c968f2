package connect

import (
	"io"
	"linerate/internal/testenv"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The keeper cancels its own job when the beats stop, and never the job of others. At the end of its input it only
// exits.
func TestKeeperSilence(t *testing.T) {
	testenv.PlainTemp(t)
	for _, c := range []struct{ name, whose, cancelled string }{{"silence", "own", "-Q 7\n"},
		{"silence", "another's", ""}, {"end", "own", ""}} {
		dir := t.TempDir()
		if err := os.WriteFile(dir+"/scancel", []byte("#!/bin/sh\necho \"$@\" >"+dir+"/cancelled\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", "-c", keeper, "linerate", "0.1", c.whose)
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "SLURM_JOB_ID=7", "SLURMD_NODENAME=n1")
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stdin = read
		if _, err := io.WriteString(write, "\n"); err != nil {
			t.Fatal(err)
		}
		if c.name == "end" {
			write.Close()
		}
		out, err := cmd.Output()
		read.Close()
		write.Close()
		cancelled, _ := os.ReadFile(dir + "/cancelled")
		if err != nil || string(out) != "linerate 7 n1:\n" || string(cancelled) != c.cancelled {
			t.Errorf("%s of %s job: %v, %q, cancelled %q; want %q", c.name, c.whose, err, out,
				strings.TrimSpace(string(cancelled)), c.cancelled)
		}
	}
}
