package brief

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/report/highlight"
	"linerate/internal/report/terminal"
)

// storageOf is an experiment of storage with some settings.
func storageOf(name, from, to string, settings map[string]string) *record.Experiment {
	return &record.Experiment{Name: name, Method: "storage", From: from, To: to, Settings: settings,
		Block: &record.Block{}, Bytes: &record.Estimate{Median: 1e9}, IOPS: &record.Estimate{Median: 1000}}
}

// Lines of storage that differ in one setting alone show it; lines that differ in other words do not.
func TestStorageLinesDiffer(t *testing.T) {
	long := "a-host-with-a-name-that-is-longer-than-the-column."
	all := (&brief{run: &record.Run{Fabric: "f", Complete: true, Experiments: []*record.Experiment{
		storageOf("first", "a", "b.d", map[string]string{"size": "128KiB", "access": "sequential", "cache": "through"}),
		storageOf("second", "a", "b.d", map[string]string{"size": "128KiB", "access": "sequential", "cache": "direct"}),
		storageOf("third", "a", "b.d", map[string]string{"size": "4KiB", "access": "random", "depth": "32"}),
		storageOf("long-1", "a", long+"one", map[string]string{"size": "4KiB"}),
		storageOf("long-2", "a", long+"two", map[string]string{"size": "4KiB"}),
	}}}).storage()
	want := []string{
		"read  b.d -> a                              1.00 GB/s  cache through, 128...",
		"read  b.d -> a                              1.00 GB/s  cache direct, 128 KiB...",
		"read  b.d -> a                              1.00 GB/s  4 KiB random, 1.00 k IOPS",
		"read  a-host-with-a-na...e-column.one -> a  1.00 GB/s  4 KiB, 1.00 k IOPS",
		"read  a-host-with-a-na...e-column.two -> a  1.00 GB/s  4 KiB, 1.00 k IOPS"}
	if got := linesOf(all, 80); !slices.Equal(got, want) {
		t.Errorf("\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// No two lines of a recorded run look equal but for their figures.
func TestNoEqualLines(t *testing.T) {
	n := 0
	for name, r := range recorded(t) {
		b := &brief{run: r, found: highlight.Find(r), term: terminal.Terminal{Width: 80}}
		for _, all := range [][]other{b.storage(), b.storageFree()} {
			printed := linesOf(all, 80)
			seen := map[string]bool{}
			for i, line := range printed {
				n++
				key := all[i].figure + "|" + strings.Replace(line, all[i].figure, "", 1)
				if key = strings.TrimPrefix(key, all[i].figure); seen[key] {
					t.Errorf("%s: %s is there twice", name, line)
				}
				seen[key] = true
			}
		}
	}
	if n == 0 {
		t.Error("no recorded run has such lines")
	}
}
