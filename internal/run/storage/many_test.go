package storage

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
	"linerate/internal/run/runtest"
	"linerate/internal/storage/block"
)

// Two hosts with four drives each, a volume for each drive at its own port, and one client of all of them.
const manyFabric = `
fabric: many
addressing: {pool: 10.9.0.0/16, prefix: 24}
subnets: {san: {range: 10.9.1.0/24}}
hosts:
  asks: {os: linux, nics: {a: {part: {kind: nic, speed: 25G, ports: 1, cage: sfp28}}}}
  "t[1-2]":
    os: linux
    nics: {"p[1-2]": {part: {kind: nic, speed: 10G, ports: 2, cage: sfp+}}}
    drives: {"lun[1-4]": {export: iscsi}}
volumes:
  "lun[1-4]": {of: ["t1.lun[1-4]"], at: "t1.p[1-2].[1-2]"}
  "lun[5-8]": {of: ["t2.lun[1-4]"], at: "t2.p[1-2].[1-2]"}
  both: {of: [t1.lun1, t2.lun1]}
switches:
  sw: {part: {kind: switch, speed: 25G, ports: 16, cage: sfp28}}
links:
  - {ends: [asks.a, sw.1], subnet: san, cable: {part: {kind: cable, media: dac, ends: [sfp28, sfp28]}}}
  - {ends: ["t1.p[1-2].[1-2]", "sw.[2-5]"], subnet: san, cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp28]}}}
  - {ends: ["t2.p[1-2].[1-2]", "sw.[6-9]"], subnet: san, cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp28]}}}
experiments:
  all: {method: storage, transport: iscsi, from: asks, to: "lun[1-8]", size: 512B..1MiB, read: [100%, 50%, 0%]}
  few: {method: storage, transport: iscsi, from: asks, to: "lun[1-2]", size: 4KiB}
  own: {method: storage, transport: local, to: "lun[4-5]", size: 4KiB}
  split: {method: storage, from: asks, to: both}
  within: {method: storage, transport: local, from: "t[1-2]", to: both}
`

