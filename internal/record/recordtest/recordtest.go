// Package recordtest makes example records for tests.
package recordtest

import (
	"testing"
	"time"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// Run is a run with a value in every field that JSON shows.
func Run(t testing.TB) *record.Run {
	t.Helper()
	price, err := unit.ParseMoney("25.33 USD / 2")
	if err != nil {
		t.Fatal(err)
	}
	estimate := &record.Estimate{Median: 9.41e9, Low: 9.40e9, High: 9.42e9, Interval: "range", Repeats: 3}
	e := &record.Experiment{
		Name:      "line-rate",
		Method:    method.Throughput,
		From:      "desk",
		To:        "nas",
		Direction: "out",
		Variant:   "ten",
		Ends: []record.End{
			{Host: "desk", Port: "desk.m1.1", Interface: "nic0", Address: "10.20.0.1"},
			{Host: "nas", Port: "nas.t3.1"},
		},
		Links:    []string{"desk.m1.1--nas.t3.1"},
		Settings: map[string]string{"streams": "4", "size": "128KiB"},
		InEffect: map[string]string{"streams": "4", "size": "128KiB", "congestion": "cubic"},
		Goodput:  estimate,
		Forward:  estimate,
		Backward: estimate,
		IOPS:     estimate,
		Bytes:    estimate,
		Figure:   estimate,
		Latency: &record.Latency{P50: 54e-6, P99: 90e-6, P999: 1e-4, P9999: 2e-4, Max: 3e-4, Count: 1000,
			Curve: []record.Quantile{{Q: 0.5, Seconds: 54e-6}}, Histogram: "HISTFAAAA"},
		CPU: []record.CPU{{Host: "desk", Core: -1, User: 0.1, System: 0.4, SoftIRQ: 0.2, Idle: 0.3}},
		Ceiling: &record.Chain{
			From:      "desk",
			To:        "nas",
			Direction: "out",
			Transport: "tcp",
			Limit:     9.4148e9,
			Component: "link",
			Layer:     record.LayerWire,
			AtMost:    true,
			Hops: []record.Hop{
				{
					Component: "link",
					Kind:      "cable",
					Layer:     record.LayerWire,
					Rate:      unit.Known(unit.BitRate(9.4148e9)),
					Formula:   "rate * x",
					Inputs: []record.Input{
						{Name: "rate", Value: 10e9, Origin: record.Declared},
					},
				},
				{Component: "memory", Why: "not looked for"},
			},
		},
		Verdict: &record.Verdict{
			Sentence:       "the link is full",
			Limiter:        "link",
			Component:      "link",
			ShareOfCeiling: new(0.999),
			Confidence:     "proved",
			Evidence: []record.Evidence{
				{Host: "desk", Source: "tcp_info", Counter: "busy", Before: new(0.0), After: new(1.0), Unit: "s"},
			},
			Identity:   &record.Identity{Left: "a", Right: "b", Difference: 0.01},
			Candidates: []record.Candidate{{Limiter: "x", Text: "y"}},
			Unknown:    []string{"z"},
		},
	}
	e.ID = record.ExperimentID(e)
	return &record.Run{
		Version:    "v0",
		Arguments:  []string{"run", "mesh.yaml"},
		Started:    time.Date(2026, 9, 20, 10, 0, 0, 0, time.UTC),
		Fabric:     "mesh-10g",
		FabricPath: "examples/mesh-10g.yaml",
		FabricText: "fabric: mesh-10g # <&>\n",
		Complete:   true,
		Plan: record.Picture{
			Hosts: []record.PictureHost{{Name: "desk", Ports: []record.PicturePort{{ID: "desk.m1.1"}}}},
			Links: []record.PictureLink{
				{Name: "l", Ends: [2]string{"desk.m1.1", "nas.t3.1"}, Rate: 10e9, Length: new(3.0)},
			},
			Totals: []record.BOMTotal{{Currency: "USD", Amount: price, Unpriced: 1}},
		},
		Lab:         &record.Lab{ID: "l1", Scale: 0.1, Calibrated: 3e10, Shaped: []string{"l"}, Emulated: []string{"speed"}},
		Experiments: []*record.Experiment{e},
		Goals: []record.Goal{
			{Name: "line-rate", Want: ">= 95%", Have: "99.9%", Met: new(true)},
			{Name: "video", Want: "800MB/s", Why: "not run"},
		},
		Hosts: []record.HostState{
			{Name: "desk", Connection: "lab", Unknown: []record.Unknown{{Subject: "pcie", Reason: "no sysfs"}}},
		},
		Sentence: "every path is at line rate",
	}
}

// Repeat is a repeat of one stream.
func Repeat(i int) record.Repeat {
	return record.Repeat{
		Index:     i,
		Seconds:   1,
		Goodput:   9.4e9,
		Forward:   9.4e9,
		Histogram: "HISTFAAAA",
		Start:     time.Date(2026, 9, 20, 10, 1, i, 0, time.UTC),
		Streams: []record.Stream{
			{Index: 0, Direction: "out", Goodput: 9.4e9, Socket: &record.Socket{RTT: new(1e-4), Cwnd: new(int64(10))}},
		},
	}
}

// Samples are n samples each of a goodput and of a share of a CPU, 100 ms apart.
func Samples(id string, repeat, n int) []record.Sample {
	var out []record.Sample
	for i := range n {
		out = append(
			out,
			record.Sample{Experiment: id, Repeat: repeat, End: "nas", Stream: 0,
				TimeNS: int64(1e18) + int64(i)*1e8, Metric: "goodput", Value: 9.4e9 + float64(i), Unit: "bit/s"},
			record.Sample{Experiment: id, Repeat: repeat, End: "desk", Stream: -1,
				TimeNS: int64(1e18) + int64(i)*1e8, Metric: "cpu.0.softirq", Value: 0.25, Unit: "1"},
		)
	}
	return out
}
