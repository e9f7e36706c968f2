package storage

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/run/experiment"
	"linerate/internal/run/runtest"
)

const blockFabric = `
fabric: storage
hosts:
  nas: {os: linux, nics: {a: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}, drives: {tank: {path: /mnt/tank, mounts: {pc: /mnt/nas}}, bare: {}}}
  pc: {os: linux, nics: {a: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}}
links:
  - {ends: [nas.a, pc.a], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 1m}}}
volumes: {csv: {of: [nas.tank], path: /csv}}
experiments:
  here: {method: storage, from: nas, to: nas.tank, transport: local, load: [SEQ1M-Q8T2, RND4K-Q32T16], read: [100%, 30%], time: 3s, span: 2GiB}
  there: {method: storage, from: pc, to: nas.tank, transport: smb, size: 64KiB, access: sequential, depth: 4}
  rows: {method: storage, from: nas, to: nas.tank, profile: cdm}
  reads: {method: storage, from: nas, to: nas.tank, profile: cdm-nvme, read: 100%}
  fleet: {method: storage, from: ["nas", "pc"], to: csv}
  pathless: {method: storage, from: nas, to: nas.bare}
  unmounted: {method: storage, from: pc, to: nas.bare, transport: nfs}
  both: {method: storage, from: nas, to: nas.tank, load: SEQ1M-Q8T1, size: 4KiB}
  unknown: {method: storage, from: nas, to: nas.tank, profile: fastest}
`

func blockCombinations(t *testing.T) map[string][]*experiment.Combination {
	t.Helper()
	catalog := runtest.Catalog(t)
	f, problems := fabric.Parse("block.yaml", []byte(blockFabric), fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	combinations := runtest.Expand(plan.Build(f), experiment.Options{}, Expand)
	out := map[string][]*experiment.Combination{}
	for _, c := range combinations {
		out[c.Record.Name] = append(out[c.Record.Name], c)
	}
	return out
}

func TestBlockCombinations(t *testing.T) {
	combinations := blockCombinations(t)
	here := combinations["here"]
	if len(here) != 4 {
		t.Fatalf("%d combinations of two loads and two shares of reads", len(here))
	}
	c := here[1]
	j := workloadOf(c).job
	if c.Record.NotRun != "" || j.Pattern != "sequential" || j.Size != unit.MiB || j.Depth != 8 || j.Threads != 2 ||
		j.Read != 0.3 ||
		j.Span != 2*unit.GiB ||
		c.Asked() != 3*time.Second {
		t.Errorf("%q %v: %+v", c.Record.NotRun, c.Record.Settings, j)
	}
	if w := workloadOf(c).workers; len(w) != 1 || w[0] != (worker{host: "nas", target: "/mnt/tank", of: "nas.tank"}) ||
		len(workloadOf(c).stores) != 0 {
		t.Errorf("asks %v, stores %v", w, workloadOf(c).stores)
	}
	there := combinations["there"][0]
	if w := workloadOf(there).workers; there.Record.NotRun != "" || len(w) != 1 || w[0].target != "/mnt/nas" ||
		!slices.Equal(workloadOf(there).stores, []string{"nas"}) {
		t.Errorf("%q: asks %v, stores %v", there.Record.NotRun, workloadOf(there).workers, workloadOf(there).stores)
	}
	if a := workloadOf(there).locals; len(a) != 2 || len(there.Record.Links) != 1 {
		t.Errorf("what crosses the network would be counted at %v on %v", a, there.Record.Links)
	}
	if !slices.Equal(there.Hosts(), []string{"nas", "pc"}) {
		t.Errorf("hosts %v", there.Hosts())
	}
	rows := combinations["rows"]
	if len(rows) != 8 || rows[0].Repeats != 3 || rows[0].Asked() != 5*time.Second ||
		workloadOf(rows[0]).job.Warmup != 0 ||
		workloadOf(rows[0]).job.Span != unit.GiB {
		t.Fatalf("%d combinations of four rows, read and written: %+v", len(rows), workloadOf(rows[0]).job)
	}
	if s := rows[7].Record.Settings; s["load"] != "RND4K-Q1T1" || s["read"] != "0%" || s["profile"] != "cdm" {
		t.Errorf("the last row is %v", s)
	}
	if reads := combinations["reads"]; len(reads) != 4 || workloadOf(reads[2]).job.Threads != 16 {
		t.Errorf("%d rows", len(reads))
	}
	ids := map[string]bool{}
	for _, all := range combinations {
		for _, c := range all {
			if ids[c.Record.ID] {
				t.Errorf("%s %v has the id of another combination", c.Record.Name, c.Record.Settings)
			}
			ids[c.Record.ID] = true
		}
	}
}

func TestBlockNotRun(t *testing.T) {
	combinations := blockCombinations(t)
	for name, want := range map[string]string{
		"pathless": "nas.bare has no path: what of it may be used is not known; write path: FOLDER (or a file or " +
			"device of nas) under drives",
		"unmounted": "where pc sees nas.bare is not known; mount it there, and write mounts: {pc: PATH} under drives",
		"both":      "load SEQ1M-Q8T1 says size itself; leave size out",
		"unknown":   "profile: fastest is none of cdm, cdm-nvme,",
	} {
		if got := combinations[name][0].Record.NotRun; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, not %q", name, got, want)
		}
	}
}

