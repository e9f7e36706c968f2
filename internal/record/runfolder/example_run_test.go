package runfolder

import (
	"os"
	"path/filepath"
	"testing"

	"linerate/internal/record"
	"linerate/internal/record/recordtest"
)

// writeExample writes a whole run with this number of repeats, and stops at the first error.
func writeExample(f *Folder, r *record.Run, repeats int) error {
	if err := f.Started(r); err != nil {
		return err
	}
	for _, h := range r.Hosts {
		if err := f.Host(h); err != nil {
			return err
		}
	}
	e := r.Experiments[0]
	if err := f.Experiment(e); err != nil {
		return err
	}
	if _, err := f.SaveSnapshot("desk", "idle", []byte("-- uname --\nLinux\n")); err != nil {
		return err
	}
	for i := range repeats {
		if err := f.Samples(recordtest.Samples(e.ID, i, 5)); err != nil {
			return err
		}
		if err := f.Repeat(e.ID, recordtest.Repeat(i)); err != nil {
			return err
		}
		e.Repeats = append(e.Repeats, recordtest.Repeat(i))
	}
	if err := f.Warning("the clock stepped"); err != nil {
		return err
	}
	if err := f.Verdict(e.ID, e.Verdict); err != nil {
		return err
	}
	return f.Finish(r, "")
}

// finished makes a folder with a complete run.
func finished(t testing.TB) (string, *record.Run) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	f, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := recordtest.Run(t)
	if err := writeExample(f, r, 3); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, r
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
