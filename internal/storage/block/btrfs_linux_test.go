package block

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Every device of a btrfs file system is counted, whichever of them it is mounted by.
func TestBtrfsMembers(t *testing.T) {
	root := t.TempDir()
	for _, path := range []string{"features", "1b4e28ba/devices/sdb", "1b4e28ba/devices/sdc", "6fa459ea/devices/dm-0"} {
		if err := os.MkdirAll(filepath.Join(root, path), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for device, want := range map[string][]string{"sdb": {"sdb", "sdc"}, "sdc": {"sdb", "sdc"}, "dm-0": {"dm-0"},
		"sda": nil} {
		if got := btrfsMembers(root, device); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", device, got, want)
		}
	}
}
