package runfolder

import (
	"errors"
	"io"
	"linerate/internal/record"
	"linerate/internal/record/recordtest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestCreateWantsNewOrEmpty(t *testing.T) {
	root := t.TempDir()
	full := filepath.Join(root, "full")
	os.Mkdir(full, 0o777)
	os.WriteFile(filepath.Join(full, "thesis.txt"), nil, 0o666)
	plain := filepath.Join(root, "file")
	os.WriteFile(plain, nil, 0o666)
	for dir, want := range map[string]string{full: "thesis.txt", plain: "new or empty"} {
		if _, err := Create(dir); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	empty := filepath.Join(root, "a", "b", "empty")
	os.MkdirAll(empty, 0o777)
	for _, dir := range []string{empty, filepath.Join(root, "x", "y", "new")} {
		f, err := Create(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if err := f.Close(); err != nil {
			t.Error("closed again:", err)
		}
	}
}

func TestCreateDefault(t *testing.T) {
	runs := filepath.Join(t.TempDir(), "runs [1]")
	now := time.Date(2026, 9, 20, 23, 0, 0, 0, time.UTC)
	f, err := CreateDefault(runs, "Home/40G .. über", now)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if name := filepath.Base(f.Path); !regexp.MustCompile(`^2026-09-20-home-40g-ber-[a-z]{4}$`).MatchString(name) ||
		!strings.HasSuffix(name, f.ID) {
		t.Errorf("folder %s, id %s", name, f.ID)
	}
	if err := f.Started(recordtest.Run(t)); err != nil {
		t.Fatal(err)
	}
	if got, err := Find(f.ID, runs); err != nil || got != f.Path {
		t.Errorf("by letters: %q, %v", got, err)
	}
}

func TestWholeRun(t *testing.T) {
	dir, r := finished(t)
	if err := Verify(dir); err != nil {
		t.Error(err)
	}
	o, err := Open(dir, "")
	if err != nil || !o.Complete || !o.Run.Complete {
		t.Fatalf("%+v, %v", o, err)
	}
	want, _ := r.JSON()
	got, _ := o.Run.JSON()
	if string(want) != string(got) {
		t.Errorf("the run reads back as\n%s\nwant\n%s", got, want)
	}
	var names []string
	for _, f := range o.Run.Files {
		names = append(names, f.Name)
	}
	if s := strings.Join(names, " "); s != "journal.jsonl samples.parquet snapshots/desk.idle.txtar" {
		t.Errorf("files %s", s)
	}
	if _, _, err := Resume(dir, "v0", nil); !errors.Is(err, ErrInput) {
		t.Errorf("a complete run is continued: %v", err)
	}
}

func TestVerifyFindsChanges(t *testing.T) {
	for what, spoil := range map[string]func(dir string) error{
		"is missing": func(dir string) error { return os.Remove(filepath.Join(dir, SamplesName)) },
		"bytes; the manifest": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, SamplesName), []byte("x"), 0o666)
		},
		"was changed": func(dir string) error {
			name := filepath.Join(dir, "snapshots", "desk.idle.txtar")
			b, err := os.ReadFile(name)
			if err == nil {
				b[0] ^= 1
				err = os.WriteFile(name, b, 0o666)
			}
			return err
		},
		"is not in the manifest": func(dir string) error { return os.WriteFile(filepath.Join(dir, "new"), nil, 0o666) },
	} {
		dir, _ := finished(t)
		if err := spoil(dir); err != nil {
			t.Fatal(err)
		}
		if err := Verify(dir); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v; want %q", err, what)
		}
	}
}

