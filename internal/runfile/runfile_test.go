package runfile

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func TestText(t *testing.T) {
	r := &Run{
		Truth:  [][]string{{"link", "pcie"}, {"memory"}},
		Made:   "linerate run f.yaml",
		Edited: "the slot of host1:\nlspci of a NIC",
		Note:   "a note",
		Kept:   "manifest.json; ethtool -l fast",
		Files: []File{
			{"manifest.json", []byte("{}\n")},
			{"snapshots/a.txtar", []byte("-- x --\n\n==== \n ====\r\n")},
			{"snapshots/empty.txtar", []byte{}},
		},
	}
	text, err := r.Text()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse(text)
	if err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("%v: %+v\n%s", err, got, text)
	}
	if a, b, c := got.TruthOf(0), got.TruthOf(1), got.TruthOf(2); len(a) != 2 || len(b) != 1 || c != nil {
		t.Error(a, b, c)
	}
	if !got.Keeps("ethtool -l fast") || got.Keeps("ethtool") {
		t.Error(got.Kept)
	}
	r.Files[1].Data = []byte("==== manifest.json ====\n")
	if _, err := r.Text(); err == nil {
		t.Error("a line that looks like a marker is written")
	}
	for _, bad := range []string{"", "linerate/recorded-run/2\ntruth: a\nmade: b\n\n==== f ====\n", schema +
		"\ntruth: a\nmade: b\n", schema + "\nmade: b\n==== f ====\n", schema + "\ntruth: a\nmade: b\nmaker: c\n==== f " +
		"====\n"} {
		if r, err := Parse([]byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, r)
		}
	}
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	r := &Run{
		Name:  "x",
		Truth: [][]string{{"link"}},
		Made:  "by hand",
		Files: []File{
			{"manifest.json", []byte("{}\n")},
			{"snapshots/a.txtar", []byte("a\n")},
			{"snapshots/b.txtar", []byte("b\n")},
		},
	}
	if err := r.Write(dir); err != nil {
		t.Fatal(err)
	}
	opened, err := Open(filepath.Join(dir, "x.run"))
	if err != nil || !reflect.DeepEqual(opened, r) {
		t.Fatalf("%v: %+v", err, opened)
	}
	if err := opened.Unpack(filepath.Join(dir, "run")); err != nil {
		t.Fatal(err)
	}
	files, err := Folder(filepath.Join(dir, "run"), "manifest.json", "snapshots")
	if err != nil || !reflect.DeepEqual(files, r.Files) {
		t.Errorf("%v: %+v", err, files)
	}
	r.Set("snapshots/a.txtar", nil)
	r.Set("snapshots/b.txtar", []byte("c\n"))
	r.Set("snapshots/d.txtar", []byte("d\n"))
	if b, err := r.Read("snapshots/b.txtar"); err != nil || !bytes.Equal(b, []byte("c\n")) || len(r.Files) != 3 {
		t.Errorf("%v: %+v", err, r.Files)
	}
	if _, err := r.Read("snapshots/a.txtar"); !os.IsNotExist(err) {
		t.Error(err)
	}
}
