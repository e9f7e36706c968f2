package page

import (
	"strings"
	"testing"

	"linerate/internal/base/method"
	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/internal/report/chart"
	"linerate/internal/report/format"
	"linerate/internal/report/highlight"
	"linerate/internal/report/reporttest"
	"linerate/internal/report/tables"
)

// Losses are next to goodput on the terminal and on the page, and only for datagrams.
func TestLoss(t *testing.T) {
	r := reporttest.MeshRun()
	if shown, page := printed(t, 100, r), page(t, r); strings.Contains(shown, " lost ") ||
		strings.Contains(page, ">lost<") {
		t.Error("loss is shown of a run without datagrams")
	}
	for _, e := range r.Experiments {
		if method.Named(e.Method).Bulk && e.Goodput != nil {
			e.Settings["transport"] = "udp"
			e.UDP = &record.UDP{Datagrams: new(int64(8_000_000)), Lost: new(int64(184_000)),
				Reordered: new(int64(7)), Duplicated: new(int64(0)), Jitter: new(3.2e-6)}
		}
	}
	shown, page := printed(t, 100, r), page(t, r)
	reporttest.Has(t, shown, " lost ", "2.3 %")
	reporttest.Has(t, page, ">lost<", "184000 of 8000000 lost, 7 reordered, 0 duplicated, jitter 3.2")
}

// The terminal and the page show the same tables; a run without RDMA has none.
func TestVerbsShown(t *testing.T) {
	reporttest.Has(t, printed(t, 100, reporttest.VerbsRun()), "write-latency, write of n1 -> n2", "5.87 us", "jumps")
	reporttest.Has(t, page(t, reporttest.VerbsRun()), "<h2>RDMA</h2>", "5.87")
	if len(tables.VerbsTables(reporttest.MeshRun())) != 0 {
		t.Error("a run without RDMA has a table of it")
	}
}

// The release skew is next to a goodput too, the most of all repeats and both ends, and above 50 us with its cause.
func TestReleaseSkewShown(t *testing.T) {
	end := func(skew float64, crowded bool) record.VerbsEnd {
		return record.VerbsEnd{Device: "mlx5_0", Port: 1, Link: "rocev2", Transport: "RC", Skew: skew, Crowded: crowded}
	}
	r := &record.Run{Fabric: "pairs", Complete: true}
	add := func(pairs string, crowded bool, skews ...float64) {
		e := &record.Experiment{ID: "x" + pairs, Name: "bandwidth", Method: "rdma", From: "n1",
			To: "n2", Direction: "out", Settings: map[string]string{"op": "write", "metric": "goodput", "threads": pairs},
			Goodput: &record.Estimate{Median: 9e9, Low: 9e9, High: 9e9, Repeats: 1}}
		for _, s := range skews {
			v := &record.Verbs{Op: "write", Metric: "goodput", Ends: []record.VerbsEnd{end(s/2, crowded), end(s, false)}}
			e.Repeats, e.Verbs = append(e.Repeats, record.Repeat{Goodput: 9e9, Verbs: v}), v
		}
		r.Experiments = append(r.Experiments, e)
	}
	shown := func() (string, string) { return printed(t, 400, r), page(t, r) }
	add("1", false, 0)
	if text, page := shown(); strings.Contains(text+page, "release skew") {
		t.Error("one pair has none")
	}
	add("2", false, 3e-6, 12e-6, 4e-6)
	add("8", false, 20e-6)
	text, page := shown()
	if !strings.Contains(text, "bandwidth, write of n1 -> n2, goodput") || !strings.Contains(text, "9.00 Gb/s") ||
		!strings.Contains(page, "payload of all pairs together") {
		t.Errorf("no table of goodput:\n%s", text)
	}
	for _, s := range []string{text, page} {
		if !strings.Contains(s, "2 within 12.0 us, 8 within 20.0 us of each other") ||
			strings.Contains(s, "waited for a core") {
			t.Errorf("%s", text)
		}
	}
	add("4", true, 90e-6)
	text, page = shown()
	for _, s := range []string{text, page} {
		if !strings.Contains(s, "4 within 90.0 us") ||
			!strings.Contains(s, "above 50.0 us threads waited for a core, because there are fewer cores than pairs") {
			t.Errorf("%s", text)
		}
	}
}

// A sweep of latencies is one chart with a line for each number of pairs, on a y axis of decades, and not a drawing for
// each combination.
func TestVerbsPage(t *testing.T) {
	r := reporttest.VerbsRun()
	v := view(highlight.Find(r))
	c := string(v.Verbs[0].Chart)
	if !strings.Contains(c, "8 pairs") || strings.Count(c, `class="line s`) != 4 { // two lines, and two in the legend
		t.Errorf("the chart of writes: %s", c)
	}
	if v.Verbs[1].Chart != "" {
		t.Error("a chart of one size")
	}
	var own []string
	for _, b := range v.Blocks {
		for _, l := range b.Latency {
			own = append(own, l.Title)
		}
	}
	if len(own) != 1 || !strings.Contains(own[0], "op read") {
		t.Errorf("drawings of single combinations: %q", own)
	}
}

