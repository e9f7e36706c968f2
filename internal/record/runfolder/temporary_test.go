package runfolder

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"linerate/internal/testenv"
)

// A sweep removes the folder of a process that has ended, and nothing else.
func TestSweepTemporary(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	t.Setenv("TMP", tmp)
	live, remove, err := Temporary()
	testenv.Check(t, err)
	testenv.WriteFile(t, filepath.Join(live, "file"), "x", 0o600)
	make := func(name string, mode os.FileMode, locked bool) string {
		dir := filepath.Join(tmp, name)
		testenv.Check(t, os.MkdirAll(filepath.Join(dir, "run"), 0o700))
		testenv.WriteFile(t, filepath.Join(dir, "run", "file"), "x", 0o600)
		if locked {
			testenv.WriteFile(t, filepath.Join(dir, temporaryLock), "", 0o600)
		}
		testenv.Check(t, os.Chmod(dir, mode))
		return dir
	}
	dead := make(temporaryPrefix+"1", 0o700, true)
	kept := []string{live, make(temporaryPrefix+"2", 0o700, false), make("another-"+temporaryPrefix, 0o700, true)}
	if runtime.GOOS != "windows" {
		kept = append(kept, make(temporaryPrefix+"3", 0o755, true))
		elsewhere := make("target", 0o700, true)
		testenv.Check(t, os.Symlink(elsewhere, filepath.Join(tmp, temporaryPrefix+"4")))
		kept = append(kept, elsewhere, filepath.Join(tmp, temporaryPrefix+"4"))
	}
	SweepTemporary()
	if _, err := os.Lstat(dead); !os.IsNotExist(err) {
		t.Errorf("the folder of a process that ended is there: %v", err)
	}
	for _, dir := range kept {
		if _, err := os.Lstat(dir); err != nil {
			t.Errorf("%s is removed: %v", dir, err)
		}
	}
	remove()
	if _, err := os.Lstat(live); !os.IsNotExist(err) {
		t.Errorf("remove leaves the folder: %v", err)
	}
}