// Every profile is a set of jobs that the engine accepts.
func TestBlockProfiles(t *testing.T) {
	names, about := Profiles()
	for _, name := range names {
		e := &fabric.Experiment{Name: "x", Method: method.Storage,
			Parameters: []fabric.Parameter{{Key: "profile", Values: []string{name}}}}
		for _, err := range Check(e) {
			t.Errorf("%s: %v", name, err)
		}
		if about[name] == "" {
			t.Errorf("%s: nobody says what it is", name)
		}
	}
}

// The place of storage on its own hosts is known for drives with a path, and for volumes of such drives.
func TestBlockPlaces(t *testing.T) {
	combinations := blockCombinations(t)
	for name, want := range map[string]map[string][]string{"there": {"nas": {"/mnt/tank"}},
		"fleet": {"nas": {"/mnt/tank"}}, "unmounted": nil} {
		if got := workloadOf(combinations[name][0]).places; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// In a lab every drive is a folder, and every protocol between hosts NVMe/TCP.
func TestBlockInALab(t *testing.T) {
	catalog := runtest.Catalog(t)
	f, problems := fabric.Parse("block.yaml", []byte(blockFabric), fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	combinations := runtest.Expand(plan.Build(f), experiment.Options{Lab: true}, Expand)
	for _, c := range combinations {
		x := c.Record
		switch x.Name {
		case "here", "pathless":
			if w := workloadOf(c).workers; x.NotRun != "" || w[0].target != agent.TemporaryFolder || w[0].served != nil ||
				workloadOf(c).job.Span != labSpan {
				t.Errorf("%s: %q, %+v, span %v", x.Name, x.NotRun, w, workloadOf(c).job.Span)
			}
		case "there", "unmounted":
			w := workloadOf(c).workers
			if x.NotRun != "" || w[0].target != "" || w[0].served == nil || w[0].served.owner != "nas" ||
				!w[0].served.substitute ||
				!w[0].served.at.IsValid() ||
				!slices.Equal(workloadOf(c).stores, []string{"nas"}) {
				t.Errorf("%s: %q, %+v", x.Name, x.NotRun, w)
			}
		}
	}
}

// A drive that its own host exports over NVMe/TCP needs no mount, outside of a lab too.
func TestBlockExport(t *testing.T) {
	text := strings.Replace(strings.Replace(blockFabric, "bare: {}", "bare: {path: /srv, export: nvme-tcp}", 1),
		"transport: nfs}", "transport: nvme-tcp}", 1)
	catalog := runtest.Catalog(t)
	f, problems := fabric.Parse("block.yaml", []byte(text), fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var combinations []*experiment.Combination
	for _, c := range runtest.Expand(plan.Build(f), experiment.Options{}, Expand) {
		if c.Record.Name == "unmounted" {
			combinations = append(combinations, c)
		}
	}
	if v := workloadOf(combinations[0]).workers[0].served; combinations[0].Record.NotRun != "" || v == nil ||
		v.folder != "/srv" ||
		v.substitute ||
		v.protocol != "nvme-tcp" {
		t.Errorf("%q, %+v", combinations[0].Record.NotRun, v)
	}
}

func workloadOf(c *experiment.Combination) *workload { return c.Measurement.(*workload) }
