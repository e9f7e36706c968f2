package result

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"linerate/ceiling"
	"linerate/path"
	"linerate/plan"
	"linerate/unit"
)

func ptr[T any](v T) *T { return &v }

// exampleRun is a run with something in every field that JSON shows.
func exampleRun(t testing.TB) *Run {
	t.Helper()
	price, err := unit.ParseMoney("25.33 USD / 2")
	if err != nil {
		t.Fatal(err)
	}
	estimate := &Estimate{Median: 9.41e9, Low: 9.40e9, High: 9.42e9, Interval: "range", Repeats: 3}
	e := &Experiment{
		Name: "line-rate", Method: "stream", From: "desk", To: "nas", Direction: "out", Variant: "ten",
		Ends:     []End{{Host: "desk", Port: "desk.m1.1", Interface: "nic0", Address: "10.20.0.1"}, {Host: "nas", Port: "nas.t3.1"}},
		Links:    []string{"desk.m1.1--nas.t3.1"},
		Settings: map[string]string{"streams": "4", "size": "128KiB"},
		InEffect: map[string]string{"streams": "4", "size": "128KiB", "congestion": "cubic"},
		Goodput:  estimate, Forward: estimate, Backward: estimate, IOPS: estimate, Bytes: estimate, Figure: estimate,
		Latency: &Latency{P50: 54e-6, P99: 90e-6, P999: 1e-4, P9999: 2e-4, Max: 3e-4, Count: 1000,
			Curve: []Quantile{{0.5, 54e-6}}, Histogram: "HISTFAAAA"},
		CPU: []CPU{{Host: "desk", Core: -1, User: 0.1, System: 0.4, SoftIRQ: 0.2, Idle: 0.3}},
		Ceiling: &path.Chain{From: "desk", To: "nas", Direction: "out", Transport: "tcp", Limit: 9.4148e9, Component: "link", Layer: path.Wire, AtMost: true,
			Hops: []path.Hop{{Component: "link", Kind: "cable", Layer: path.Wire, Rate: unit.Known(unit.BitRate(9.4148e9)), Formula: "rate * x",
				Inputs: []ceiling.Input{{Name: "rate", Value: 10e9, Origin: ceiling.Declared}}}, {Component: "memory", Why: "not looked for"}}},
		Verdict: &Verdict{Sentence: "the link is full", Limiter: "link", Component: "link", ShareOfCeiling: ptr(0.999), Confidence: "proved",
			Evidence: []Evidence{{Host: "desk", Source: "tcp_info", Counter: "busy", Before: ptr(0.0), After: ptr(1.0), Unit: "s"}},
			Identity: &Identity{Left: "a", Right: "b", Difference: 0.01}, Candidates: []Candidate{{"x", "y"}}, Unknown: []string{"z"}},
	}
	e.ID = ExperimentID(e)
	return &Run{
		Version: "v0", Arguments: []string{"run", "mesh.yaml"}, Started: time.Date(2026, 9, 20, 10, 0, 0, 0, time.UTC),
		Fabric: "mesh-10g", FabricPath: "examples/mesh-10g.yaml", FabricText: "fabric: mesh-10g # <&>\n", Complete: true,
		Plan: Picture{Hosts: []PictureHost{{Name: "desk", Ports: []PicturePort{{ID: "desk.m1.1"}}}},
			Links:  []PictureLink{{Name: "l", Ends: [2]string{"desk.m1.1", "nas.t3.1"}, Rate: 10e9, Length: ptr(3.0)}},
			Totals: []plan.BOMTotal{{Currency: "USD", Amount: price, Unpriced: 1}}},
		Lab:         &Lab{ID: "l1", Scale: 0.1, Calibrated: 3e10, Shaped: []string{"l"}, Emulated: []string{"speed"}},
		Experiments: []*Experiment{e},
		Goals:       []Goal{{Name: "line-rate", Want: ">= 95%", Have: "99.9%", Met: ptr(true)}, {Name: "video", Want: "800MB/s", Why: "not run"}},
		Hosts:       []HostState{{Name: "desk", Reach: "lab", Unknown: []Unknown{{"pcie", "no sysfs"}}}},
		Sentence:    "every path is at line rate",
	}
}

func exampleRepeat(i int) Repeat {
	return Repeat{Index: i, Seconds: 1, Goodput: 9.4e9, Forward: 9.4e9, Histogram: "HISTFAAAA",
		Start:   time.Date(2026, 9, 20, 10, 1, i, 0, time.UTC),
		Streams: []Stream{{Index: 0, Direction: "out", Goodput: 9.4e9, Socket: &Socket{RTT: ptr(1e-4), Cwnd: ptr(int64(10))}}}}
}

func exampleSamples(id string, repeat, n int) []Sample {
	var out []Sample
	for i := range n {
		out = append(out,
			Sample{id, repeat, "nas", 0, int64(1e18) + int64(i)*1e8, "goodput", 9.4e9 + float64(i), "bit/s"},
			Sample{id, repeat, "desk", -1, int64(1e18) + int64(i)*1e8, "cpu.0.softirq", 0.25, "1"})
	}
	return out
}

// record writes a whole run with the number of repeats and stops at the first error.
func record(f *Folder, r *Run, repeats int) error {
	if err := f.Started(r); err != nil {
		return err
	}
	for _, h := range r.Hosts {
		if err := f.Host(h); err != nil {
			return err
		}
	}
	e := r.Experiments[0]
	if err := f.Experiment(e); err != nil {
		return err
	}
	if _, err := f.SaveCapture("desk", "idle", []byte("-- uname --\nLinux\n")); err != nil {
		return err
	}
	for i := range repeats {
		if err := f.Samples(exampleSamples(e.ID, i, 5)); err != nil {
			return err
		}
		if err := f.Repeat(e.ID, exampleRepeat(i)); err != nil {
			return err
		}
		e.Repeats = append(e.Repeats, exampleRepeat(i))
	}
	if err := f.Warning("the clock stepped"); err != nil {
		return err
	}
	if err := f.Verdict(e.ID, e.Verdict); err != nil {
		return err
	}
	return f.Finish(r, "")
}

// finished makes a folder with a complete run.
func finished(t testing.TB) (string, *Run) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	f, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := exampleRun(t)
	if err := record(f, r, 3); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, r
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
