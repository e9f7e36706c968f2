package runfolder

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"linerate/internal/record/recordtest"
	"linerate/internal/testenv"
)

// TestFullDisk fills a file system of 1 MiB with a run.
func TestFullDisk(t *testing.T) {
	testenv.Need(t, testenv.Live)
	testenv.NeedRoot(t)
	small := t.TempDir()
	if err := syscall.Mount("linerate-test", small, "tmpfs", 0, "size=1m"); err != nil {
		testenv.Missing(t, "the right to mount a tmpfs: "+err.Error())
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(small, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	dir := filepath.Join(small, "run")
	f, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := recordtest.Run(t)
	if err := f.Started(r); err != nil {
		t.Fatal(err)
	}
	kept := 0
	for kept < 100_000 && err == nil {
		if err = f.Repeat("e", recordtest.Repeat(kept)); err == nil {
			kept++
		}
	}
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), filepath.Join(dir, JournalName)) {
		t.Fatalf("the disk is full: %v", err)
	}
	if err := f.Finish(r, ""); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("finish: %v", err)
	}
	if err := f.Close(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("close: %v", err)
	}
	o, err := Open(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if got := len(o.Run.Experiments[0].Repeats); got != kept || o.Complete {
		t.Errorf("%d repeats of %d, complete %v", got, kept, o.Complete)
	}
	t.Log(kept, "repeats fitted; then:", f.Warning("more"))
}
