package run

import (
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/storage/block"
)

func partCells(t *testing.T, experiments string, o Options) []*Cell {
	t.Helper()
	catalog := partsOnce(t)
	text := strings.Replace(blockFabric[:strings.Index(blockFabric, "experiments:")], "volumes:", `profiles:
  mine: {loads: [SEQ128K-Q4T2, "RND8K-Q32T1:70%+SEQ32K-Q1T1:0%"], read: [100%, 50%], time: 7s, span: 2GiB, rate: 500, repeats: 2}
volumes:`, 1) + "experiments:\n" + experiments
	f, problems := fabric.Parse("block.yaml", []byte(text), fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	cells, err := Cells(plan.Build(f), o)
	if err != nil {
		t.Fatal(err)
	}
	return cells
}

// A load of several parts is a worker for each on every host, at once.
func TestBlockPartsAtOnce(t *testing.T) {
	cells := partCells(t, "  sql: {method: block, from: nas, to: nas.tank, transport: local, profile: sql}\n", Options{})
	if len(cells) != 1 {
		t.Fatalf("%d cells", len(cells))
	}
	b := cells[0].block
	if cells[0].Exp.NotRun != "" || len(b.workers) != 2 || b.workers[1].part != 1 || b.workers[1].target != "/mnt/tank" || len(cells[0].Exp.Ends) != 1 {
		t.Fatalf("%q: %+v", cells[0].Exp.NotRun, b.workers)
	}
	if b.job.Read <= 0 || b.job.Read >= 1 {
		t.Errorf("%v of it reads, and there are both", b.job.Read)
	}
	j := b.job
	takeLoad(&j, b.parts[0], "80M")
	if j.Size != 8*unit.KiB || j.Rate != 10e6/8192 || j.Depth != 32 || j.Read != 0.7 || j.Pattern != block.PatternRandom {
		t.Errorf("the first is %+v", j)
	}
	takeLoad(&j, b.parts[1], "80M")
	if j.Size != 32*unit.KiB || j.Rate != 10e6/32768 || j.Depth != 1 || j.Read != 0 || j.Pattern != block.PatternSequential {
		t.Errorf("the second is %+v", j)
	}
	takeLoad(&j, fabric.BlockPart{BlockLoad: fabric.BlockLoad{Random: 0.8, Size: 4096, Depth: 1, Threads: 1}}, "")
	if j.Pattern != block.PatternMixed || j.Random != 0.8 {
		t.Errorf("a mix is %+v", j)
	}
}

// VMFleet's four, by their names and as one.
func TestBlockVMFleet(t *testing.T) {
	cells := partCells(t, "  all: {method: block, from: nas, to: nas.tank, transport: local, profile: vmfleet}\n", Options{})
	var got []string
	for _, c := range cells {
		got = append(got, c.Exp.Settings["load"])
		if c.Exp.NotRun != "" || c.Exp.Settings["read"] != "" {
			t.Errorf("%q %v", c.Exp.NotRun, c.Exp.Settings)
		}
	}
	want := []string{"MIX50-4K-Q32T1:100%", "MIX50-4K-Q32T1:90%", "MIX50-4K-Q32T1:70%", "RND4K-Q32T1:100%", vdiLoad, sqlLoad}
	if !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if j := cells[1].block.job; j.Read != 0.9 || j.Random != 0.5 || j.Size != 4*unit.KiB {
		t.Errorf("%+v", j)
	}
}

// A profile of the file's own, and what may not be said beside it.
func TestBlockOwnProfile(t *testing.T) {
	cells := partCells(t, "  own: {method: block, from: nas, to: nas.tank, transport: local, profile: mine, time: 9s}\n", Options{})
	if len(cells) != 2 && len(cells) != 3 {
		t.Fatalf("%d cells", len(cells))
	}
	c := cells[0]
	if j := c.block.job; c.Exp.NotRun != "" || j.Size != 128*unit.KiB || j.Threads != 2 || j.Span != 2*unit.GiB || j.Rate != 500 || c.asked() != 9*time.Second || c.Repeat != 2 {
		t.Errorf("%q: %+v, %v, %d repeats", c.Exp.NotRun, j, c.asked(), c.Repeat)
	}
	if last := cells[len(cells)-1]; last.block.parts == nil {
		t.Errorf("%v has one load", last.Exp.Settings)
	}
	for experiment, want := range map[string]string{
		"  x: {method: block, from: nas, to: nas.tank, profile: sql, read: 50%}\n":                          "profile: sql says the share of reads itself",
		"  x: {method: block, from: nas, to: nas.tank, load: \"RND8K-Q1T1:70%\", read: 50%}\n":              "load RND8K-Q1T1:70% says read itself; leave read out",
		"  x: {method: block, from: nas, to: nas.tank, profile: nobody}\n":                                  "profile: nobody is none of cdm, cdm-nvme, quick, block-grid, peak, general, vdi, sql, vmfleet, steady, mine",
		"  x: {method: block, from: nas, to: nas.tank, transport: local, steady: \"true\", amount: 1GiB}\n": "",
	} {
		if got := partCells(t, experiment, Options{})[0].Exp.NotRun; !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q", experiment, got)
		}
	}
}

