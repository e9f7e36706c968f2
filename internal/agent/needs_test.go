package agent

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"linerate/internal/base/failure"
	"linerate/internal/testenv"
)

// What a run needs is looked up on this host: programs by name, paths with what could be written there, and a clock.
// Nothing is written.
func TestNeeds(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	testenv.WriteFile(t, file, []byte("x"), 0o600)
	gone := filepath.Join(dir, "gone")
	n := needs(t.Context(), []string{"sh", "linerate-has-no-such-program"}, []string{dir, file, gone})
	if path, asked := n.Programs["linerate-has-no-such-program"]; !asked || path != "" {
		t.Errorf("a program that is nowhere: %q, asked for: %v", path, asked)
	}
	if runtime.GOOS == "linux" {
		if !filepath.IsAbs(n.Programs["sh"]) || n.TCPInfo <= 0 || n.Capabilities == nil || n.NoRing == notAsked ||
			n.NoNamespaces == notAsked {
			t.Errorf("%+v", n)
		}
	}
	if n.WallNS == 0 || n.Clock.Resolution <= 0 {
		t.Errorf("the clock: %+v at %d", n.Clock, n.WallNS)
	}
	if len(n.Rooms) != 3 {
		t.Fatalf("rooms: %+v", n.Rooms)
	}
	if r := n.Rooms[0]; r.Path != dir || r.Kind != "folder" || r.Missing != "" || r.Free == nil || *r.Free <= 0 {
		t.Errorf("a folder: %+v", r)
	}
	if r := n.Rooms[1]; r.Kind != "file" || r.Missing == "" {
		t.Errorf("a file: %+v", r)
	}
	if r := n.Rooms[2]; r.Kind != "" || r.Missing == "" || r.Free != nil {
		t.Errorf("what is not there: %+v", r)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("something was written: %v %v", left, err)
	}
}

// A controller may ask only for names of programs, and not for any number of them.
func TestNeedsLimits(t *testing.T) {
	l := limits()
	for _, q := range []needsRequest{
		{Programs: []string{"/bin/sh"}}, {Programs: []string{"../sh"}}, {Programs: []string{""}},
		{Programs: []string{"sh -c"}}, {Programs: []string{"sh", "-x"}},
		{Programs: make([]string, 100000)}, {Rooms: make([]string, 100000)},
	} {
		var e *failure.Error
		if err := l.checkNeeds(q); !errors.As(err, &e) {
			t.Errorf("%.60v was taken: %v", q, err)
		}
	}
	if err := l.checkNeeds(needsRequest{Programs: []string{"ethtool", "mount.nfs", "g++"},
		Rooms: []string{"/mnt/any thing"}}); err != nil {
		t.Error(err)
	}
}
