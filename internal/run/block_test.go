package run

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
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
  here: {method: block, from: nas, to: nas.tank, transport: local, load: [SEQ1M-Q8T2, RND4K-Q32T16], read: [100%, 30%], time: 3s, span: 2GiB}
  there: {method: block, from: pc, to: nas.tank, transport: smb, size: 64KiB, pattern: sequential, depth: 4}
  rows: {method: block, from: nas, to: nas.tank, profile: cdm}
  reads: {method: block, from: nas, to: nas.tank, profile: cdm-nvme, read: 100%}
  fleet: {method: block, from: ["nas", "pc"], to: csv}
  pathless: {method: block, from: nas, to: nas.bare}
  unmounted: {method: block, from: pc, to: nas.bare, transport: nfs}
  both: {method: block, from: nas, to: nas.tank, load: SEQ1M-Q8T1, size: 4KiB}
  unknown: {method: block, from: nas, to: nas.tank, profile: fastest}
`

func blockCells(t *testing.T) map[string][]*Cell {
	t.Helper()
	catalog := partsOnce(t)
	f, problems := fabric.Parse("block.yaml", []byte(blockFabric), fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	cells, err := Cells(plan.Build(f), Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]*Cell{}
	for _, c := range cells {
		out[c.Exp.Name] = append(out[c.Exp.Name], c)
	}
	return out
}

func TestBlockCells(t *testing.T) {
	cells := blockCells(t)
	here := cells["here"]
	if len(here) != 4 {
		t.Fatalf("%d cells of two loads and two shares of reads", len(here))
	}
	c := here[1]
	j := c.block.job
	if c.Exp.NotRun != "" || j.Pattern != "sequential" || j.Size != unit.MiB || j.Depth != 8 || j.Threads != 2 || j.Read != 0.3 || j.Span != 2*unit.GiB || c.asked() != 3*time.Second {
		t.Errorf("%q %v: %+v", c.Exp.NotRun, c.Exp.Settings, j)
	}
	if w := c.block.workers; len(w) != 1 || w[0] != (blockWorker{host: "nas", target: "/mnt/tank", of: "nas.tank"}) || len(c.block.stores) != 0 {
		t.Errorf("asks %v, stores %v", w, c.block.stores)
	}
	there := cells["there"][0]
	if w := there.block.workers; there.Exp.NotRun != "" || len(w) != 1 || w[0].target != "/mnt/nas" || !slices.Equal(there.block.stores, []string{"nas"}) {
		t.Errorf("%q: asks %v, stores %v", there.Exp.NotRun, there.block.workers, there.block.stores)
	}
	if a := there.block.locals; len(a) != 2 || len(there.Exp.Links) != 1 {
		t.Errorf("what crosses the network would be counted at %v on %v", a, there.Exp.Links)
	}
	if !slices.Equal(there.Hosts(), []string{"nas", "pc"}) {
		t.Errorf("hosts %v", there.Hosts())
	}
	rows := cells["rows"]
	if len(rows) != 8 || rows[0].Repeat != 3 || rows[0].asked() != 5*time.Second || rows[0].block.job.Warmup != 0 || rows[0].block.job.Span != unit.GiB {
		t.Fatalf("%d cells of four rows, read and written: %+v", len(rows), rows[0].block.job)
	}
	if s := rows[7].Exp.Settings; s["load"] != "RND4K-Q1T1" || s["read"] != "0%" || s["profile"] != "cdm" {
		t.Errorf("the last row is %v", s)
	}
	if reads := cells["reads"]; len(reads) != 4 || reads[2].block.job.Threads != 16 {
		t.Errorf("%d rows", len(reads))
	}
	ids := map[string]bool{}
	for _, all := range cells {
		for _, c := range all {
			if ids[c.Exp.ID] {
				t.Errorf("%s %v has the id of another cell", c.Exp.Name, c.Exp.Settings)
			}
			ids[c.Exp.ID] = true
		}
	}
}

func TestBlockNotRun(t *testing.T) {
	cells := blockCells(t)
	for name, want := range map[string]string{
		"pathless":  "nas.bare has no path: what of it may be used is not known; write path: FOLDER (or a file or device of nas) under drives",
		"unmounted": "where pc sees nas.bare is not known; mount it there, and write mounts: {pc: PATH} under drives",
		"both":      "load SEQ1M-Q8T1 says size itself; leave size out",
		"unknown":   "profile: fastest is none of cdm, cdm-nvme,",
	} {
		if got := cells[name][0].Exp.NotRun; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, not %q", name, got, want)
		}
	}
}

// Every profile is a set of jobs that the engine takes.
func TestBlockProfiles(t *testing.T) {
	names, about := BlockProfiles()
	for _, name := range names {
		e := &fabric.Experiment{Name: "x", Method: Block, Axes: []fabric.Axis{{Key: "profile", Values: []string{name}}}}
		for _, err := range CheckBlock(e) {
			t.Errorf("%s: %v", name, err)
		}
		if about[name] == "" {
			t.Errorf("%s: nobody says what it is", name)
		}
	}
}

// Where the storage lies on its own hosts is known of drives that have a path, and of those that a volume is made of.
func TestBlockPlaces(t *testing.T) {
	cells := blockCells(t)
	for name, want := range map[string]map[string][]string{"there": {"nas": {"/mnt/tank"}}, "fleet": {"nas": {"/mnt/tank"}}, "unmounted": nil} {
		if got := cells[name][0].block.places; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// In a lab every drive is a folder, and every protocol between hosts NVMe/TCP.
func TestBlockInALab(t *testing.T) {
	catalog := partsOnce(t)
	f, problems := fabric.Parse("block.yaml", []byte(blockFabric), fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	cells, err := Cells(plan.Build(f), Options{Lab: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cells {
		x := c.Exp
		switch x.Name {
		case "here", "pathless":
			if w := c.block.workers; x.NotRun != "" || w[0].target != agent.TemporaryFolder || w[0].served != nil || c.block.job.Span != labSpan {
				t.Errorf("%s: %q, %+v, span %v", x.Name, x.NotRun, w, c.block.job.Span)
			}
		case "there", "unmounted":
			w := c.block.workers
			if x.NotRun != "" || w[0].target != "" || w[0].served == nil || w[0].served.owner != "nas" || !w[0].served.standIn || !w[0].served.at.IsValid() || !slices.Equal(c.block.stores, []string{"nas"}) {
				t.Errorf("%s: %q, %+v", x.Name, x.NotRun, w)
			}
		}
	}
}

// A drive that its own host gives out over NVMe/TCP needs no mount, outside of a lab too.
func TestBlockExport(t *testing.T) {
	text := strings.Replace(strings.Replace(blockFabric, "bare: {}", "bare: {path: /srv, export: nvme-tcp}", 1), "transport: nfs}", "transport: nvme-tcp}", 1)
	catalog := partsOnce(t)
	f, problems := fabric.Parse("block.yaml", []byte(text), fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	cells, err := Cells(plan.Build(f), Options{Only: []string{"unmounted"}})
	if err != nil {
		t.Fatal(err)
	}
	if v := cells[0].block.workers[0].served; cells[0].Exp.NotRun != "" || v == nil || v.folder != "/srv" || v.standIn || v.protocol != "nvme-tcp" {
		t.Errorf("%q, %+v", cells[0].Exp.NotRun, v)
	}
}
