//go:build linux

package reach_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/testenv"
	"linerate/reach"
)

// TestSrunWithoutLineEnds holds that a step which writes a line too long to be read is reported, and not waited for.
func TestSrunWithoutLineEnds(t *testing.T) {
	testenv.Need(t, testenv.Live)
	bin := t.TempDir()
	srun := "#!/bin/sh\nhead -c 100000 /dev/zero | tr '\\0' x\nexec cat >/dev/null\n"
	if err := os.WriteFile(filepath.Join(bin, "srun"), []byte(srun), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("SLURM_JOB_ID", "")
	spec, err := reach.Parse("srun -w n1")
	if err != nil {
		t.Fatal(err)
	}
	r, err := reach.Open(t.Context(), spec)
	if err == nil {
		r.Close()
		t.Fatal("opened")
	}
	if !strings.Contains(err.Error(), "read what the step writes: bufio.Scanner: token too long") {
		t.Error(err)
	}
}
