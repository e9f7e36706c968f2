package agent

import (
	"os"
	"path/filepath"
	"testing"
)

// What is said of paths: folders have room, files and what is not there have a reason, and nothing is written.
func TestRooms(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "film.mkv")
	if err := os.WriteFile(file, []byte("frames"), 0o600); err != nil {
		t.Fatal(err)
	}
	paths := []string{dir, file, filepath.Join(dir, "not-there")}
	if os.Geteuid() != 0 {
		shut := filepath.Join(dir, "shut")
		if err := os.Mkdir(shut, 0o500); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, shut)
	}
	n := needs(t.Context(), nil, paths)
	if len(n.Rooms) != len(paths) {
		t.Fatalf("%d answers to %d paths", len(n.Rooms), len(paths))
	}
	for i, want := range []struct{ kind, lacks string }{{"folder", ""}, {"file", "it is no folder"}, {"", "no such file or directory"}, {"folder", "this user may not write there"}}[:len(paths)] {
		r := n.Rooms[i]
		if r.Path != paths[i] || r.Kind != want.kind || r.Lacks != want.lacks {
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
