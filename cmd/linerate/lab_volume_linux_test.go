package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/cli"
	"linerate/internal/testenv"
)

// Eight virtual machines on four hosts write to a volume of GlusterFS: the counters of bricks and network show three
// copies, and what is read back is what was written. The tests do not install GlusterFS: apt-get install
// glusterfs-server glusterfs-client.
func TestVolumeOfGlusterFS(t *testing.T) {
	testenv.Need(t, testenv.Gluster)
	if _, err := exec.LookPath("glusterfs"); err != nil {
		missing(t, "the program glusterfs (Debian: glusterfs-server glusterfs-client)")
	}
	needNamespaces(t)
	p := newPlace(t)
	a := p.linerate(t, "run", copyFile(t, "testdata/volume.yaml", p.path("volume.yaml")), "--lab", "--json", "-o",
		p.path("run")).ends(t, cli.ExitDone)
	all := a.run(t).Experiments
	if len(all) != 2 {
		t.Fatalf("%d experiments", len(all))
	}
	for _, x := range all {
		if x.NotRun != "" || x.Failed != "" || x.Block == nil || len(x.Block.Workers) != 8 || x.Block.Start == nil {
			t.Fatalf("%s: %q %q %+v", x.Name, x.NotRun, x.Failed, x.Block)
		}
		for _, w := range x.Block.Workers {
			if !strings.HasPrefix(w.FileSystem, "fuse") || w.Of != "csv" {
				t.Errorf("%s: %+v", x.Name, w)
			}
			if v := w.Verified; x.Name == "compared" && (v == nil || v.Right == 0 || v.Wrong > 0) {
				t.Errorf("%s: %+v", w.Host, v)
			}
		}
	}
	b := all[0].Block
	written := float64(b.Write.Bytes)
	bricks, wire, hosts := 0.0, 0.0, 0
	for _, h := range b.Hosts {
		if !h.Stores {
			continue
		}
		hosts++
		own := 0.0
		for _, c := range h.Processes {
			own += c.Cores
			if c.Name == "glusterfsd" {
				bricks += float64(*c.WrittenBytes)
			}
		}
		if own <= 0 || h.Received == nil {
			t.Errorf("%s: %+v", h.Host, h)
			continue
		}
		wire += float64(*h.Received)
	}
	// A write has three copies, of which at most one is on its own host. Calls of the protocol add some percent.
	if written != 8*16<<20 || hosts != 4 || bricks < 2.95*written || bricks > 3.4*written || wire < 1.95*written ||
		wire > 3.6*written {
		t.Errorf("%.0f bytes were written by the workers, %.0f (%.2f times) by the bricks of %d hosts, and %.0f (%.2f "+
			"times) came over the network", written, bricks, bricks/written, hosts, wire, wire/written)
	}
	if text := p.linerate(t, "report", p.path("run"), "--all"); !strings.Contains(text.out, "times as much") {
		t.Errorf("%s", text)
	}
	p.nothingLeft(t, 10*time.Second)
	if out, _ := exec.Command("pgrep", "-f", "glusterfs.*"+p.path("")).Output(); len(out) > 0 {
		t.Errorf("still running: %s", out)
	}
	entries, _ := os.ReadDir("/run/gluster")
	if slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.Contains(e.Name(), "set") }) {
		t.Errorf("left in /run/gluster: %v", entries)
	}
}