// A rate is requests or bits a second; the steady state is waited for as long as the time says, and less in a lab.
func TestBlockRateAndSteady(t *testing.T) {
	cells := partCells(t, "  r: {method: block, from: nas, to: nas.tank, transport: local, rate: [1000, 80M], size: 10KiB, steady: \"true\", time: 5m}\n", Options{})
	if a, b := cells[0].block.job, cells[1].block.job; a.Rate != 1000 || b.Rate < 976 || b.Rate > 977 || !a.Steady || !cells[0].whole() || cells[0].asked() != 5*time.Minute {
		t.Errorf("%v and %v a second, %+v", a.Rate, b.Rate, a)
	}
	if c := partCells(t, "  r: {method: block, from: nas, to: nas.tank, transport: local, profile: steady}\n", Options{Lab: true})[0]; c.Exp.NotRun != "" || c.asked() != labSteady || c.expected(1) > labSteady {
		t.Errorf("%q: %v", c.Exp.NotRun, c.asked())
	}
}

// A job may take longer than its window: what it wrote is put on the drive, and read back.
func TestAfterWindow(t *testing.T) {
	j, window := block.Job{Read: 1, Verify: true}, 10*time.Minute
	if d := afterWindow(j, window); d != 0 {
		t.Errorf("of reads alone: %v", d)
	}
	if j.Read = 0.5; afterWindow(j, window) < window+finalSyncMost {
		t.Errorf("what is written in %v is read back within %v", window, afterWindow(j, window))
	}
	if j.Verify = false; afterWindow(j, window) != finalSyncMost {
		t.Errorf("without reading back: %v", afterWindow(j, window))
	}
}

// Where several workers write one storage, none can hold what it reads against what it wrote.
func TestVerifyAlone(t *testing.T) {
	nas := &exported{owner: "nas", folder: "/mnt/tank", name: "tank"}
	for _, k := range []struct {
		what    string
		refused bool
		workers []blockWorker
	}{
		{"one served drive", true, []blockWorker{{host: "a", of: "nas.tank", served: nas}, {host: "b", of: "nas.tank", served: &exported{owner: "nas", folder: "/mnt/tank", name: "tank"}}}},
		{"two served drives", false, []blockWorker{{host: "a", served: nas}, {host: "b", served: &exported{owner: "nas", folder: "/mnt/tank", name: "other"}}}},
		{"two parts of one device", true, []blockWorker{{host: "a", target: "/dev/sdx", of: "a.x"}, {host: "a", target: "/dev/sdx", of: "a.x", part: 1}}},
		{"a file each", false, []blockWorker{{host: "a", target: "/mnt/tank"}, {host: "a", target: "/mnt/tank", part: 1}}},
		{"a device each", false, []blockWorker{{host: "a", target: "/dev/sdx"}, {host: "b", target: "/dev/sdx"}}},
		{"one device of two hosts", true, []blockWorker{{host: "a", target: "/dev/sdx", of: "nas.lun"}, {host: "b", target: "/dev/sdy", of: "nas.lun"}}},
	} {
		if why := (&blockCell{workers: k.workers}).together(); (why != "") != k.refused {
			t.Errorf("%s: %q", k.what, why)
		}
	}
}
