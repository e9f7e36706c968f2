package report

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/record/claims"
)

// storageFixture is a profile's rows: reads and writes of a file, and a mixed load that was not steady.
func storageFixture() *record.Run {
	cores, own := 0.5, 0.4
	of := func(load, read string, depth float64, iops float64, size float64, repeats ...float64) *record.Experiment {
		e := &record.Experiment{ID: load + read, Name: "cdm", Method: "block", From: "nas", To: "nas.tank", Direction: "out", Settings: map[string]string{"profile": "cdm", "load": load, "read": read, "span": "1GiB"},
			InEffect: map[string]string{"window": "5.00 s"}, Latency: &record.Latency{P50: 100e-6, P99: 300e-6}}
		for _, share := range repeats {
			k := &record.BlockCount{IOPS: iops * share, BytesPerSecond: iops * size * share}
			b := &record.Block{Depth: depth, Steady: &record.Steady{Is: true}, PerPercentAsking: &record.WorkPerPercent{Percent: 25, IOPS: iops * share / 25},
				Hosts:   []record.BlockHost{{Host: "nas", Asks: true, Stores: true, Cores: &cores, Own: &own, Of: 2, Drives: []record.DriveCount{{Name: "sda", Busy: 0.91}}}},
				Workers: []record.BlockWorker{{Host: "nas", Target: "/mnt/tank", Kind: "folder", Created: true, Span: 1 << 30, Way: "ring", Cache: "around it", FileSystem: "xfs", Devices: []string{"sda"}}}}
			if read == "100%" {
				b.Read = k
			} else {
				b.Write = k
			}
			e.Repeats = append(e.Repeats, record.Repeat{Block: b})
		}
		e.Block = e.Repeats[len(e.Repeats)-1].Block
		e.IOPS = &record.Estimate{Median: iops, Low: iops, High: iops, Repeats: len(repeats)}
		e.Bytes = &record.Estimate{Median: iops * size, Low: iops * size * 0.9, High: iops * size * 1.1, Interval: "range", Repeats: len(repeats)}
		return e
	}
	r := &record.Run{Complete: true, Experiments: []*record.Experiment{
		of("SEQ1M-Q8T1", "100%", 8, 500, 1<<20, 1, 1.1, 0.9), of("SEQ1M-Q8T1", "0%", 8, 400, 1<<20, 1, 1, 1),
		of("RND4K-Q1T1", "100%", 1, 10000, 4096, 1, 1, 1), of("RND4K-Q1T1", "0%", 1, 20000, 4096, 1, 1, 1)}}
	last := r.Experiments[3].Block
	last.Steady = &record.Steady{Slices: 5, Seconds: 5, Range: 0.4, Slope: -0.2}
	last.Workers[0].ErrorCount, last.Workers[0].Errors = 2, []record.BlockError{{Op: "write", Offset: 8192, Text: "input/output error", Seconds: 1.5}}
	return r
}

// The text in CrystalDiskMark's form is read back by the reader of CrystalDiskMark's own, with the same figures.
func TestCrystalReadsBack(t *testing.T) {
	tables := blockTables(storageFixture())
	if len(tables) != 1 {
		t.Fatalf("%d tables", len(tables))
	}
	text := tables[0].Crystal
	if !strings.Contains(text, "measured by linerate") || !strings.Contains(text, "[Write]") {
		t.Fatalf("the text is\n%s", text)
	}
	figures, err := claims.Read("crystaldiskmark", []byte("CrystalDiskMark\n"+text))
	if err != nil || len(figures) != 4 {
		t.Fatalf("%d figures, %v, of\n%s", len(figures), err, text)
	}
	for i, want := range []float64{500 * 1.1 * (1 << 20) * 8, 10000 * 4096 * 8, 400 * (1 << 20) * 8, 20000 * 4096 * 8} {
		if got := float64(figures[i].Rate); math.Abs(got-want) > 1e-4*want {
			t.Errorf("figure %d: %.0f bit/s, not %.0f", i, got, want)
		}
	}
	if l := figures[0].Latency; math.Abs(l.Or(0)-8/550.) > 1e-6 {
		t.Errorf("mean latency %v of 8 requests under way and 550 a second", l)
	}
}

func TestStorageTable(t *testing.T) {
	r := storageFixture()
	var b bytes.Buffer
	if err := (Terminal{Width: 140, Out: &b}).Run(r); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{"SEQ1M-Q8T1  100%    524 MB/s  472 .. 577 MB/s, range of 3", "91.0 %", "nas: 1 GiB of a file that was made for it in /mnt/tank on xfs (sda); around it",
		"2 requests failed, the first one a write at offset 8192, after 1.50 s: input/output error", "not steady (RND4K-Q1T1, read 0%)", "800 IOPS where it is asked"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	b.Reset()
	if err := HTML(&b, r); err != nil || !strings.Contains(b.String(), "<h2>Storage</h2>") || !strings.Contains(b.String(), "As CrystalDiskMark prints it") {
		t.Errorf("the page: %v", err)
	}
	b.Reset()
	if err := (Terminal{Width: 80, Out: &b}).Run(r); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := width(strings.TrimRight(line, "\n")); n > 80 && !strings.Contains(line, "MB/s [") {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// Experiments that asked for the same loads stand side by side, as in a table of a drive, a virtual function and a remote host; one that shares a single load does not.
func TestStorageSides(t *testing.T) {
	r := storageFixture()
	if got := storageSides(r); len(got) != 0 {
		t.Fatalf("one experiment has no other side: %+v", got)
	}
	far := storageFixture().Experiments
	for _, e := range far {
		e.Name, e.From = "remote", "pc"
		e.Bytes.Median /= 4
	}
	far[3].Settings["load"] = "RND4K-Q32T16"
	lone := storageFixture().Experiments[0]
	lone.Name = "lone"
	r.Experiments = append(r.Experiments, far...)
	r.Experiments = append(r.Experiments, lone)
	var b bytes.Buffer
	if err := (Terminal{Width: 140, Out: &b}).Run(r); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{"side by side, MB/s load read cdm remote SEQ1M-Q8T1 100% 524 131 SEQ1M-Q8T1 0% 419 105 RND4K-Q1T1 100% 41.0 10.2 RND4K-Q1T1 0% 81.9 not measured RND4K-Q32T16 0% not measured 20.5",
		"cdm: nas -> nas.tank", "remote: pc -> nas.tank"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// A grid over the block is three charts, in the order of the sizes; a line is what else varied.
func TestStorageCharts(t *testing.T) {
	r := storageFixture()
	var grid []*record.Experiment
	for _, load := range []string{"RND1M-Q32T1", "RND512B-Q32T1", "RND4K-Q32T1", "RND4K-Q1T1"} {
		e := storageFixture().Experiments[0]
		e.Name, e.ID = "grid", load
		e.Settings = map[string]string{"load": load, "read": "100%"}
		grid = append(grid, e)
	}
	r.Experiments = append(r.Experiments, grid...)
	var b bytes.Buffer
	if err := HTML(&b, r); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{"requests a second for each percent of processor", "3 values of block, 2 lines. Throughput of all workers together.", "RND Q32T1", "RND Q1T1", "IOPS, logarithmic, more is better"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if i, j := strings.Index(page, ">512 B</text>"), strings.Index(page, ">1 MiB</text>"); i < 0 || j < i {
		t.Errorf("blocks are not in their order: %d, %d", i, j)
	}
	if n := len(blockCharts("", grid[2:], []string{"load"}, "")); n != 0 {
		t.Errorf("%d charts of one block", n)
	}
}