func TestFind(t *testing.T) {
	runs := t.TempDir()
	make := func(id string, started time.Time, done bool) string {
		dir := filepath.Join(runs, "2026-09-20-mesh-"+id)
		f, err := createIn(osDisk{}, dir, id)
		if err != nil {
			t.Fatal(err)
		}
		r := recordtest.Run(t)
		r.Started = started
		if done {
			err = writeExample(f, r, 1)
		} else {
			err = f.Started(r)
		}
		if e := f.Close(); err != nil || e != nil {
			t.Fatal(err, e)
		}
		return dir
	}
	day := func(n int) time.Time { return time.Date(2026, 9, n, 0, 0, 0, 0, time.UTC) }
	if _, err := Find("latest", runs); !errors.Is(err, ErrInput) {
		t.Errorf("no run: %v", err)
	}
	first, last := make("zzzz", day(1), true), make("bbbb", day(3), true)
	cut, older := make("cccc", day(2), false), make("dddd", day(1), false)
	// A folder without a readable run must not hide the others.
	os.MkdirAll(filepath.Join(runs, "empty-eeee"), 0o777)
	os.MkdirAll(filepath.Join(runs, "never-ffff"), 0o777)
	os.WriteFile(filepath.Join(runs, "never-ffff", JournalName), nil, 0o666)

	for ref, want := range map[string]string{"latest": last, "zzzz": first, first: first,
		filepath.Join(cut, ManifestName): cut, "cccc": cut} {
		if got, err := Find(ref, runs); err != nil || got != want {
			t.Errorf("Find(%q) = %q, %v; want %q", ref, got, err, want)
		}
	}
	for _, ref := range []string{"", "qqqq", "nowhere/at/all", "Zzzz", runs} {
		if got, err := Find(ref, runs); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "mesh-bbbb") {
			t.Errorf("Find(%q) = %q, %v", ref, got, err)
		}
	}
	if got, err := OpenIncomplete(runs, record.FabricHash(recordtest.Run(t).FabricText)); err != nil || got != cut {
		t.Errorf("incomplete: %q, %v; want %q (not %q)", got, err, cut, older)
	}
	if _, err := OpenIncomplete(runs, record.FabricHash("other")); !errors.Is(err, ErrInput) {
		t.Errorf("another fabric: %v", err)
	}
	if _, err := OpenIncomplete(filepath.Join(runs, "none"), ""); !errors.Is(err, ErrInput) {
		t.Errorf("no folder of runs: %v", err)
	}
	make2 := filepath.Join(runs, "2026-09-21-mesh-zzzz")
	if err := os.CopyFS(make2, os.DirFS(first)); err != nil {
		t.Fatal(err)
	}
	if _, err := Find("zzzz", runs); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "several") {
		t.Errorf("two of one name: %v", err)
	}
	if _, err := Open("ffff", runs); !errors.Is(err, ErrInput) {
		t.Errorf("cut off before its first event: %v", err)
	}
	if _, err := Open(filepath.Join(runs, "never-ffff"), runs); !errors.Is(err, ErrInput) ||
		!strings.Contains(err.Error(), "first event") {
		t.Errorf("cut off before its first event: %v", err)
	}
}

func TestOneWriter(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	f, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Started(recordtest.Run(t)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Resume(dir, "v0", nil); !errors.Is(err, ErrInput) ||
		!strings.Contains(err.Error(), "another program") {
		t.Errorf("two write %s: %v", dir, err)
	}
	if o, err := Open(dir, ""); err != nil || o.Run.Fabric != "mesh-10g" || o.Complete {
		t.Errorf("a run that goes on cannot be read: %+v, %v", o, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	g, _, err := Resume(dir, "v0", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

func TestNamesOfFiles(t *testing.T) {
	f, err := Create(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, bad := range []string{"../up", "/etc/passwd", "", JournalName, ManifestName, "a/../../b"} {
		if err := f.WriteFile(bad, func(io.Writer) error { return nil }); err == nil {
			t.Errorf("%q is written", bad)
		}
	}
	for _, bad := range []string{"", "..", "a/b", "a.b", "-x", strings.Repeat("a", 64), "a b", "a\x00"} {
		if _, err := f.SaveSnapshot(bad, "idle", nil); err == nil {
			t.Errorf("host %q is saved", bad)
		}
		if _, err := f.SaveSnapshot("host", bad, nil); err == nil {
			t.Errorf("when %q is saved", bad)
		}
	}
	for _, want := range []string{"snapshots/n1.during-3.txtar", "snapshots/n1.during-3-2.txtar",
		"snapshots/n1.during-3-3.txtar"} {
		if got, err := f.SaveSnapshot("n1", "during-3", []byte(want)); err != nil || got != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	// A writer that fails leaves only the old file.
	if err := f.WriteFile(ReportName,
		func(w io.Writer) error { _, err := io.WriteString(w, "old"); return err }); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if err := f.WriteFile(ReportName,
		func(w io.Writer) error { io.WriteString(w, "ne"); return broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	if got := string(read(t, filepath.Join(f.Path, ReportName))); got != "old" {
		t.Errorf("the report is %q", got)
	}
	if entries, _ := filepath.Glob(filepath.Join(f.Path, ".*")); len(entries) > 0 {
		t.Errorf("left behind: %v", entries)
	}
}
