package summary

import (
	"fmt"
	"testing"

	"linerate/internal/base/method"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/run"
	"linerate/internal/run/experiment"
)

// Every row of a summary is filled by what the experiments of Experiments measure, as the program expands them.
func TestExperimentsFillASummary(t *testing.T) {
	const file = `fabric: two
hosts:
  nas: {os: linux, nics: {a: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}, rdma: rocev2}},
    drives: {tank: {bus: nvme, path: /tmp/x, export: smb, size: 1GiB}}}
  pc: {os: linux, nics: {a: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}, rdma: rocev2}}}
links:
  - {ends: [nas.a, pc.a]}
`
	catalog, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	f, problems := fabric.Parse("two.yaml", []byte(file), fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	p := plan.Build(f)
	f.Experiments = Experiments(Wanted{From: "pc", To: "nas", RDMA: true, Storage: []Stored{{"pc", "nas.tank"}}})
	values, err := run.Combinations(p, experiment.Options{Lab: true})
	if err != nil {
		t.Fatal(err)
	}
	r := &record.Run{ID: "full"}
	for i, c := range values {
		e := c.Record
		if e.NotRun != "" {
			t.Errorf("%s of %s, %v, is not measured: %s", e.Name, e.Method, e.Settings, e.NotRun)
		}
		v := float64(i + 1)
		switch {
		case e.Method == method.Storage:
			count := &record.BlockCount{BytesPerSecond: v, IOPS: v}
			e.Repeats = []record.Repeat{{Block: &record.Block{Read: count}}}
		case e.Latencies():
			e.Latency = &record.Latency{P50: v}
			if e.Settings["load_streams"] != "" {
				e.Load = &record.Load{Goodput: estimate(v), Idle: &record.Latency{P50: v}}
			}
		default:
			e.Goodput, e.Forward, e.Backward = estimate(v), estimate(v), estimate(v)
		}
		r.Experiments = append(r.Experiments, e)
	}
	all := Of(r)
	if len(all) != 1 || len(all[0].Storage) != 1 {
		t.Fatalf("%d summaries", len(all))
	}
	for _, s := range table {
		if row := all[0].Row(s.key); row == nil || !row.Measured {
			t.Errorf("%s is not measured", s.key)
		}
	}
	for _, row := range all[0].Storage[0].Rows {
		if !row.Measured {
			t.Errorf("%s is not measured", row.Key)
		}
	}
	// Each row is of an experiment of its own, but for both ways at once.
	seen := map[string]string{}
	for _, row := range append(all[0].Rows, all[0].Storage[0].Rows...) {
		for _, v := range []*float64{row.Goodput, row.P50, row.BytesPerSecond} {
			if v == nil || len(row.Key) > 11 && row.Key[:10] == "tcp-8-both" {
				continue
			}
			if other := seen[fmt.Sprint(*v)]; other != "" {
				t.Errorf("%s and %s are of one experiment", row.Key, other)
			}
			seen[fmt.Sprint(*v)] = row.Key
		}
	}
	if n := len(Experiments(Wanted{From: "pc", To: "nas"})); n != 4 {
		t.Errorf("%d experiments without RDMA and storage", n)
	}
	two := Experiments(Wanted{From: "pc", To: "nas", Storage: []Stored{{"pc", "nas.tank"}, {"nas", "nas.tank"}}})
	if a, b := two[4], two[5]; len(two) != 6 || a.Name == b.Name || a.From[0] != "pc" || b.From[0] != "nas" ||
		b.To[0] != "nas.tank" {
		t.Errorf("a share and the drive below it: %+v, %+v", a, b)
	}
}

// A share is asked over the file system that is mounted, where nothing else was asked for.
func TestMountedShare(t *testing.T) {
	of := func(to, system string) string {
		e := &record.Experiment{Method: method.Storage, From: "pc", To: to, Settings: map[string]string{"load": "SEQ1M-Q8T1"},
			Repeats: []record.Repeat{
				{Block: &record.Block{Read: &record.BlockCount{BytesPerSecond: 1e9, IOPS: 1e3},
					Workers: []record.BlockWorker{{FileSystem: system}}}},
			}}
		all := Of(&record.Run{FabricText: "fabric: x", Experiments: []*record.Experiment{e}})
		if len(all) != 1 || len(all[0].Storage) != 1 {
			t.Fatalf("%d summaries", len(all))
		}
		return all[0].Storage[0].Over
	}
	for _, c := range [][3]string{{"nas.tank", "nfs4", "nfs4"}, {"nas.tank", "", ""}, {"pc.disk", "ext4", "ext4"},
		{"pc.disk", "", "local"}} {
		if got := of(c[0], c[1]); got != c[2] {
			t.Errorf("%s on %q: over %q, want %q", c[0], c[1], got, c[2])
		}
	}
}