func TestWhoDidTheWork(t *testing.T) {
	r := reporttest.Worked(t)
	reporttest.Has(t, page(t, r), "Who did the work", ", measuring</th><td>send 0</td><td class=\"number\">3</td>",
		"ksoftirqd/0&lt;b&gt;", ", kernel</th>", ", other work</th><td>compile (3)</td>",
		"21.0 Gb per CPU second", "in the system calls of a",
		"a: frequency: not known, because the kernel shows no clock rate", "segments retransmitted in a second", ">23k<")
	reporttest.Has(t, printed(t, 120, r), "CPUs", "21.0 Gb per CPU second", "send 0 92 %",
		"compile (3) 25 %",
		"in the system calls of a")
	// An unknown value is not drawn as zero.
	reporttest.HasNot(t, page(t, reporttest.Fixture(t, "pair")), "Who did the work", "segments retransmitted",
		"no segment was retransmitted", "CPU second of")
}

// The terminal and the page have the sentence, each test with its numbers, unknowns and how to settle them. Text from
// devices is not markup.
func TestProofShown(t *testing.T) {
	no, low, high, n := false, 6.2e9, 6.4e9, int64(6_250_000_000)
	dscp := 26
	r := &record.Run{Schema: record.RunSchema, Fabric: "star",
		Sentence: "The class roce is not lossless in effect: it lost 655 packets.",
		Experiments: []*record.Experiment{
			{ID: "x", Name: "lossless-roce", Method: method.Lossless, From: "n[1-2]", To: "n3", Pattern: "incast",
				Direction: "out",
				Settings:  map[string]string{"class": "roce"},
				Proof: &record.Proof{Class: "roce", Priority: 3, DSCP: &dscp, State: record.NotInEffect,
					Sentence: "The class roce is not lossless in effect: it lost 655 packets.", Traffic: "tcp",
					TrafficWhy: "n3 has no RDMA device on e9", Sent: &n, BestEffort: &n,
					Tests: []record.ProofTest{
						{Test: record.ProofSequence, Title: "nothing of the class was lost between its ends", Passed: &no,
							Want: "0 sequence errors", Have: "it lost 655 packets"},
						{Test: record.ProofBytes, Title: "the class's counters have what was sent", Want: "6.25 GB", Have: "not known",
							NotKnown: []string{"sw: <b>Et1</b>: not counted"},
							Counters: []record.ProofCounter{
								{Device: "n1", Port: "e1", What: "class-bytes-sent", Source: "ethtool -S e1",
									Line: "tx_prio3_bytes: 7294000000", Before: 1000000000, After: 7294000000, Low: &low, High: &high},
							}},
					},
					NotKnown: []string{"sw: <b>Et1</b>: not counted"}, Settles: []string{"a switch that counts"},
					NotShown: []string{"RDMA was not sent"},
					Causes: []record.ProofCause{
						{ID: "pfc-one-sided", Text: "n1 counted none", Fix: "dcb pfc set dev e1 prio-pfc 3:on",
							Undo: "dcb pfc set dev e1 prio-pfc 3:off"},
					}}},
		}}
	text, page := printed(t, 200, r), page(t, r)
	for _, shown := range []string{text, page} {
		reporttest.Has(t, shown, "not in effect", "it lost 655 packets", "not known", "a switch that counts",
			"RDMA was not sent", "TCP: n3 has no RDMA device on e9", "pfc-one-sided", "dcb pfc set dev e1 prio-pfc 3:on",
			"dcb pfc set dev e1 prio-pfc 3:off", "priority 3, DSCP 26")
	}
	reporttest.Has(t, page, "7294000000", "6200000000 to 6400000000 more", "0 sequence errors",
		"tx_prio3_bytes: 7294000000", "&lt;b&gt;Et1")
	if strings.Contains(page, "<b>Et1") {
		t.Error("text of a device is markup")
	}
}

