package lab

import (
	"os"
	"path/filepath"
	"testing"

	"linerate/internal/testenv"
)

func TestUnderSoftRoCE(t *testing.T) {
	sys := t.TempDir()
	for path, text := range map[string]string{"rxe0/parent": "fast\n", "siw0/node_type": "4: RNIC\n"} {
		testenv.WriteFile(t, filepath.Join(sys, "class/infiniband", path), text, 0o600)
	}
	for name, bond := range map[string]string{"one": "fast", "two": "slow"} {
		dir := filepath.Join(sys, "class/net", name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("../"+bond, filepath.Join(dir, "master")); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]bool{"fast": true, "fas": false, "other": false, "one": true, "two": false} {
		if underSoftRoCE(sys, name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
