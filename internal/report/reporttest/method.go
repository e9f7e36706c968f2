package reporttest

import (
	"testing"

	"linerate/internal/base/method"
	"linerate/internal/record"
)

// VerbsRun is a sweep of write latencies with 1 and 8 pairs, and one of reads.
func VerbsRun() *record.Run {
	r := &record.Run{Fabric: "pairs", Complete: true}
	post, poll := 300e-9, 100e-9
	add := func(op, size, pairs string, p50 float64, crowded bool, remark string) {
		what := map[bool]string{true: "from post to completion", false: "half of a round trip"}[op == "read"]
		end := record.VerbsEnd{Device: "mlx5_0", Port: 1, Link: "rocev2", Transport: "RC", PathMTU: 4096,
			Inline: 128, Skew: 2.5e-6, Post: &post, Poll: &poll, Crowded: crowded}
		r.Experiments = append(r.Experiments, &record.Experiment{Name: "write-latency", Method: "rdma", From: "n1", To: "n2",
			Direction: "out", Settings: map[string]string{"op": op, "size": size, "threads": pairs, "metric": "latency"},
			Latency: &record.Latency{P50: p50, Count: 1000}, Remark: remark,
			Verbs: &record.Verbs{Op: op, Metric: "latency", Latency: what, Ends: []record.VerbsEnd{end, end}}})
	}
	for _, c := range []struct {
		size     string
		one, all float64
	}{{"256B", 1.9e-6, 5.87e-6}, {"64B", 1.2e-6, 1.83e-6}, {"128B", 1.3e-6, 1.86e-6}} { // in no order
		add("write", c.size, "8", c.all, true,
			map[bool]string{true: "between 128 B and 256 B the latency jumps"}[c.size == "256B"])
		add("write", c.size, "1", c.one, false, "")
	}
	add("read", "8B", "1", 2.2e-6, false, "")
	return r
}

// Worked returns the fixture of a pair with all data about the work of threads.
func Worked(t *testing.T) *record.Run {
	t.Helper()
	r := Fixture(t, "pair")
	for _, e := range r.Experiments {
		if !method.Named(e.Method).Bulk || len(e.Repeats) == 0 {
			continue
		}
		v := 21e9
		e.PerCPU = &record.PerCPU{Processes: &v}
		e.CPU = append(e.CPU, record.CPU{Host: e.From + "+" + e.To, Core: -1, Threads: []record.Thread{
			{Kind: record.OwnThread, Host: e.From, Name: "send 0", Count: 1, Core: 3, User: 0.02, System: 0.9},
			{Kind: record.KernelThread, Name: "ksoftirqd/0<b>", Count: 1, System: 0.3},
			{Kind: record.OtherProcess, Name: "compile", Count: 3, User: 0.25}}})
		e.SoftIRQ = []record.Placement{
			{Host: "a+b", Core: 0, SoftIRQ: 0.4, Text: "core 0: softirq 40 %, all of it in the system calls of a"},
		}
		e.Unknown = []record.Unknown{{Subject: "a: frequency", Reason: "the kernel shows no clock rate"}}
		for i := range e.Repeats {
			p := &e.Repeats[i]
			p.RetransOut = make([]int64, len(p.SeriesOut))
			p.RetransIn = make([]int64, len(p.SeriesIn))
			if n := len(p.RetransOut); n > 0 {
				p.RetransOut[n/2] = 2300
			}
		}
	}
	return r
}

// AppFixture is a run of LAMMPS over two NICs at two numbers of processes, and of a command without a figure of its
// own.
func AppFixture() *record.Run {
	n := func(v int64) *int64 { return &v }
	cores := 1.5
	of := func(via, processes string, figures ...float64) *record.Experiment {
		e := &record.Experiment{ID: via + processes, Name: "lammps", Method: "command", From: "n[1-2]", Direction: "out",
			Settings: map[string]string{"via": via, "processes": processes, "command": "mpirun -n {processes} lmp"},
			InEffect: map[string]string{"command": "mpirun -n " + processes + " lmp"}, FigureUnit: "s",
			Seconds: &record.Estimate{Median: figures[0] + 1, Repeats: len(figures)},
			App: &record.App{Command: []string{"mpirun"}, Unit: "s", Line: "Loop time of 2.5 on 8 procs",
				Output: "output/x-1.txt",
				Hosts: []record.AppHost{
					{Host: "n1", Interface: "c1", Seconds: 2, Cores: &cores, Sent: n(250_000_000), Received: n(1),
						Errors: n(0), Dropped: n(3)},
					{Host: "n2", Interface: "c2", Seconds: 2, Cores: &cores, Sent: n(750_000_000), Received: n(1),
						Errors: n(0), Dropped: n(0)},
				}}}
		low, high := figures[0], figures[0]
		for _, f := range figures {
			low, high = min(low, f), max(high, f)
			e.Repeats = append(e.Repeats, record.Repeat{App: &record.App{Figure: f}})
		}
		e.Figure = &record.Estimate{Median: figures[0], Low: low, High: high, Interval: "range", Repeats: len(figures)}
		return e
	}
	timed := &record.Experiment{Name: "sort", Method: "command", From: "n1", Direction: "out",
		Settings: map[string]string{}, InEffect: map[string]string{"command": "sort <rows>"}, FigureUnit: "s",
		Figure: &record.Estimate{Median: 4, Repeats: 1}, Seconds: &record.Estimate{Median: 4, Repeats: 1},
		App: &record.App{Hosts: []record.AppHost{{Host: "n1"}}}, Repeats: []record.Repeat{{}}}
	return &record.Run{Complete: true,
		Experiments: []*record.Experiment{of("new", "16", 1.5, 1.4, 1.6), of("new", "8", 2.5, 2.4, 2.6),
			of("old", "8", 5, 4.9, 5.1), timed}}
}

