package facts

import (
	"slices"
	"testing"
)

func TestDrives(t *testing.T) {
	f := load(t, "drives.txtar")
	if len(f.Unknown) != 0 {
		t.Errorf("unknown: %v", f.Unknown)
	}
	if len(f.Storage.Blocks) != 9 || f.Block("hda1") != nil || f.Block("sda1") != nil {
		t.Errorf("%+v", f.Storage.Blocks)
	}
	if b := f.Block("loop0"); b == nil || *b != (BlockCount{Name: "loop0", Reads: 41, ReadBytes: 41984 * 512, ReadMillis: 7290, Writes: 36, WrittenBytes: 131072 * 512, WrittenMillis: 21, BusyMillis: 7310, InFlight: 1}) {
		t.Errorf("%+v", b)
	}
	if b := f.Block("hda"); b == nil || b.BusyMillis != 3376340 {
		t.Errorf("%+v", b)
	}
	for name, want := range map[string][]string{"dm-0": {"md0", "sda3", "sdb1", "sda", "sdb"}, "loop0": {"loop1"}, "loop1": nil, "sda": nil, "none": nil} {
		if below := f.Below(name); !slices.Equal(below, want) {
			t.Errorf("below %s: %v, want %v", name, below, want)
		}
	}
	if l := f.Layer("loop1"); l == nil || l.File != "/var/tmp/disk.img (deleted)" || len(l.On) != 0 || l.Source != loopsSource {
		t.Errorf("%+v", l)
	}
	if l := f.Layer("sda3"); l == nil || l.Line != "/sys/block/sda/sda3/partition" || l.File != "" {
		t.Errorf("%+v", l)
	}
}

// Other outputs under these names are no counters, a line that is cut off costs what comes after it, and devices that lie on each other end.
func TestDrivesForms(t *testing.T) {
	for _, text := range []string{"", "cat: /proc/diskstats: No such file or directory\n", "a b c d e f g h i j k l m n\n"} {
		if blocks, err := parseDiskstats([]byte(text)); err == nil || len(blocks) > 0 {
			t.Errorf("%q: %+v", text, blocks)
		}
	}
	const good = "   8       0 sda 1 2 3 4 5 6 7 8 9 10 11\n"
	for _, bad := range []string{"8 0 s", "8 0 sdb 1 2 x 4 5 6 7 8 9 10 11"} {
		blocks, err := parseDiskstats([]byte(good + bad))
		if err == nil || len(blocks) != 1 || blocks[0].ReadBytes != 3*512 {
			t.Errorf("%s: %v %+v", bad, err, blocks)
		}
	}
	for _, text := range []string{"", "ls: cannot access '/sys/block/*/slaves/*': No such file or directory\n"} {
		if err := readLayers(new(Facts), nil, []byte(text)); err == nil {
			t.Errorf("%q is read", text)
		}
		if err := readLoops(new(Facts), nil, []byte(text)); err == nil {
			t.Errorf("%q is read", text)
		}
	}
	f := new(Facts)
	if err := readLayers(f, nil, []byte("/sys/block/a/slaves/b\n/sys/block/b/slaves/a\n/sys/block/c/slaves/c\n")); err != nil || !slices.Equal(f.Below("a"), []string{"b"}) || f.Below("c") != nil {
		t.Errorf("%v %v %v", err, f.Below("a"), f.Below("c"))
	}
	if c, err := Parse(FromOutputs("h", "linux", f.When, []Output{{Command: "cat /proc/diskstats", Text: []byte(good)}})); err != nil || c.Block("sda") == nil {
		t.Errorf("%v %+v", err, c)
	}
}
