package watch

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The devices below a device come from the kernel's folders: members, the disk of a partition, nothing, or unknown.
func TestMadeOf(t *testing.T) {
	at := t.TempDir()
	class := filepath.Join(at, "class")
	for _, dir := range []string{class, "sda/slaves", "sda/sda1/slaves", "md0/slaves/sda1", "md0/slaves/sdb1", "bare"} {
		if dir != class {
			dir = filepath.Join(at, "devices", dir)
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(at, "devices/sda/sda1/partition"), []byte("1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"sda": "sda", "sda1": "sda/sda1", "md0": "md0", "bare": "bare"} {
		if err := os.Symlink(filepath.Join("../devices", to), filepath.Join(class, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string][]string{"sda": {}, "sda1": {"sda"}, "md0": {"sda1", "sdb1"}, "bare": {},
		"gone": nil} {
		if got := madeOf(class, name); !slices.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("%s: %v, not %v", name, got, want)
		}
	}
}
