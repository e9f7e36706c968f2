package facts

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"linerate/internal/testenv"
)

// What lies on what, of a tree as sysfs has it.
func TestCollectDrives(t *testing.T) {
	root := t.TempDir()
	for _, file := range []string{"block/sda/sda1/partition", "block/dm-0/slaves/sda1", "block/sda/queue/nr_requests"} {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(file)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, file), []byte("1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := &collector{ctx: context.Background()}
	c.layers(root)
	if len(c.files) != 1 || c.files[0].Name != layersSource {
		t.Fatalf("%+v", c.files)
	}
	f := new(Facts)
	if err := readLayers(f, nil, c.files[0].Data); err != nil || !slices.Equal(f.Below("dm-0"), []string{"sda1", "sda"}) {
		t.Errorf("%v: %s", err, c.files[0].Data)
	}
}

// The counters of this machine's drives are read at both levels.
func TestCollectDrivesHere(t *testing.T) {
	testenv.Need(t, testenv.Live)
	kernel, err := os.ReadFile("/proc/diskstats")
	for _, level := range []Level{Counters, Full} {
		text, cerr := Collect(context.Background(), level)
		if cerr != nil {
			t.Fatal(cerr)
		}
		f, perr := Parse(text)
		if perr != nil {
			t.Fatal(perr)
		}
		if err == nil && len(kernel) > 0 && len(f.Storage.Blocks) == 0 {
			t.Errorf("%s: no counters of drives", level)
		}
	}
}