func manyCombinations(t *testing.T, o experiment.Options) map[string][]*experiment.Combination {
	t.Helper()
	catalog := runtest.Catalog(t)
	f, problems := fabric.Parse("many.yaml", []byte(manyFabric), fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	combinations := runtest.Expand(plan.Build(f), o, Expand)
	out := map[string][]*experiment.Combination{}
	for _, c := range combinations {
		out[c.Record.Name] = append(out[c.Record.Name], c)
	}
	return out
}

// One host reads eight targets of two others at once, each at its own port, within the limits of a lab.
func TestBlockManyTargets(t *testing.T) {
	combinations := manyCombinations(t, experiment.Options{Lab: true})
	all := combinations["all"]
	if len(all) != 36 || all[0].Repeats != 1 {
		t.Fatalf("%d combinations, %d repeats", len(all), all[0].Repeats)
	}
	c := all[0]
	b := workloadOf(c)
	if c.Record.NotRun != "" || len(b.workers) != 8 || len(c.Record.Ends) != 1 ||
		!slices.Equal(b.stores, []string{"t1", "t2"}) {
		t.Fatalf("%q: %d workers, ends %v, stores %v", c.Record.NotRun, len(b.workers), c.Record.Ends, b.stores)
	}
	at, names := map[string]bool{}, map[string]bool{}
	for i, w := range b.workers {
		owner := []string{"t1", "t2"}[i/4]
		if w.host != "asks" || w.of != fmt.Sprintf("lun%d", i+1) || w.served == nil || w.served.owner != owner ||
			w.served.folder != agent.TemporaryFolder {
			t.Errorf("worker %d: %+v %+v", i, w, w.served)
		}
		at[w.served.at.String()], names[w.served.owner+" "+w.served.name] = true, true
	}
	if len(at) != 8 || len(names) != 8 {
		t.Errorf("at %v, files %v", at, names)
	}
	if total := b.job.Span * 8; total > labSpans || b.job.Span < unit.MiB {
		t.Errorf("%v on disk", total)
	}
	if len(b.locals["asks"]) != 1 || len(b.locals["t1"]) != 4 || len(c.Record.Links) != 9 {
		t.Errorf("counted at %v over %v", b.locals, c.Record.Links)
	}
	if few := combinations["few"][0]; few.Repeats != experiment.DefaultRepeats || workloadOf(few).job.Span != labSpan ||
		len(workloadOf(few).workers) != 2 {
		t.Errorf("%d repeats of %v", few.Repeats, workloadOf(few).job.Span)
	}
	if own := combinations["own"][0]; own.Record.NotRun != "" || workloadOf(own).workers[0].host != "t1" ||
		workloadOf(own).workers[1].host != "t2" ||
		workloadOf(own).workers[0].served != nil {
		t.Errorf("%q %+v", own.Record.NotRun, workloadOf(own).workers)
	}
	if split := combinations["split"][0]; !strings.HasPrefix(split.Record.NotRun,
		"in a lab volume both is mounted where its drives are, and asks is neither") {
		t.Errorf("%q", split.Record.NotRun)
	}
	within := combinations["within"][0]
	name, room := LabVolume(within)
	if within.Record.NotRun != "" || name != "both" || len(workloadOf(within).workers) != 2 ||
		room < 2*workloadOf(within).job.Span ||
		len(workloadOf(within).locals["t1"]) == 0 {
		t.Errorf("%q: volume %q, room %v of %v, counted at %v", within.Record.NotRun, name, room,
			workloadOf(within).job.Span, workloadOf(within).locals)
	}
	if VolumeAt(within, "/lab/both"); workloadOf(within).workers[1].target != "/lab/both" {
		t.Errorf("%+v", workloadOf(within).workers)
	}
}

// Storage that the lab made is measured only where it is mounted.
func TestBlockNotMounted(t *testing.T) {
	x := &participant{End: remote.End{Host: "vm1"},
		run: &agent.BlockRun{Ready: block.Ready{FileSystem: "ext4", Path: "/lab/csv/f"}}}
	if err := x.mounted(&workload{volume: "csv"}); err == nil ||
		!strings.Contains(err.Error(), "volume csv is not mounted at /lab/csv/f, whose file system is ext4") {
		t.Error(err)
	}
	if err := x.mounted(&workload{}); err != nil {
		t.Error(err)
	}
	if x.run.FileSystem = "fuse.glusterfs"; x.mounted(&workload{volume: "csv"}) != nil {
		t.Error("it is mounted")
	}
}

// Without a lab their mount points are not known.
func TestBlockManyTargetsNotRun(t *testing.T) {
	combinations := manyCombinations(t, experiment.Options{})
	if got := combinations["all"][0].Record.NotRun; !strings.HasPrefix(got, "where asks sees t1.lun1 is not known") {
		t.Errorf("%q", got)
	}
	if got := combinations["split"][0].Record.NotRun; !strings.HasPrefix(got, "volume both has no path") {
		t.Errorf("%q", got)
	}
}

// outcomeOf is a worker with so many reads of 4 KiB in each slice of 100 ms.
func outcomeOf(reads ...int64) *block.Outcome {
	o := &block.Outcome{Slice: 0.1, CloseNS: int64(len(reads)) * int64(100*time.Millisecond)}
	for _, n := range reads {
		o.Series = append(o.Series, block.Slice{Reads: n, ReadBytes: n * 4096})
		o.Read.Operations, o.Read.Bytes = o.Read.Operations+n, o.Read.Bytes+n*4096
	}
	return o
}

func TestBlockShared(t *testing.T) {
	long, short := outcomeOf(10, 10, 10, 50, 50), outcomeOf(20, 20, 20)
	seconds, read, write, ok := sharedPart([]*block.Outcome{long, short})
	if !ok || math.Abs(seconds-0.3) > 1e-9 || read.Operations != 90 || read.Bytes != 90*4096 || write.Operations != 0 {
		t.Errorf("%v s, %+v, %v", seconds, read, ok)
	}
	if _, _, _, ok := sharedPart([]*block.Outcome{long, long}); ok {
		t.Error("they ended together")
	}
	if _, _, _, ok := sharedPart([]*block.Outcome{long}); ok {
		t.Error("there is only one")
	}
	// One rises as the other falls: neither is steady, but their sum is.
	up, down := outcomeOf(100, 120, 140, 160, 180, 200), outcomeOf(200, 180, 160, 140, 120, 100)
	if s := steadyOfAll([]*block.Outcome{up, down}); s == nil || !s.Is {
		t.Errorf("%+v", s)
	}
	if s := steadyOfAll([]*block.Outcome{up, up}); s == nil || s.Is {
		t.Errorf("%+v", s)
	}
}

func TestBlockStart(t *testing.T) {
	at := func(v float64) *float64 { return &v }
	workers := []record.BlockWorker{
		{Host: "a", FirstSeconds: at(0.002)},
		{Host: "a", FirstSeconds: at(0.0005)},
		{Host: "a", FirstSeconds: at(0.0125)},
	}
	if s := startOf(nil, workers); s == nil || math.Abs(s.Spread-0.012) > 1e-9 || s.Host != "a" || s.Within != 0 {
		t.Errorf("%+v", s)
	}
	workers[1].FirstSeconds = nil
	if s := startOf(nil, workers); s != nil {
		t.Errorf("%+v, and one does not say", s)
	}
}
