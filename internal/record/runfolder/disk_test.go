package runfolder

import (
	"errors"
	"fmt"
	"io"
	"linerate/internal/record/recordtest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
)

// failingDisk is a real disk whose n-th and all later calls fail with "no space left". A write fails after half of its
// bytes. Removing works, because it needs no space.
type failingDisk struct {
	osDisk
	left   int
	once   bool // only the n-th call fails
	failed string
}

func (d *failingDisk) step(what string) error {
	d.left--
	if d.left == 0 || d.left < 0 && !d.once {
		if d.failed == "" {
			d.failed = what
		}
		return diskFull
	}
	return nil
}

func (d *failingDisk) MkdirAll(dir string) error {
	if err := d.step("mkdir"); err != nil {
		return err
	}
	return d.osDisk.MkdirAll(dir)
}

func (d *failingDisk) Rename(from, to string) error {
	if err := d.step("rename"); err != nil {
		return err
	}
	return d.osDisk.Rename(from, to)
}

func (d *failingDisk) SyncDir(dir string) error {
	if err := d.step("sync folder"); err != nil {
		return err
	}
	return d.osDisk.SyncDir(dir)
}

func (d *failingDisk) Open(name string, how opening) (file, error) {
	if err := d.step("open"); err != nil {
		return nil, err
	}
	f, err := d.osDisk.Open(name, how)
	if err != nil {
		return nil, err
	}
	return failingFile{f, d}, nil
}

type failingFile struct {
	file
	d *failingDisk
}

func (f failingFile) Write(b []byte) (int, error) {
	if err := f.d.step("write"); err != nil {
		n, _ := f.file.Write(b[:len(b)/2])
		return n, err
	}
	return f.file.Write(b)
}

func (f failingFile) Sync() error {
	if err := f.d.step("sync"); err != nil {
		return err
	}
	return f.file.Sync()
}

func (f failingFile) Close() error {
	err := f.d.step("close")
	if e := f.file.Close(); err == nil {
		err = e
	}
	return err
}

func (f failingFile) Truncate(n int64) error {
	if err := f.d.step("truncate"); err != nil {
		return err
	}
	return f.file.Truncate(n)
}

// TestEveryCallFails records a run once for each of its calls to the disk, and each time another call fails.
func TestEveryCallFails(t *testing.T) {
	kinds := []bool{true, false}
	if underRace {
		kinds = kinds[:1]
	}
	for _, once := range kinds {
		calls := 0
		for n := 1; ; n++ {
			d := &failingDisk{left: n, once: once}
			dir := filepath.Join(t.TempDir(), "run")
			err := runOn(t, d, dir)
			if d.failed == "" {
				if err != nil {
					t.Fatalf("nothing failed, but: %v", err)
				}
				calls = n
				break
			}
			where := fmt.Sprintf("call %d (%s)", n, d.failed)
			if err == nil || !errors.Is(err, diskFull) || !strings.Contains(err.Error(), dir) {
				t.Errorf("%s: the error is %v; want the file and the cause", where, err)
				continue
			}
			if n := strings.Count(err.Error(), diskFull.Error()); n != 1 {
				t.Errorf("%s: the cause is said %d times: %v", where, n, err)
			}
			checkAfterFailure(t, where, dir)
		}
		if calls < 30 {
			t.Errorf("a run has %d calls to the disk; the test misses most", calls)
		}
	}
}

// runOn records a run on a disk. Its clock does not advance. On a slow machine the journal would otherwise be synced
// within the run, and the calls to the disk would differ each time.
func runOn(t *testing.T, d disk, dir string) (err error) {
	r := recordtest.Run(t)
	synctest.Test(t, func(*testing.T) {
		var f *Folder
		if f, err = createIn(d, dir, "abcd"); err != nil {
			return
		}
		err = writeExample(f, r, 2)
		if e := f.Close(); err == nil {
			err = e
		}
	})
	return err
}

// checkAfterFailure requires a whole manifest or none, and a journal with every event up to the failure.
func checkAfterFailure(t *testing.T, where, dir string) {
	t.Helper()
	if exists(filepath.Join(dir, ManifestName)) {
		if err := Verify(dir); err != nil {
			t.Errorf("%s: %v", where, err)
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, JournalName))
	if err != nil || !strings.Contains(string(b), "\n") {
		return // it failed before or in the first event
	}
	o, err := Open(dir, "")
	if err != nil {
		t.Errorf("%s: %v", where, err)
		return
	}
	repeats := 0
	if len(o.Run.Experiments) > 0 {
		repeats = len(o.Run.Experiments[0].Repeats)
	}
	if want := strings.Count(string(b), `{"event":"repeat"`); o.Run.Fabric != "mesh-10g" ||
		repeats != want && repeats != want-1 || !o.Complete && len(o.Run.Warnings) > 1 {
		t.Errorf("%s: %d of %d repeats, warnings %q", where, repeats, want, o.Run.Warnings)
	}
	if o.Complete {
		return
	}
	// Once there is space again, the run can be continued to its end.
	f, p, err := Resume(dir, "v0", nil)
	if err != nil {
		t.Errorf("%s: %v", where, err)
		return
	}
	p.Run.Complete = true
	if err := f.Finish(p.Run, ""); err != nil {
		t.Errorf("%s: continued: %v", where, err)
	}
	if err := f.Close(); err != nil {
		t.Errorf("%s: continued: %v", where, err)
	}
	if err := Verify(dir); err != nil {
		t.Errorf("%s: continued: %v", where, err)
	}
}

// TestSyncFails checks that an error of the background sync reaches the next event and Close.
func TestSyncFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	d := &failingDisk{left: 1 << 30}
	f, err := createIn(d, dir, "abcd")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Started(recordtest.Run(t)); err != nil {
		t.Fatal(err)
	}
	if err := f.Warning("one"); err != nil {
		t.Fatal(err)
	}
	d.left = 1
	f.log.sync()
	for name, err := range map[string]error{"event": f.Warning("two"), "finish": f.Finish(recordtest.Run(t), ""),
		"close": f.Close()} {
		if !errors.Is(err, diskFull) || !strings.Contains(err.Error(), JournalName) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReadOnlyMessage(t *testing.T) {
	err := writing("/x/y", &os.PathError{Op: "open", Path: "/x/.y.part", Err: os.ErrPermission})
	if got := err.Error(); got != "write /x/y: permission denied; give a folder that you may write to with -o" {
		t.Error(got)
	}
	if err := writing("/x", nil); err != nil {
		t.Error(err)
	}
	if err := writing("/x", io.ErrShortWrite); !errors.Is(err, io.ErrShortWrite) {
		t.Error(err)
	}
}