// StorageFixture is a profile's rows: reads and writes of a file, and a mixed load that was not steady.
func StorageFixture() *record.Run {
	cores, own := 0.5, 0.4
	of := func(load, read string, depth float64, iops float64, size float64, repeats ...float64) *record.Experiment {
		e := &record.Experiment{ID: load + read, Name: "cdm", Method: "storage", From: "nas", To: "nas.tank",
			Direction: "out",
			Settings:  map[string]string{"profile": "cdm", "load": load, "read": read, "span": "1GiB"},
			InEffect:  map[string]string{"window": "5.00 s"}, Latency: &record.Latency{P50: 100e-6, P99: 300e-6}}
		for _, share := range repeats {
			k := &record.BlockCount{IOPS: iops * share, BytesPerSecond: iops * size * share}
			b := &record.Block{Depth: depth, Steady: &record.Steady{Is: true},
				PerPercentAsking: &record.WorkPerPercent{Percent: 25, IOPS: iops * share / 25},
				Hosts: []record.BlockHost{
					{Host: "nas", Asks: true, Stores: true, Cores: &cores, Own: &own, Of: 2,
						Drives: []record.DriveCount{{Name: "sda", Busy: 0.91}}},
				},
				Workers: []record.BlockWorker{
					{Host: "nas", Target: "/mnt/tank", Kind: "folder", Created: true, Span: 1 << 30,
						Way: "ring", Cache: "around it", FileSystem: "xfs", Devices: []string{"sda"}},
				}}
			if read == "100%" {
				b.Read = k
			} else {
				b.Write = k
			}
			e.Repeats = append(e.Repeats, record.Repeat{Block: b})
		}
		e.Block = e.Repeats[len(e.Repeats)-1].Block
		e.IOPS = &record.Estimate{Median: iops, Low: iops, High: iops, Repeats: len(repeats)}
		e.Bytes = &record.Estimate{Median: iops * size, Low: iops * size * 0.9, High: iops * size * 1.1,
			Interval: "range", Repeats: len(repeats)}
		return e
	}
	r := &record.Run{Complete: true, Experiments: []*record.Experiment{
		of("SEQ1M-Q8T1", "100%", 8, 500, 1<<20, 1, 1.1, 0.9), of("SEQ1M-Q8T1", "0%", 8, 400, 1<<20, 1, 1, 1),
		of("RND4K-Q1T1", "100%", 1, 10000, 4096, 1, 1, 1), of("RND4K-Q1T1", "0%", 1, 20000, 4096, 1, 1, 1)}}
	last := r.Experiments[3].Block
	last.Steady = &record.Steady{Slices: 5, Seconds: 5, Range: 0.4, Slope: -0.2}
	last.Workers[0].ErrorCount, last.Workers[0].Errors = 2, []record.BlockError{
		{Op: "write", Offset: 8192, Text: "input/output error", Seconds: 1.5},
	}
	return r
}

// HaloRun is exchanges over two NICs, over the tile and over the number of processes.
func HaloRun() *record.Run {
	r := &record.Run{Fabric: "pairs", Complete: true}
	add := func(name, via, tiles, processes string, tile, n int, s float64) {
		h := &record.Halo{Processes: n, Columns: n / 2, Rows: 2, Tile: tile, Exchange: "two-phase", Transport: "tcp",
			Wait: "blocking", Seconds: s, Remote: 2 * n, Local: 2 * n, Hosts: make([]record.HaloHost, 4), Skew: 1e-5}
		if n > 16 {
			h.Crowded = []string{"n1"}
		}
		var repeats []record.Repeat
		for i := range 5 {
			v := *h
			v.Seconds = s * (1 + 0.001*float64(i-2))
			repeats = append(repeats, record.Repeat{Index: i, Halo: &v})
		}
		r.Experiments = append(r.Experiments,
			&record.Experiment{ID: name + via + tiles + processes, Name: name, Method: "halo",
				From: "n[1-4]", To: "n[1-4]", Direction: "out",
				Settings: map[string]string{"via": via, "tiles": tiles, "processes": processes}, Halo: h, Repeats: repeats,
				Seconds: &record.Estimate{Median: s, Low: s * 0.998, High: s * 1.002, Interval: "range", Repeats: 5}})
	}
	for _, c := range []struct {
		tiles string
		tile  int
		a, b  float64
	}{{"1024", 1024, 40e-6, 100e-6}, {"2", 2, 10e-6, 50e-6}, {"64", 64, 12e-6, 48e-6}} { // in no order
		add("halo-tiles", "new", c.tiles, "32", c.tile, 32, c.a)
		add("halo-tiles", "old", c.tiles, "32", c.tile, 32, c.b)
	}
	for _, n := range []int{8, 4} {
		add("halo-scale", "new", "2", map[int]string{4: "4", 8: "8"}[n], 2, n, 5e-6*float64(n))
	}
	return r
}
