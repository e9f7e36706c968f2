package storage

import (
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/run/experiment"
	"linerate/internal/run/runtest"
	"linerate/internal/storage/block"
)

func partCombinations(t *testing.T, experiments string, o experiment.Options) []*experiment.Combination {
	t.Helper()
	catalog := runtest.Catalog(t)
	text := strings.Replace(blockFabric[:strings.Index(blockFabric, "experiments:")], "volumes:", `profiles:
  mine: {loads: [SEQ128K-Q4T2, "RND8K-Q32T1:70%+SEQ32K-Q1T1:0%"], read: [100%, 50%], time: 7s, span: 2GiB, limit: 500, repeats: 2}
volumes:`, 1) + "experiments:\n" + experiments
	f, problems := fabric.Parse("block.yaml", []byte(text), fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	combinations := runtest.Expand(plan.Build(f), o, Expand)
	return combinations
}

// A load of several parts has a worker for each on every host, at once.
func TestBlockPartsAtOnce(t *testing.T) {
	combinations := partCombinations(t,
		"  sql: {method: storage, from: nas, to: nas.tank, transport: local, profile: sql}\n", experiment.Options{})
	if len(combinations) != 1 {
		t.Fatalf("%d combinations", len(combinations))
	}
	b := workloadOf(combinations[0])
	if combinations[0].Record.NotRun != "" || len(b.workers) != 2 || b.workers[1].part != 1 ||
		b.workers[1].target != "/mnt/tank" ||
		len(combinations[0].Record.Ends) != 1 {
		t.Fatalf("%q: %+v", combinations[0].Record.NotRun, b.workers)
	}
	if b.job.Read <= 0 || b.job.Read >= 1 {
		t.Errorf("%v of it reads, and there are both", b.job.Read)
	}
	j := b.job
	applyLoad(&j, b.parts[0], "80M")
	if j.Size != 8*unit.KiB || j.Rate != 10e6/8192 || j.Depth != 32 || j.Read != 0.7 ||
		j.Pattern != block.PatternRandom {
		t.Errorf("the first is %+v", j)
	}
	applyLoad(&j, b.parts[1], "80M")
	if j.Size != 32*unit.KiB || j.Rate != 10e6/32768 || j.Depth != 1 || j.Read != 0 ||
		j.Pattern != block.PatternSequential {
		t.Errorf("the second is %+v", j)
	}
	applyLoad(&j, fabric.BlockPart{BlockLoad: fabric.BlockLoad{Random: 0.8, Size: 4096, Depth: 1, Threads: 1}}, "")
	if j.Pattern != block.PatternMixed || j.Random != 0.8 {
		t.Errorf("a mix is %+v", j)
	}
}

// VMFleet's four parts, by their names and as one.
func TestBlockVMFleet(t *testing.T) {
	combinations := partCombinations(t,
		"  all: {method: storage, from: nas, to: nas.tank, transport: local, profile: vmfleet}\n", experiment.Options{})
	var got []string
	for _, c := range combinations {
		got = append(got, c.Record.Settings["load"])
		if c.Record.NotRun != "" || c.Record.Settings["read"] != "" {
			t.Errorf("%q %v", c.Record.NotRun, c.Record.Settings)
		}
	}
	want := []string{"MIX50-4K-Q32T1:100%", "MIX50-4K-Q32T1:90%", "MIX50-4K-Q32T1:70%", "RND4K-Q32T1:100%", vdiLoad,
		sqlLoad}
	if !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if j := workloadOf(combinations[1]).job; j.Read != 0.9 || j.Random != 0.5 || j.Size != 4*unit.KiB {
		t.Errorf("%+v", j)
	}
}

// A profile from the file, and the settings that it excludes.
func TestBlockOwnProfile(t *testing.T) {
	combinations := partCombinations(t,
		"  own: {method: storage, from: nas, to: nas.tank, transport: local, profile: mine, time: 9s}\n",
		experiment.Options{})
	if len(combinations) != 2 && len(combinations) != 3 {
		t.Fatalf("%d combinations", len(combinations))
	}
	c := combinations[0]
	j := workloadOf(c).job
	if c.Record.NotRun != "" || j.Size != 128*unit.KiB || j.Threads != 2 || j.Span != 2*unit.GiB || j.Rate != 500 ||
		c.Asked() != 9*time.Second ||
		c.Repeats != 2 {
		t.Errorf("%q: %+v, %v, %d repeats", c.Record.NotRun, j, c.Asked(), c.Repeats)
	}
	if last := combinations[len(combinations)-1]; workloadOf(last).parts == nil {
		t.Errorf("%v has one load", last.Record.Settings)
	}
	for text, want := range map[string]string{
		"  x: {method: storage, from: nas, to: nas.tank, profile: sql, read: " +
			"50%}\n": "profile: sql says the share of reads itself",
		"  x: {method: storage, from: nas, to: nas.tank, load: \"RND8K-Q1T1:70%\", read: " +
			"50%}\n": "load RND8K-Q1T1:70% says read itself; leave read out",
		"  x: {method: storage, from: nas, to: nas.tank, profile: " +
			"nobody}\n": "profile: nobody is none of cdm, cdm-nvme, quick, block-grid, " +
			"peak, general, vdi, sql, vmfleet, steady, mine",
		"  x: {method: storage, from: nas, to: nas.tank, transport: local, steady: \"true\", amount: 1GiB}\n": "",
	} {
		if got := partCombinations(t, text, experiment.Options{})[0].Record.NotRun; !strings.HasPrefix(got, want) ||
			want == "" && got != "" {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// A rate is requests or bits a second; the time limits the wait for the steady state, and in a lab it is less.
func TestBlockRateAndSteady(t *testing.T) {
	combinations := partCombinations(
		t,
		"  r: {method: storage, from: nas, to: nas.tank, transport: local, limit: [1000, 80M], size: 10KiB, steady: "+
			"\"true\", time: 5m}\n",
		experiment.Options{},
	)
	a, b := workloadOf(combinations[0]).job, workloadOf(combinations[1]).job
	if a.Rate != 1000 || b.Rate < 976 || b.Rate > 977 || !a.Steady || !combinations[0].OpenEnded() ||
		combinations[0].Asked() != 5*time.Minute {
		t.Errorf("%v and %v a second, %+v", a.Rate, b.Rate, a)
	}
	if c := partCombinations(t, "  r: {method: storage, from: nas, to: nas.tank, transport: local, profile: "+
		"steady}\n", experiment.Options{Lab: true})[0]; c.Record.NotRun != "" ||
		c.Asked() != labSteady ||
		c.Expected(1) > labSteady {
		t.Errorf("%q: %v", c.Record.NotRun, c.Asked())
	}
}

// A job may take longer than its interval: its data is synced to the drive, and read back.
func TestAfterInterval(t *testing.T) {
	j, interval := block.Job{Read: 1, Verify: true}, 10*time.Minute
	if d := afterInterval(j, interval); d != 0 {
		t.Errorf("of reads alone: %v", d)
	}
	if j.Read = 0.5; afterInterval(j, interval) < interval+maxFinalSync {
		t.Errorf("what is written in %v is read back within %v", interval, afterInterval(j, interval))
	}
	if j.Verify = false; afterInterval(j, interval) != maxFinalSync {
		t.Errorf("without reading back: %v", afterInterval(j, interval))
	}
}

// Where several workers write one storage, none can compare what it reads with what it wrote.
func TestVerifyAlone(t *testing.T) {
	nas := &servedDrive{owner: "nas", folder: "/mnt/tank", name: "tank"}
	for _, k := range []struct {
		what    string
		refused bool
		workers []worker
	}{
		{"one served drive", true, []worker{{host: "a", of: "nas.tank", served: nas},
			{host: "b", of: "nas.tank", served: &servedDrive{owner: "nas", folder: "/mnt/tank", name: "tank"}}}},
		{"two served drives", false, []worker{{host: "a", served: nas},
			{host: "b", served: &servedDrive{owner: "nas", folder: "/mnt/tank", name: "other"}}}},
		{"two parts of one device", true, []worker{{host: "a", target: "/dev/sdx", of: "a.x"},
			{host: "a", target: "/dev/sdx", of: "a.x", part: 1}}},
		{"a file each", false, []worker{{host: "a", target: "/mnt/tank"}, {host: "a", target: "/mnt/tank", part: 1}}},
		{"a device each", false, []worker{{host: "a", target: "/dev/sdx"}, {host: "b", target: "/dev/sdx"}}},
		{"one device of two hosts", true, []worker{{host: "a", target: "/dev/sdx", of: "nas.lun"},
			{host: "b", target: "/dev/sdy", of: "nas.lun"}}},
	} {
		if why := (&workload{workers: k.workers}).sharedTarget(); (why != "") != k.refused {
			t.Errorf("%s: %q", k.what, why)
		}
	}
}
