package reporttest

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/result"
)

// Hostile is a text that tries to end what it is printed in.
const Hostile = "\"><script>x</script>$(touch /tmp/p)\x1b]0;\u009b31m\u202e</script>"

// HostileRun returns a mesh with only hostile texts.
func HostileRun() *record.Run {
	r := MeshRun()
	b, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	evil, err := json.Marshal(Hostile)
	if err != nil {
		panic(err)
	}
	in := strings.Trim(string(evil), `"`)
	text := string(b)
	for _, word := range []string{"desktop", "homelab", "line-rate", "dac 3 m", "lra", "Ethernet", "MNPA19-XTR",
		"tcp_rmem", "video", "windows", "USD", "k3vq", "10.0.1"} {
		text = strings.ReplaceAll(text, word, word+in)
	}
	out := new(record.Run)
	if err := json.Unmarshal([]byte(text), out); err != nil {
		panic(err)
	}
	return out
}

// SweepRun has two parameters with more than two values.
func SweepRun() *record.Run {
	r := pairRun()
	r.ID, r.Sentence, r.Goals = "5eeb", "From 64 KiB on both paths run at the link's rate; below that the program's "+
		"small writes limit it (likely).", nil
	r.Experiments = r.Experiments[3:]
	n := 10
	for _, d := range []string{"out", "in", "both"} {
		for _, s := range []int{1, 4, 8} {
			if d == "both" && s < 8 {
				continue
			}
			for k := 0; k < 12; k++ {
				n++
				size := 512 << k
				share := 1 - math.Exp(-float64(size)*float64(s)/9000)
				e := stream(n, "blocks", "nas", "pc", "nas.cx3.1--pc.cx3.1", d, s, 40e9, share*0.998, false)
				e.Settings["size"] = unit.Bytes(size).String()
				e.CPU = nil
				for i := range e.Repeats {
					// Each message has a cost: small ones fill the CPUs of both ends.
					used := e.Repeats[i].Goodput / 8 * (0.1e-9 + 300e-9/float64(size)) * (1 + 0.02*float64(i))
					e.Repeats[i].Streams = nil
					e.Repeats[i].CPU = []record.CPU{
						{Host: "nas", Core: -1, System: used},
						{Host: "pc", Core: -1, System: used / 2},
					}
				}
				e.InEffect["size"] = e.Settings["size"]
				if share < 0.95 {
					e.Verdict.Limiter, e.Verdict.Confidence, e.Verdict.Sentence = "app-limited", "likely",
						"The program writes too little at once."
				}
				r.Experiments = append(r.Experiments, e)
			}
		}
	}
	sure := func(v float64) *record.Estimate {
		return &record.Estimate{Median: v, Low: v * 0.97, High: v * 1.04, Interval: "95%", Repeats: 6}
	}
	residual := 0.034
	r.Costs = []record.Cost{
		{Experiment: "jumbo", Host: "nas", End: "sender", Settings: map[string]string{"streams": "1"},
			PerPacket: sure(593e-9), PerByte: sure(0.2603e-9), Repeats: 6, Residual: &residual,
			Combinations: []record.CostCombination{
				{MTU: "1500", Packet: 1448, Goodput: 12e9, Cores: 0.98, Measured: 12.2e9, Fitted: 11.93e9},
				{MTU: "9000", Packet: 8948, Goodput: 24.5e9, Cores: 1, Measured: 24.5e9, Fitted: 24.49e9},
			}},
		{Experiment: "blocks", Host: "nas+pc", End: "both", Settings: map[string]string{"streams": "8"},
			PerByte: sure(0.1e-9), PerCall: sure(300e-9), Repeats: 6, Residual: &residual, Merged: []string{"tso on nas"},
			Why: "every combination has MTU 9000, so the cost of packets is within that of the bytes; another MTU separates " +
				"them apart",
			Combinations: []record.CostCombination{
				{MTU: "9000", Size: "512B", Packet: 61440, Goodput: 6e9, Cores: 2, Measured: 3e9, Fitted: 2.9e9},
				{MTU: "9000", Size: "1MiB", Packet: 62000, Goodput: 39e9, Cores: 1, Measured: 39e9, Fitted: 40e9},
			}},
		{Experiment: "jumbo", Variant: "old", Host: "pc", End: "receiver", Settings: map[string]string{},
			Repeats: 0, Why: "the CPU time of pc was not read in full",
			Combinations: []record.CostCombination{{MTU: "1500", Goodput: 12e9}, {MTU: "9000", Goodput: 24.5e9}}},
	}
	return r
}

