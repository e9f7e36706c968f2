package reporttest

import (
	"embed"
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// Fixtures returns the runs that every report is tested with, by name, each as a function that makes it.
func Fixtures() map[string]func() *record.Run {
	return map[string]func() *record.Run{"mesh": MeshRun, "pair": pairRun, "switched": switchedRun,
		"incomplete": incompleteRun, "unknown": unknownRun, "hostile": HostileRun, "sweep": SweepRun}
}

//go:embed testdata/*.json
var stored embed.FS

// Fixture reads a run from testdata, like a report of an old run.
func Fixture(t testing.TB, name string) *record.Run {
	t.Helper()
	if name == "hostile" {
		return HostileRun()
	}
	b, err := stored.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	r := new(record.Run)
	if err := json.Unmarshal(b, r); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

var began = time.Date(2026, 11, 21, 18, 30, 0, 0, time.UTC)

// Chain is the path of a TCP stream over links of rate bits per second.
func Chain(from, dest, component string, rate float64, simulated bool) *record.Chain {
	origin := record.Declared
	if simulated {
		origin = record.Simulated
	}
	goodput := unit.BitRate(rate * 1448 / 1538)
	in := func(name string, v float64) []record.Input {
		return []record.Input{{Name: name, Value: v, Origin: origin}}
	}
	return &record.Chain{From: from, To: dest, Direction: "out", Transport: "tcp", Limit: goodput, Component: component,
		Layer: record.LayerWire, AtMost: true,
		Hops: []record.Hop{
			{Component: "memory of " + from, Kind: "memory", Layer: record.LayerGoodput,
				Rate: unit.Unknown[unit.BitRate]("it was not looked for"), Why: "no memory bandwidth is declared"},
			{Component: "slot of " + from, Kind: "pcie", Layer: record.LayerTLP,
				Rate: unit.Known(unit.BitRate(rate * 1.31)), Formula: "pcie2x8, payload 128", Inputs: in("lanes", 8)},
			{Component: component, Kind: "cable", Layer: record.LayerWire, Rate: unit.Known(goodput),
				Formula: "rate x (MTU - 52) / (MTU + 38)", Inputs: in("rate", rate)},
			{Component: "slot of " + dest, Kind: "pcie", Layer: record.LayerTLP,
				Rate: unit.Known(unit.BitRate(rate * 2.62)), Formula: "pcie2x8, payload 256", Inputs: in("lanes", 8)},
		}}
}

// Wobble is a small deterministic deviation, so that the drawings look like measurements.
func Wobble(i, j int) float64 { return math.Sin(float64(i*7 + j*13)) }

// stream is one combination of a stream experiment at share of its ceiling.
func stream(n int, name, from, dest, link, direction string, streams int, rate, share float64,
	simulated bool) *record.Experiment {
	sender, receiver := from, dest
	if direction == "in" {
		sender, receiver = dest, from
	}
	c := Chain(sender, receiver, "link "+link, rate, simulated)
	median := share * float64(c.Limit)
	e := &record.Experiment{ID: fmt.Sprintf("e%03d", n), Name: name, Method: "throughput", From: from, To: dest,
		Direction: direction, Links: []string{link},
		Settings: map[string]string{"streams": fmt.Sprint(streams), "direction": direction, "size": "128KiB",
			"time": "10s", "transport": "tcp"},
		InEffect: map[string]string{"streams": fmt.Sprint(streams), "direction": direction, "size": "128KiB",
			"time": "1s", "transport": "tcp", "congestion": "cubic"},
		Goodput: &record.Estimate{Median: median, Low: median * 0.996, High: median * 1.0005, Interval: "range", Repeats: 3},
		Ceiling: c,
		Verdict: &record.Verdict{Sentence: sender + " -> " + receiver + " runs at the link's rate.", Limiter: "link",
			Component: "link " + link, ShareOfCeiling: new(share), Confidence: "proved",
			Evidence: []record.Evidence{
				{Host: sender, Source: "result", Counter: "goodput", After: new(median), Unit: "bits per second",
					Text: fmt.Sprintf("goodput is %s of what Ethernet allows at MTU 1500", unit.Percent(share))},
			}}}
	for i := range 3 {
		g := median * []float64{1, 0.996, 1.0005}[i]
		p := record.Repeat{Index: i, Start: began.Add(time.Duration(n*4+i) * time.Second), Seconds: 1, Goodput: g, Slice: 0.1,
			OtherProcesses: 0.02,
			CPU: []record.CPU{
				{Host: sender, Core: 0, User: 0.01, System: 0.22, SoftIRQ: 0.06, Idle: 0.71},
				{Host: sender, Core: 1, User: 0.01, System: 0.02, Idle: 0.97},
				{Host: sender, Core: -1, User: 0.01, System: 0.2, Idle: 0.79},
				{Host: receiver, Core: 0, User: 0.01, System: 0.31 + 0.02*Wobble(n, i), SoftIRQ: 0.19, Idle: 0.49},
				{Host: receiver, Core: 1, User: 0.02, System: 0.02, Idle: 0.96},
				{Host: receiver, Core: -1, User: 0.02, System: 0.33, Idle: 0.65},
			}}
		series := make([]float64, 10)
		for j := range series {
			series[j] = g * (1 + 0.012*Wobble(n+i, j))
		}
		if direction == "in" {
			p.SeriesIn, p.Backward = series, g
		} else {
			p.SeriesOut, p.Forward = series, g
		}
		for s := range streams {
			p.Streams = append(p.Streams, record.Stream{Index: s, Direction: direction, Goodput: g / float64(streams),
				Socket: &record.Socket{BusySeconds: new(1.0), RwndLimited: new(0.0), RTT: new(0.0011), MinRTT: new(0.00011),
					Cwnd: new(int64(212)), MSS: new(int64(1448)), Retrans: new(int64(0)), Congestion: "cubic"}})
		}
		e.Repeats = append(e.Repeats, p)
	}
	e.CPU = e.Repeats[0].CPU
	return e
}

// RTTSamples is an experiment of round trips with the median p50.
func RTTSamples(n int, name, from, dest, link string, p50 float64) *record.Experiment {
	lat := &record.Latency{P50: p50, P99: p50 * 1.9, P999: p50 * 4.1, P9999: p50 * 11,
		Max: p50 * 38, Count: 31214, Histogram: "HISTFAAAAB"}
	for _, q := range []struct{ q, k float64 }{{0, .8}, {.1, .9}, {.25, .95}, {.5, 1}, {.75, 1.1}, {.9, 1.3}, {.95, 1.5},
		{.99, 1.9}, {.995, 2.6}, {.999, 4.1}, {.9995, 6}, {.9999, 11}, {1, 38}} {
		lat.Curve = append(lat.Curve, record.Quantile{Q: q.q, Seconds: p50 * q.k})
	}
	e := &record.Experiment{ID: fmt.Sprintf("p%03d", n), Name: name, Method: "latency", From: from, To: dest,
		Direction: "out", Links: []string{link}, Settings: map[string]string{"size": "64B", "transport": "tcp"},
		InEffect: map[string]string{"size": "64B", "transport": "tcp"}, Latency: lat}
	for i := range 3 {
		e.Repeats = append(e.Repeats,
			record.Repeat{Index: i, Start: began.Add(time.Duration(200+n*4+i) * time.Second), Seconds: 1, RTTSamples: 10404,
				P50: p50 * (1 + 0.02*Wobble(n, i))})
	}
	return e
}

func held(e *record.Experiment, sender, receiver string) *record.Experiment {
	share := 0.512
	e.Verdict = &record.Verdict{
		Sentence: sender + " -> " + receiver + " is held back by " + receiver + ": its receive window stops at 64 " +
			"KiB (net.ipv4.tcp_rmem).",
		Limiter: "receive-window-cap", Component: receiver, ShareOfCeiling: &share, Confidence: "likely",
		Evidence: []record.Evidence{
			{Host: sender, Source: "TCP_INFO", Counter: "tcpi_rwnd_limited", Before: new(0.0), After: new(0.98),
				IdlePerSecond: new(0.0), Unit: "s", Text: "rwnd_limited 98 % of the time"},
			{Host: receiver, Source: "/proc/sys/net/ipv4/tcp_rmem", Counter: "tcp_rmem[2]", After: new(65536.0),
				Unit: "bytes", Text: "window 65,535 B / RTT 1.09 ms = 482 Mb/s"},
		},
		Candidates: []record.Candidate{{Limiter: "offloads-off", Text: "GRO of nic0 is off, but no core is busy"}},
		NextExperiment: `linerate measure throughput --from "lab k3vq/` + sender + `" --to "lab k3vq/` + receiver +
			`" --streams 8`,
		Fix:  `sysctl -w net.ipv4.tcp_rmem="4096 131072 33554432"`,
		Undo: `sysctl -w net.ipv4.tcp_rmem="4096 16384 65536"`, NextCeiling: "the link, at 941 Mb/s",
	}
	return e
}

// MeshRun is three hosts of a lab, each joined with each.
func MeshRun() *record.Run {
	links := []struct{ name, a, b, ap, bp, cable, subnet string }{
		{"desktop.a--nas.t3.1", "desktop", "nas", "a", "t3.1", "dac 3 m", "10.0.1"},
		{"desktop.b--homelab.t3.1", "desktop", "homelab", "b", "t3.1", "dac 3 m", "10.0.2"},
		{"nas.t3.2--homelab.t3.2", "nas", "homelab", "t3.2", "t3.2", "dac 1 m", "10.0.3"},
	}
	usd, _ := unit.ParseMoney("120 USD")
	r := &record.Run{Schema: "linerate/run/2", ID: "7f3c", Version: "0.1.0-dev",
		Arguments: []string{"linerate", "run", "examples/mesh-10g.yaml", "--lab"}, Started: began,
		Ended: began.Add(71 * time.Second), Complete: true, Fabric: "mesh-10g", FabricPath: "examples/mesh-10g.yaml",
		FabricText: "fabric: mesh-10g\nmtu: 1500\nhosts:\n  desktop:\n    os: windows\n    nics:\n      a: {part: " +
			"MNPA19-XTR, slot: pcie2x8, price: 15 USD}\n      b: {part: MNPA19-XTR, slot: pcie2x8, price: 15 USD}\n",
		Plan: record.Picture{Totals: []record.BOMTotal{{Currency: "USD", Amount: usd}}, Switches: []string{}},
		Lab: &record.Lab{ID: "k3vq", Scale: 0.1, Calibrated: 21.4e9,
			Shaped:   []string{links[0].name, links[1].name, links[2].name},
			Emulated: []string{"the speed of every port comes from the plan", "PCIe slots come from the plan"}},
		Sentence: "5 of 6 paths run at the rate of their link; nas -> desktop gets 51 % of it with 1 stream, because " +
			"desktop's receive window is capped (likely).",
		Goals: []record.Goal{
			{Name: "line-rate", Want: "goodput >= 95% of ceiling", Have: "51 % .. 100 %", Met: new(false),
				Why: "missed on 1 of 12 combinations: nas -> desktop, 1 stream, 51 %"},
			{Name: "answer", Want: "latency.p99 <= 1ms", Have: "410 us", Met: new(true)},
			{Name: "video", Want: "goodput >= 223.4MB/s", Met: nil,
				Why: "experiment video was not run: the method copy is not part of this version"},
		},
		Shortened: []string{"line-rate: 10 s intervals shortened to 1 s; accuracy is claimed for 10 s"},
		Warnings:  []string{"nas: ethtool -m is not permitted, so the module of t3 is not known"}}
	ports := map[string][]record.PicturePort{}
	n := 0
	for i, l := range links {
		ports[l.a] = append(ports[l.a],
			record.PicturePort{ID: l.a + "." + l.ap, Interface: "lr" + l.ap, Address: l.subnet + ".1/24", Part: "MNPA19-XTR"})
		ports[l.b] = append(ports[l.b],
			record.PicturePort{ID: l.b + "." + l.bp, Interface: "lr" + l.bp, Address: l.subnet + ".2/24", Part: "S320E"})
		r.Plan.Links = append(r.Plan.Links, record.PictureLink{Name: l.name, Label: fmt.Sprintf("L%d", i+1),
			Ends: [2]string{l.a + "." + l.ap, l.b + "." + l.bp}, Rate: 10e9, Cable: l.cable, Length: new(3.0)})
		for _, direction := range []string{"out", "in"} {
			for _, streams := range []int{1, 8} {
				n++
				share := 0.9991 + 0.0006*Wobble(n, 3)
				e := stream(n, "line-rate", l.a, l.b, l.name, direction, streams, 1e9, share, true)
				if i == 0 && direction == "in" && streams == 1 {
					e = held(stream(n, "line-rate", l.a, l.b, l.name, direction, streams, 1e9, 0.512, true), l.b, l.a)
				}
				e.Ends = []record.End{
					{Host: l.a, Port: l.a + "." + l.ap, Interface: "lr" + l.ap, Address: l.subnet + ".1"},
					{Host: l.b, Port: l.b + "." + l.bp, Interface: "lr" + l.bp, Address: l.subnet + ".2"},
				}
				r.Experiments = append(r.Experiments, e)
			}
		}
		r.Experiments = append(r.Experiments, RTTSamples(i, "answer", l.a, l.b, l.name, 54.5e-6*(1+float64(i)/5)))
	}
	for i, name := range []string{"video", "video", "iometer"} {
		method := unit.If(name == "iometer", "storage", "copy")
		r.Experiments = append(r.Experiments,
			&record.Experiment{ID: fmt.Sprintf("s%03d", i), Name: name, Method: method, From: "desktop",
				To: "nas.tank", Direction: []string{"out", "in", "out"}[i], Settings: map[string]string{"amount": "3.2GB"},
				NotRun: "the method " + method + " is not part of this version"})
	}
	for _, h := range []struct{ name, os string }{{"desktop", "windows"}, {"nas", "truenas"}, {"homelab", "linux"}} {
		r.Plan.Hosts = append(r.Plan.Hosts, record.PictureHost{Name: h.name, OS: h.os, Ports: ports[h.name]})
		s := record.HostState{Name: h.name, Connection: "lab k3vq/" + h.name, OS: "linux", Kernel: "6.1.0-37-amd64",
			CPU: "Example 2.4 GHz", Cores: 2,
			Unknown: []record.Unknown{
				{Subject: "PCIe slot of " + h.name, Reason: "a namespace has none; simulated from the plan"},
			},
			Settings: []record.Setting{{Subject: "MTU of " + ports[h.name][0].Interface, Want: "1500", Have: "1500"}}}
		if h.name == "desktop" {
			s.Settings = append(s.Settings,
				record.Setting{Subject: "net.ipv4.tcp_rmem", Want: "4096 131072 33554432", Have: "4096 16384 65536"})
		}
		r.Hosts = append(r.Hosts, s)
	}
	return r
}

// pairRun is a real link of two hosts, measured in both directions at once too.
func pairRun() *record.Run {
	link := "nas.cx3.1--pc.cx3.1"
	usd, _ := unit.ParseMoney("94.53 USD")
	spare, _ := unit.ParseMoney("31.88 USD")
	r := &record.Run{Schema: "linerate/run/2", ID: "b2d1", Version: "0.1.0",
		Arguments: []string{"linerate", "run", "nas-40g.yaml"}, Started: began, Ended: began.Add(time.Minute), Complete: true,
		Fabric: "nas-40g", FabricPath: "nas-40g.yaml", FabricText: "fabric: nas-40g\n",
		Plan: record.Picture{Totals: []record.BOMTotal{{Currency: "USD", Amount: usd, Spares: spare}},
			Hosts: []record.PictureHost{
				{Name: "nas", OS: "freebsd",
					Ports: []record.PicturePort{
						{ID: "nas.cx3.1", Interface: "mlxen0", Address: "10.20.0.1/24", Part: "MCX354A-FCCT"},
					}},
				{Name: "pc", OS: "windows",
					Ports: []record.PicturePort{
						{ID: "pc.cx3.1", Interface: "Ethernet 3", Address: "10.20.0.2/24", Part: "MCX354A-FCCT"},
					}},
			},
			Links: []record.PictureLink{
				{Name: link, Label: "L1", Ends: [2]string{"nas.cx3.1", "pc.cx3.1"}, Rate: 40e9, Cable: "fiber 10 m",
					Length: new(10.0)},
			}},
		Sentence: "nas -> pc carries 12.1 Gb/s of 37.7 Gb/s, and none of the known limits explains it; pc -> nas runs at " +
			"the link's rate.",
		Hosts: []record.HostState{
			{Name: "nas", Connection: "ssh root@nas", OS: "freebsd", Kernel: "14.3", CPU: "E3-1231 v3", Cores: 8},
			{Name: "pc", Connection: "ssh pc", OS: "windows", CPU: "i7-4790K", Cores: 8},
		}}
	slow := stream(1, "throughput", "nas", "pc", link, "out", 4, 40e9, 0.321, false)
	slow.Verdict = &record.Verdict{
		Sentence: "nas -> pc stays at 32 % of its ceiling, and none of the known limits holds; the nearest is one " +
			"core of pc at 71 %.",
		Limiter: "unexplained", ShareOfCeiling: new(0.321),
		Candidates: []record.Candidate{
			{Limiter: "cpu-per-packet", Text: "one core of pc is 71 % busy, 52 % of it in softirq"},
		},
		NextExperiment: `linerate measure throughput --from "ssh root@nas" --to "ssh pc" --streams 8`,
		Unknown:        []string{"the PCIe width of nas.cx3: pciconf was refused"},
	}
	both := stream(3, "throughput", "nas", "pc", link, "both", 4, 40e9, 0.659, false)
	both.Ceiling.Limit *= 1.985 // both directions, less the acknowledgements of each other
	both.Goodput = &record.Estimate{Median: 49.3e9, Low: 49.0e9, High: 49.5e9, Interval: "range", Repeats: 3}
	both.Forward = &record.Estimate{Median: 12.0e9, Low: 11.8e9, High: 12.1e9, Interval: "range", Repeats: 3}
	both.Backward = &record.Estimate{Median: 37.3e9, Low: 37.2e9, High: 37.4e9, Interval: "range", Repeats: 3}
	both.Verdict = nil
	for i := range both.Repeats {
		p := &both.Repeats[i]
		p.Forward, p.Backward, p.Goodput = 12.0e9, 37.3e9, 49.3e9
		p.SeriesIn = make([]float64, len(p.SeriesOut))
		for j := range p.SeriesOut {
			p.SeriesOut[j], p.SeriesIn[j] = 12.0e9*(1+0.03*Wobble(i, j)), 37.3e9*(1+0.01*Wobble(i+3, j))
		}
	}
	r.Experiments = []*record.Experiment{slow, stream(2, "throughput", "nas", "pc", link, "in", 4, 40e9, 0.998, false),
		both,
		RTTSamples(4, "latency", "nas", "pc", link, 14.2e-6)}
	return r
}

// switchedRun is four hosts behind a switch, some pairs of which were measured.
func switchedRun() *record.Run {
	r := &record.Run{Schema: "linerate/run/2", ID: "c0de", Version: "0.1.0",
		Arguments: []string{"linerate", "run", "cluster.yaml"}, Started: began, Ended: began.Add(time.Minute), Complete: true,
		Fabric: "cluster", FabricPath: "cluster.yaml", FabricText: "fabric: cluster\n",
		Plan: record.Picture{Switches: []string{"sw1"}}, Sentence: "All 4 paths run at the rate of their links.",
		Goals: []record.Goal{
			{Name: "line-rate", Want: "goodput >= 95% of ceiling", Have: "99.7 % .. 99.9 %", Met: new(true)},
		}}
	for i := 1; i <= 4; i++ {
		h := fmt.Sprintf("n%d", i)
		id := h + ".ql.1"
		r.Plan.Hosts = append(r.Plan.Hosts, record.PictureHost{Name: h, OS: "windows",
			Ports: []record.PicturePort{
				{ID: id, Interface: "SLOT 3", Address: fmt.Sprintf("10.0.1.%d/24", i), Part: "QL41262"},
			}})
		r.Plan.Links = append(r.Plan.Links,
			record.PictureLink{Name: fmt.Sprintf("%s--sw1.%d", id, i), Label: fmt.Sprintf("L%d", i),
				Ends: [2]string{id, fmt.Sprintf("sw1.%d", i)}, Rate: 25e9, Cable: "dac 3 m", Length: new(3.0)})
		r.Hosts = append(r.Hosts, record.HostState{Name: h, Connection: "ssh " + h, OS: "windows", Cores: 16})
	}
	for i, p := range [][2]string{{"n1", "n2"}, {"n3", "n4"}} {
		for _, d := range []string{"out", "in"} {
			a, b := p[0], p[1]
			e := stream(i, "line-rate", a, b, a+".ql.1--sw1."+a[1:], d, 8, 25e9, 0.998, false)
			e.Links = append(e.Links, b+".ql.1--sw1."+b[1:])
			r.Experiments = append(r.Experiments, e)
		}
	}
	return r
}

func incompleteRun() *record.Run {
	r := MeshRun()
	r.Complete, r.Ended, r.Sentence = false, time.Time{},
		"Of 6 paths 2 were measured, both at the rate of their link; homelab could not be reached."
	r.Goals = []record.Goal{
		{Name: "line-rate", Want: "goodput >= 95% of ceiling", Met: nil, Why: "8 of 12 combinations were not measured"},
	}
	for i, e := range r.Experiments {
		switch {
		case i >= 2 && i < 4:
			e.Goodput, e.Repeats, e.Verdict, e.CPU, e.Failed = nil, nil, nil, nil,
				"the agent of nas ended: exit code 1, last output: out of memory"
		case i >= 4:
			e.Goodput, e.Repeats, e.Verdict, e.Latency, e.CPU, e.NotRun = nil, nil, nil, nil, nil, "homelab could not be used"
		}
	}
	r.Hosts[2].Error = "ssh homelab: exit code 255, last output: Permission denied (publickey). Try: ssh -v homelab true"
	r.Lab = nil
	return r
}

// unknownRun returns a run with a figure and nothing to judge it by.
func unknownRun() *record.Run {
	r := pairRun()
	r.Sentence, r.Plan.Totals, r.Hosts = "", []record.BOMTotal{{Unpriced: 3}}, nil
	r.Plan.Links[0].Rate, r.Plan.Links[0].Length, r.Plan.Links[0].Cable = 0, nil, ""
	for _, e := range r.Experiments {
		e.Ceiling, e.Verdict, e.CPU, e.Latency = nil, nil, nil, nil
		for i := range e.Repeats {
			e.Repeats[i].CPU, e.Repeats[i].SeriesOut, e.Repeats[i].SeriesIn, e.Repeats[i].Streams = nil, nil, nil, nil
		}
	}
	r.Experiments[0].Verdict = &record.Verdict{Limiter: "unknown", Sentence: "What limits nas -> pc is not known.",
		Unknown: []string{"link speed of nas: ethtool needs root", "TCP_INFO of pc: Windows gives none"}}
	r.Goals = []record.Goal{
		{Name: "line-rate", Want: "goodput >= 95% of ceiling", Met: nil, Why: "the ceiling is not known"},
	}
	return r
}