// Many combinations of one table of storage have their percentiles in a table, and no curve each. More lines than
// colours are divided.
func TestStorageMany(t *testing.T) {
	v := view(highlight.Find(reporttest.HighlightRun(2)))
	for _, b := range v.Blocks {
		if len(b.Latency) != 6 {
			t.Errorf("%d curves, want those of two tables of three", len(b.Latency))
		}
	}
	r := &record.Run{}
	for _, read := range []string{"100%", "50%", "0%"} {
		for _, depth := range []string{"1", "8", "32"} {
			for _, size := range []string{"4KiB", "64KiB", "1MiB"} {
				e := reporttest.HighlightBlock("", size, read, 1e4, 10, 2)
				e.ID, e.Settings["depth"] = e.ID+depth, depth
				r.Experiments = append(r.Experiments, e)
			}
		}
	}
	v = view(highlight.Find(r))
	if len(v.Blocks) != 0 || len(v.Storage) != 1 || len(v.Storage[0].Tails) != 27 ||
		len(v.Storage[0].Tails[0]) != len(v.Storage[0].TailHeaders) {
		t.Fatalf("%d blocks, %+v", len(v.Blocks), v.Storage)
	}
	if !strings.Contains(string(v.Storage[0].Charts[0]), "ceiling not known") ||
		strings.Contains(string(v.Storage[0].Charts[1]), "ceiling") {
		t.Error("a throughput has a ceiling, or says that it is not known; a number of requests has none")
	}
	if n := len(v.Storage[0].Charts); n != 3*6 {
		t.Errorf("%d charts, want six of each share of reads", n)
	}
	for i, want := range []string{"reads", "", "", "", "", "", "50 % read"} {
		if !strings.Contains(string(v.Storage[0].Charts[i]), want) ||
			strings.Contains(string(v.Storage[0].Charts[i]), "lines; the table") {
			t.Errorf("chart %d has no %q: %s", i, want, v.Storage[0].Charts[i])
		}
	}
}

// The terminal and the page have the same text.
func TestAppShown(t *testing.T) {
	r := reporttest.AppFixture()
	text, page := printed(t, 120, r), page(t, r)
	for _, shown := range []string{text, page} {
		reporttest.Has(t, shown, "lammps on n[1-2]", "2.50 s", "5.00 s", "2.00 Gb/s sent")
	}
	if strings.Contains(page, "sort <rows>") {
		t.Error("what was run is in the page as it is, and may be HTML")
	}
}

func TestStorageTable(t *testing.T) {
	r := reporttest.StorageFixture()
	text := printed(t, 140, r)
	for _, want := range []string{"SEQ1M-Q8T1  100%    524 MB/s  472 .. 577 MB/s, range of 3", "91 %",
		"nas: 1 GiB of a file that was made for it in /mnt/tank on xfs (sda); around it",
		"2 requests failed, the first one a write at offset 8192, after 1.50 s: input/output error",
		"not steady (RND4K-Q1T1, read 0%)", "800 IOPS where it is asked"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	reporttest.Has(t, page(t, r), "<h2>Storage</h2>", "As CrystalDiskMark prints it")
	for line := range strings.Lines(printed(t, 80, r)) {
		if n := format.Width(strings.TrimRight(line, "\n")); n > 80 && !strings.Contains(line, "MB/s [") {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// What holds storage back is on the page as on the terminal, and the protocol is the one that was in effect.
func TestStorageVerdicts(t *testing.T) {
	r := reporttest.StorageFixture()
	r.Experiments = r.Experiments[:1] // few enough for their latencies
	e := r.Experiments[0]
	e.Settings["transport"] = "smb"
	e.Block.Workers[0].Export = &record.BlockExport{Protocol: "nvme-tcp", Instead: "smb"}
	e.Verdict = &record.Verdict{Limiter: "media-limit", Confidence: "likely", Sentence: "It waits for sda of nas."}
	page := page(t, r)
	for _, c := range report.Causes(r) {
		reporttest.Has(t, page, c.Verdict.Sentence)
	}
	reporttest.Has(t, page, "It waits for sda of nas.", "transport nvme-tcp")
	reporttest.HasNot(t, page, "transport smb")
}

// A grid over the block size gives three charts, in the order of the sizes; each line is a value of the other
// parameters.
func TestStorageCharts(t *testing.T) {
	r := reporttest.StorageFixture()
	var grid []*record.Experiment
	for _, load := range []string{"RND1M-Q32T1", "RND512B-Q32T1", "RND4K-Q32T1", "RND4K-Q1T1"} {
		e := reporttest.StorageFixture().Experiments[0]
		e.Name, e.ID = "grid", load
		e.Settings = map[string]string{"load": load, "read": "100%"}
		grid = append(grid, e)
	}
	r.Experiments = append(r.Experiments, grid...)
	page := page(t, r)
	reporttest.Has(t, page, "requests a second for each percent of CPU",
		"3 values of block, 2 lines. Throughput of all workers together.", "RND Q32T1", "RND Q1T1",
		"IOPS, logarithmic, more is better")
	if i, j := strings.Index(page, ">512 B</text>"), strings.Index(page, ">1 MiB</text>"); i < 0 || j < i {
		t.Errorf("blocks are not in their order: %d, %d", i, j)
	}
	if n := len(chart.BlockCharts("", grid[2:], []string{"load"}, "")); n != 0 {
		t.Errorf("%d charts of one block", n)
	}
}
