package lab

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"linerate/internal/testenv"
)

// A group left by a lab is removed, and one with processes stays.
func TestSweepQuotas(t *testing.T) {
	testenv.Need(t, testenv.Live)
	if !MayQuota() {
		t.Skip("this user may make no control groups of version 1")
	}
	t.Run("cpu", func(t *testing.T) { sweeps(t, QuotaGroups) })
	t.Run("drives", func(t *testing.T) {
		if !MayDrive() {
			t.Skip("this user may make no groups that limit drives")
		}
		sweeps(t, DriveGroups)
	})
}

func sweeps(t *testing.T, groups string) {
	dir := filepath.Join(groups, QuotaPrefix+fmt.Sprintf("t%d-host1", os.Getpid()))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("sleep", "60")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		c.Process.Kill()
		c.Wait()
		os.Remove(dir)
	}()
	if err := os.WriteFile(filepath.Join(dir, "tasks"), fmt.Appendf(nil, "%d", c.Process.Pid), 0); err != nil {
		t.Fatal(err)
	}
	sweepQuotas("")
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("a group with a process is gone: %v", err)
	}
	c.Process.Kill()
	c.Wait()
	sweepQuotas(fmt.Sprintf("t%d", os.Getpid()))
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a group without a process is left: %v", err)
	}
}
