package read

import (
	"slices"
	"testing"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/storage"
	"linerate/internal/facts/snapshot"
)

func TestDrives(t *testing.T) {
	f := load(t, "drives.txtar")
	if b := f.Block("hda"); f.Block("hda1") != nil || f.Block("sda1") != nil || b == nil || b.BusyMillis != 3376340 {
		t.Errorf("%+v", f.Storage.Blocks)
	}
	for name, want := range map[string][]string{"dm-0": {"md0", "sda3", "sdb1", "sda", "sdb"}, "loop0": {"loop1"},
		"loop1": nil, "sda": nil, "none": nil} {
		if below := f.Below(name); !slices.Equal(below, want) {
			t.Errorf("below %s: %v, want %v", name, below, want)
		}
	}
	if l := f.Layer("loop1"); l == nil || l.Source != storage.LoopsSource {
		t.Errorf("%+v", l)
	}
}

// TestDrivesForms: other outputs under these names are not counters, a truncated line drops the lines after it, and
// circular layers end.
func TestDrivesForms(t *testing.T) {
	for _, text := range []string{"", "cat: /proc/diskstats: No such file or directory\n",
		"a b c d e f g h i j k l m n\n"} {
		if blocks, err := storage.ParseDiskstats([]byte(text)); err == nil || len(blocks) > 0 {
			t.Errorf("%q: %+v", text, blocks)
		}
	}
	const good = "   8       0 sda 1 2 3 4 5 6 7 8 9 10 11\n"
	for _, bad := range []string{"8 0 s", "8 0 sdb 1 2 x 4 5 6 7 8 9 10 11"} {
		blocks, err := storage.ParseDiskstats([]byte(good + bad))
		if err == nil || len(blocks) != 1 || blocks[0].ReadBytes != 3*512 {
			t.Errorf("%s: %v %+v", bad, err, blocks)
		}
	}
	for _, text := range []string{"", "ls: cannot access '/sys/block/*/slaves/*': No such file or directory\n"} {
		if err := storage.ReadLayers(parse.NewBuilder(new(facts.Facts)), nil, []byte(text)); err == nil {
			t.Errorf("%q is read", text)
		}
		if err := storage.ReadLoops(parse.NewBuilder(new(facts.Facts)), nil, []byte(text)); err == nil {
			t.Errorf("%q is read", text)
		}
	}
	f := parse.NewBuilder(new(facts.Facts))
	if err := storage.ReadLayers(
		f,
		nil,
		[]byte("/sys/block/a/slaves/b\n/sys/block/b/slaves/a\n/sys/block/c/slaves/c\n"),
	); err != nil || !slices.Equal(f.Below("a"), []string{"b"}) ||
		f.Below("c") != nil {
		t.Errorf("%v %v %v", err, f.Below("a"), f.Below("c"))
	}
	if c, err := Parse(snapshot.FromOutputs("h", "linux", f.When,
		[]snapshot.Output{{Command: "cat /proc/diskstats", Text: []byte(good)}})); err != nil || c.Block("sda") == nil {
		t.Errorf("%v %+v", err, c)
	}
}