// SweepOf is one experiment over sizes. low is the low end of each combination's interval as a share of its ceiling;
// below 0: not run.
func SweepOf(ceiling float64, low ...float64) []result.Row {
	r := &record.Run{}
	for i, v := range low {
		if v < 0 {
			continue
		}
		e := &record.Experiment{Name: "x", Method: "throughput", From: "a", To: "b", Direction: "out",
			Settings: map[string]string{"size": strconv.Itoa(512<<i) + "B", "streams": "1"},
			Goodput: &record.Estimate{Median: (v + 0.01) * 10e9, Low: v * 10e9, High: (v + 0.02) * 10e9,
				Interval: "range", Repeats: 3}}
		if ceiling > 0 {
			e.Ceiling = &record.Chain{Limit: unit.BitRate(ceiling)}
		}
		r.Experiments = append(r.Experiments, e)
	}
	return result.Rows(r)
}

// Measured is an experiment with repeats of 2 s. begin is the place of its first one among alternating repeats, step
// the distance from one to the next.
func Measured(variant, streams string, begin, step int, goodput ...float64) *record.Experiment {
	e := &record.Experiment{ID: variant + streams, Name: "raw", Method: "throughput", From: "a",
		To: "b", Direction: "out", Variant: variant, Settings: map[string]string{"streams": streams}}
	zero := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, g := range goodput {
		e.Repeats = append(e.Repeats,
			record.Repeat{Index: i, Start: zero.Add(time.Duration(begin+i*step) * 2 * time.Second), Seconds: 1, Goodput: g,
				CPU: []record.CPU{{Host: "a+b", Core: -1, System: g / 1e9}}})
	}
	return e
}

// HighlightBlock is one combination of storage: alternating repeats of iops at percent of the asking host's CPU time.
func HighlightBlock(variant, size, read string, iops, percent float64, repeats int) *record.Experiment {
	e := &record.Experiment{ID: variant + size + read, Name: "iscsi", Method: "storage", From: "initiator", To: "lun",
		Direction: "out", Variant: variant, Settings: map[string]string{"size": size, "read": read, "access": "random"}}
	bytes, _ := unit.ParseBytes(size)
	for i := range repeats {
		v := iops * (1 + 0.01*Wobble(i, len(variant)))
		e.Repeats = append(e.Repeats, record.Repeat{Index: i,
			Start: began.Add(time.Duration(2*i+min(1, len(variant))) * time.Second), P50: 1e-3,
			Block: &record.Block{Read: &record.BlockCount{IOPS: v, BytesPerSecond: v * float64(bytes)},
				PerPercentAsking: &record.WorkPerPercent{Percent: percent * (1 + 0.01*Wobble(i, 2+len(variant))),
					IOPS: v / percent}}})
	}
	e.Block = e.Repeats[0].Block
	e.IOPS = &record.Estimate{Median: iops, Low: iops * .99, High: iops * 1.01, Interval: "95%", Repeats: repeats}
	e.Bytes = &record.Estimate{Median: iops * float64(bytes), Low: iops * .99 * float64(bytes),
		High: iops * 1.01 * float64(bytes), Interval: "95%", Repeats: repeats}
	e.Latency = &record.Latency{P50: 1e-3, P99: 2e-3, Max: 1, Count: 1e4}
	return e
}

// HighlightRun is a comparison of two initiators: one in hardware, and one in software as variant competitor.
func HighlightRun(repeats int) *record.Run {
	r := &record.Run{Fabric: "eval", ID: "keys", Complete: true, Variants: []string{"competitor"}}
	for _, c := range []struct {
		size, read       string
		a, cpuA, b, cpuB float64
	}{
		{"4KiB", "50%", 166e3, 9.1, 100e3, 10},
		{"8KiB", "50%", 133e3, 10, 100e3, 10},
		{"16KiB", "50%", 120e3, 12, 100e3, 10},
	} {
		r.Experiments = append(r.Experiments, HighlightBlock("", c.size, c.read, c.a, c.cpuA, repeats),
			HighlightBlock("competitor", c.size, c.read, c.b, c.cpuB, repeats))
	}
	return r
}

// Said is highlights as text, one a line.
func Said(found []record.Highlight) string {
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "%s: %s\n", f.Kind, f.Text)
	}
	return b.String()
}
