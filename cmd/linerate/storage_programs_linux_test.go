package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"linerate/internal/record"
)

// Drives of a namespace are given out by their own protocol where programs for it are there, and compared; another protocol is stood in for, and the record says why.
func TestStorageByPrograms(t *testing.T) {
	t.Parallel()
	needLab(t)
	for _, program := range []string{"/usr/sbin/tgtd", "/usr/bin/qemu-storage-daemon", "/usr/bin/nbdkit", "/usr/bin/nbdfuse"} {
		if _, err := os.Stat(program); err != nil {
			missing(t, program)
		}
	}
	if f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0); err != nil {
		t.Skip(err) // nothing that is installed mends it
	} else {
		f.Close()
	}
	p := newPlace(t)
	fabric := copyFile(t, "testdata/storage-programs.yaml", p.path("storage-programs.yaml"))
	a := p.linerate(t, "run", fabric, "--lab", "--scale", "0.05", "-o", p.path("run"), "--json")
	var r record.Run
	if err := json.Unmarshal([]byte(a.out), &r); err != nil || len(r.Experiments) != 4 {
		t.Fatalf("%v: %s", err, a)
	}
	for _, e := range r.Experiments {
		if e.Name == "large" {
			if !strings.Contains(e.NotRun, "span 1 GiB is more than the size of lun, 8 MiB") {
				t.Errorf("a span larger than the drive: %q", e.NotRun)
			}
			continue
		}
		if e.Block == nil {
			t.Errorf("%s: %s%s", e.Name, e.Failed, e.NotRun)
			continue
		}
		w := e.Block.Workers[0]
		if e.Name == "smb" {
			if x := w.Export; x == nil || x.Protocol != "nvme-tcp" || x.Instead != "smb" || !strings.Contains(x.Because, "is a namespace") || w.Way != "nvme-tcp" {
				t.Errorf("smb: %+v", x)
			}
			if text := strings.Join(e.Repeats[0].Warnings, "\n"); !strings.Contains(text, "stands in for smb here") {
				t.Errorf("smb: %s", text)
			}
			continue
		}
		if x := w.Export; x == nil || x.Protocol != e.Name || x.Instead != "" || x.Kernel || !strings.Contains(x.Client, "nbdfuse") {
			t.Errorf("%s: %+v", e.Name, x)
		}
		if v := w.Verified; v == nil || v.Right == 0 || v.Wrong+v.Unknown != 0 || w.Way != "threads" || !strings.HasPrefix(w.FileSystem, "fuse") {
			t.Errorf("%s: %+v, way %s on %s", e.Name, v, w.Way, w.FileSystem)
		}
	}
	shown := p.linerate(t, "report", p.path("run"))
	if !strings.Contains(shown.out, "iscsi from 10.") || !strings.Contains(shown.out, "software at both ends, in user space") {
		t.Errorf("the report does not say how the storage was got at: %s", shown.out)
	}
}
