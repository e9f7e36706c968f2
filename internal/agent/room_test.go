package agent

import (
	"os"
	"path/filepath"
	"testing"

	"linerate/internal/testenv"
)

// Folders have free space; files and missing paths have a reason. Nothing is written.
func TestRooms(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "film.mkv")
	testenv.WriteFile(t, file, []byte("frames"), 0o600)
	paths := []string{dir, file, filepath.Join(dir, "not-there")}
	if os.Geteuid() != 0 {
		shut := filepath.Join(dir, "shut")
		testenv.Check(t, os.Mkdir(shut, 0o500))
		paths = append(paths, shut)
	}
	n := needs(t.Context(), nil, paths)
	if len(n.Rooms) != len(paths) {
		t.Fatalf("%d answers to %d paths", len(n.Rooms), len(paths))
	}
	for i, want := range []struct{ kind, missing string }{{"folder", ""}, {"file", "it is not a folder"},
		{"", "no such file or directory"}, {"folder", "this user may not write there"}}[:len(paths)] {
		r := n.Rooms[i]
		if r.Path != paths[i] || r.Kind != want.kind || r.Missing != want.missing {
			t.Errorf("%s: %+v", paths[i], r)
		}
		if known := r.Free != nil && *r.Free > 0; known != (want.kind != "") {
			t.Errorf("%s: free is %v", paths[i], r.Free)
		}
	}
	if list, _ := os.ReadDir(dir); len(list) != len(paths)-2 {
		t.Errorf("looking has made something: %v", list)
	}
}
