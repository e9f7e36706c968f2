package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// keyBlock is one cell of storage: repeats of iops at percent of the asking host's processor, measured in turns.
func keyBlock(variant, size, read string, iops, percent float64, repeats int) *record.Experiment {
	e := &record.Experiment{ID: variant + size + read, Name: "iscsi", Method: "block", From: "initiator", To: "lun", Direction: "out", Variant: variant,
		Settings: map[string]string{"size": size, "read": read, "pattern": "random"}}
	bytes, _ := unit.ParseBytes(size)
	for i := range repeats {
		v := iops * (1 + 0.01*wobble(i, len(variant)))
		e.Repeats = append(e.Repeats, record.Repeat{Index: i, Start: began.Add(time.Duration(2*i+min(1, len(variant))) * time.Second), P50: 1e-3,
			Block: &record.Block{Read: &record.BlockCount{IOPS: v, BytesPerSecond: v * float64(bytes)}, PerPercentAsking: &record.WorkPerPercent{Percent: percent * (1 + 0.01*wobble(i, 2+len(variant))), IOPS: v / percent}}})
	}
	e.Block = e.Repeats[0].Block
	e.IOPS = &record.Estimate{Median: iops, Low: iops * .99, High: iops * 1.01, Interval: "95%", Repeats: repeats}
	e.Bytes = &record.Estimate{Median: iops * float64(bytes), Low: iops * .99 * float64(bytes), High: iops * 1.01 * float64(bytes), Interval: "95%", Repeats: repeats}
	e.Latency = &record.Latency{P50: 1e-3, P99: 2e-3, Max: 1, Count: 1e4}
	return e
}

// keyRun is document 003's comparison: an initiator in hardware, and one in software as variant competitor.
func keyRun(repeats int) *record.Run {
	r := &record.Run{Fabric: "eval", ID: "keys", Complete: true, Variants: []string{"competitor"}}
	for _, c := range []struct {
		size, read       string
		a, cpuA, b, cpuB float64
	}{
		{"4KiB", "50%", 166e3, 9.1, 100e3, 10},
		{"8KiB", "50%", 133e3, 10, 100e3, 10},
		{"16KiB", "50%", 120e3, 12, 100e3, 10},
	} {
		r.Experiments = append(r.Experiments, keyBlock("", c.size, c.read, c.a, c.cpuA, repeats), keyBlock("competitor", c.size, c.read, c.b, c.cpuB, repeats))
	}
	return r
}

func said(found []record.KeyFinding) string {
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "%s: %s\n", f.Kind, f.Text)
	}
	return b.String()
}

func TestKeyFindings(t *testing.T) {
	found := KeyFindings(keyRun(8))
	text := said(found)
	for _, want := range []string{
		"ratio: The fabric as written achieved 1.6",
		" times the IOPS of variant competitor with 9.",
		"% less processor in iscsi for 4 KiB, 50 % read: ",
		"measured in turns.",
		"always: In all 3 cells of iscsi the fabric as written achieved more than variant competitor: 1.2",
		"work: For each percent of processor the fabric as written achieved 1.8",
		" times the IOPS of variant competitor in iscsi for 4 KiB, 50 % read",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "used less processor") {
		t.Errorf("one used less in one cell, and more in another:\n%s", text)
	}
	for i, f := range found {
		if f.Ratio != nil && !(*f.Low <= *f.Ratio && *f.Ratio <= *f.High && *f.Low > 1) {
			t.Errorf("%d: %v in %v .. %v", i, *f.Ratio, *f.Low, *f.High)
		}
	}
	i := slices.IndexFunc(found, func(f record.KeyFinding) bool { return f.Kind == "ratio" })
	if i < 0 || !slices.Equal(found[i].Experiments, []string{"4KiB50%", "competitor4KiB50%"}) || found[i].Metric != "iops" {
		t.Errorf("%+v", found)
	}
}

// Nothing is said that the repeats do not carry, and why not stands below.
func TestKeyFindingsForbidden(t *testing.T) {
	equal := keyRun(8)
	for _, e := range equal.Experiments {
		for i := range e.Repeats {
			v := 100e3 * (1 + 0.05*wobble(i, len(e.ID)))
			e.Repeats[i].Block = &record.Block{Read: &record.BlockCount{IOPS: v}, PerPercentAsking: &record.WorkPerPercent{Percent: 10, IOPS: v / 10}}
		}
	}
	slight := keyRun(8) // 2 % more, in every pair: different, and no key finding
	for _, e := range slight.Experiments {
		for i := range e.Repeats {
			v := 100e3
			if e.Variant == "" {
				v = 102e3
			}
			e.Repeats[i].Block = &record.Block{Read: &record.BlockCount{IOPS: v * (1 + 0.0001*float64(i))}}
		}
	}
	emulated := keyRun(8)
	for _, e := range emulated.Experiments {
		e.Emulated = true
	}
	instead := keyRun(8)
	for _, e := range instead.Experiments {
		e.Block = &record.Block{Workers: []record.BlockWorker{{Export: &record.BlockExport{Protocol: "nvme-tcp", Instead: "iscsi"}}}}
	}
	for _, c := range []struct {
		name  string
		run   *record.Run
		note  string
		kinds string // that are left
	}{
		{"three repeats", keyRun(3), "Of 3 comparisons nothing is claimed: 3 repeats a side carry no 95 % interval.", ""},
		{"one repeat", keyRun(1), "Of 3 comparisons nothing is claimed: 1 repeat a side carries no 95 % interval.", ""},
		{"no difference", equal, "Of 3 comparisons no difference is shown.", ""},
		{"a slight difference", slight, "", "always"},
		{"emulated", emulated, "Left out: 6 experiments of emulated machines", ""},
		{"another protocol", instead, "Left out: 6 experiments of emulated machines, or of a protocol for which another stands in.", ""},
	} {
		s := newKeySource(c.run, rows(c.run))
		found := keyFindings(s)
		var kinds []string
		for _, f := range found {
			if !contains(kinds, f.Kind) {
				kinds = append(kinds, f.Kind)
			}
		}
		if got := strings.Join(kinds, " "); got != c.kinds {
			t.Errorf("%s: kinds %q, want %q: %+v", c.name, got, c.kinds, found)
		}
		if text := strings.Join(s.notes(found), " "); !strings.Contains(text, c.note) {
			t.Errorf("%s: %q is not said: %s", c.name, c.note, text)
		}
	}
}

// The processor is named only where its own interval allows it.
func TestKeyProcessor(t *testing.T) {
	r := keyRun(8)
	for _, e := range r.Experiments {
		for i := range e.Repeats {
			e.Repeats[i].Block.PerPercentAsking = &record.WorkPerPercent{Percent: 10 * (1 + 0.1*wobble(i, len(e.ID))), IOPS: 1}
		}
	}
	if text := said(KeyFindings(r)); !strings.Contains(text, "and no difference in processor is shown in iscsi for 4 KiB") {
		t.Error(text)
	}
	for _, e := range r.Experiments {
		for i := range e.Repeats {
			e.Repeats[i].Block.PerPercentAsking = nil
		}
	}
	if text := said(KeyFindings(r)); strings.Contains(text, "processor") || !strings.Contains(text, "times the IOPS of variant competitor in iscsi") {
		t.Error(text)
	}
}

func TestKeyLineRate(t *testing.T) {
	with := func(rows []row, repeats int) []keyFinding {
		for _, w := range rows {
			for _, c := range w.Cells {
				c.Goodput.Repeats = repeats
			}
		}
		return keyFindings(&keySource{run: &record.Run{}, rows: rows})
	}
	found := with(sweepOf(10e9, 0.3, 0.96, 0.98, 0.97, 0.99), 3)
	want := "a → b runs at its line rate from 2 KiB on with 1 stream; the largest size measured is 8 KiB (the low end of each range of 3 is within 3 % of the ceiling)."
	if len(found) != 1 || found[0].Text != want {
		t.Errorf("%+v\nwant %s", found, want)
	}
	for name, c := range map[string][]keyFinding{
		"two repeats":          with(sweepOf(10e9, 0.98, 0.98, 0.98), 2),
		"the last one is low":  with(sweepOf(10e9, 0.98, 0.98, 0.96), 3),
		"no ceiling":           with(sweepOf(0, 0.98, 0.98, 0.98), 3),
		"the last one not run": with(append(sweepOf(10e9, 0.98, 0.98, 0.98), sweepOf(10e9, -1, -1, -1, 0.5)...), 3),
	} {
		if len(c) != 0 {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func TestKeyTogether(t *testing.T) {
	for want, names := range map[string][]string{"1, 4 and 8 streams": {"1 stream", "4 streams", "8 streams"}, "1 stream": {"1 stream"}, "MTU 1500 and 8 streams": {"MTU 1500", "8 streams"}} {
		if got := together(names); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestKeyPaths(t *testing.T) {
	found := KeyFindings(meshRun())
	text := said(found)
	if !strings.Contains(text, "paths: ") || !strings.Contains(text, " directions of ") || !strings.Contains(text, "the low end of the range is within 3 % of it") {
		t.Error(text)
	}
	r := meshRun()
	for _, e := range r.Experiments {
		if e.Goodput != nil {
			e.Goodput.Low *= 0.9
		}
	}
	if text := said(KeyFindings(r)); strings.Contains(text, "All ") || !strings.Contains(text, "paths: 0 of") {
		t.Errorf("the low end of no interval is at the ceiling:\n%s", text)
	}
}

func TestKeyUnderLoad(t *testing.T) {
	loaded := func(low float64, repeats int) *record.Run {
		e := trips(1, "bloat", "a", "b", "l", 2e-3)
		e.Load = &record.Load{Streams: 4, Direction: "out", Idle: &record.Latency{P50: 20e-6, Count: 9}, Added: &record.Added{P50: &record.Estimate{Median: 1.98e-3, Low: low, High: 2.1e-3, Interval: "95%", Repeats: repeats}}}
		return &record.Run{Experiments: []*record.Experiment{e}}
	}
	if text := said(KeyFindings(loaded(1.9e-3, 6))); !strings.Contains(text, "With 4 streams beside it the round trip a → b takes 2.00 ms at the median, 20.0 us without: they add 1.98 ms (95% interval of 6: 1.90 ms .. 2.10 ms).") {
		t.Error(text)
	}
	for _, r := range []*record.Run{loaded(-1e-6, 6), loaded(0.5e-6, 6), loaded(1.9e-3, 2)} {
		if found := KeyFindings(r); len(found) != 0 {
			t.Errorf("%+v", found)
		}
	}
}

// A latency is better when it is less: the winner is the lower one.
func TestKeyLatency(t *testing.T) {
	r := &record.Run{}
	for i, v := range []string{"connectx", "infinihost"} {
		e := &record.Experiment{ID: v, Name: "write", Method: record.MethodVerbs, From: "n1", To: "n2", Direction: "out", Settings: map[string]string{"via": v, "metric": "latency"}, Latency: &record.Latency{P50: 1}}
		for k := range 6 {
			e.Repeats = append(e.Repeats, record.Repeat{P50: []float64{1.86e-6, 11.2e-6}[i] * (1 + 0.01*float64(k))})
		}
		r.Experiments = append(r.Experiments, e)
	}
	found := KeyFindings(r)
	if len(found) != 1 || !strings.HasPrefix(found[0].Text, "The median latency of connectx is 83 % less than that of infinihost in write: 1.9") || *found[0].Ratio > 0.2 || *found[0].High > 0.2 || found[0].Experiments[0] != "connectx" {
		t.Errorf("%+v", found)
	}
}

// Each finding of the page leads to an element that is there.
func TestKeyFindingsLead(t *testing.T) {
	for name, r := range map[string]*record.Run{"keys": keyRun(8), "mesh": meshRun(), "sweep": sweepRun(), "hostile": hostileRun()} {
		text := page(t, r)
		v := view(Find(r))
		if len(v.Keys.Findings) == 0 {
			t.Errorf("%s has none", name)
		}
		for _, f := range v.Keys.Findings {
			if f.Chart == "" || !strings.Contains(text, `id="`+f.Chart+`"`) || !strings.Contains(text, `<a href="#`+f.Chart+`">chart</a>`) {
				t.Errorf("%s: %q leads to %q", name, f.Text, f.Chart)
			}
		}
	}
	if found := KeyFindings(hostileRun()); strings.ContainsAny(said(found), "\x1b\u202e") {
		t.Errorf("%q", said(found))
	}
}

// The systems of one experiment stand in one chart a figure, with the table of the same numbers below.
func TestSystemsSideBySide(t *testing.T) {
	r := keyRun(8)
	for _, e := range r.Experiments {
		e.Ceiling = &record.Chain{Limit: 40e9}
	}
	v := view(Find(r))
	if len(v.Systems) != 1 || len(v.Systems[0].Panels) != 1 {
		t.Fatalf("%+v", v.Systems)
	}
	p := v.Systems[0].Panels[0]
	if len(p.Charts) != 6 || len(p.Rows) != 3 || len(p.Heads) != 1+6*2+1 {
		t.Fatalf("%d charts, %d rows, heads %q", len(p.Charts), len(p.Rows), p.Heads)
	}
	for _, want := range []string{"the fabric as written", "variant competitor", "ceiling 5.00 GB/s", "3 values of block, 2 lines", "more is better"} {
		if !strings.Contains(string(p.Charts[0]), want) {
			t.Errorf("no %q in %s", want, p.Charts[0])
		}
	}
	if n := strings.Count(string(p.Charts[0]), `class="repeat"`); n != 3*2*8 {
		t.Errorf("%d points, want one a repeat", n)
	}
	if !strings.HasPrefix(p.Rows[0][0], "4 KiB") || !strings.HasPrefix(p.Rows[0][3], "0.6") {
		t.Errorf("%q", p.Rows[0])
	}
	if got := view(Find(&record.Run{Experiments: r.Experiments[:4]})).Systems; len(got) != 0 {
		t.Errorf("two sizes are no line: %+v", got)
	}
}

func TestUnbroken(t *testing.T) {
	for in, want := range map[string]string{"at 5.31 k IOPS (likely)": "at 5.31_k_IOPS (likely)", "37.7 Gb/s, 99 % of 2 streams": "37.7_Gb/s, 99_% of 2_streams", "3 Grapes of 4 KiB": "3 Grapes of 4_KiB"} {
		if got := strings.ReplaceAll(unbroken(in), "\u00a0", "_"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A reason that goals have in common is told once, and how they stand in the first lines.
func TestGoalsTold(t *testing.T) {
	yes := true
	r := &record.Run{Goals: []record.Goal{{Name: "a", Why: "x"}, {Name: "b", Why: "x"}, {Name: "c", Met: &yes}, {Name: "d", Met: &yes}, {Name: "e", Why: "x"}}}
	v := view(Find(r))
	var spans []int
	for _, g := range v.Goals {
		spans = append(spans, g.Span)
	}
	if !slices.Equal(spans, []int{2, 0, 1, 1, 1}) || v.GoalSentence != "Of 5 goals 2 are met and 3 are not known." {
		t.Errorf("%v, %s", spans, v.GoalSentence)
	}
	for want, goals := range map[string][]record.Goal{"Both goals are met.": r.Goals[2:4], "Whether any of the 2 goals is met is not known.": r.Goals[:2], "The goal is met.": r.Goals[2:3], "": nil} {
		if got := goalSentence(goals); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Many cells of one table of storage have their percentiles in a table, and no curve each; more lines than colours are divided.
func TestStorageMany(t *testing.T) {
	v := view(Find(keyRun(2)))
	for _, b := range v.Blocks {
		if len(b.Latency) != 6 {
			t.Errorf("%d curves, want those of two tables of three", len(b.Latency))
		}
	}
	r := &record.Run{}
	for _, read := range []string{"100%", "50%", "0%"} {
		for _, depth := range []string{"1", "8", "32"} {
			for _, size := range []string{"4KiB", "64KiB", "1MiB"} {
				e := keyBlock("", size, read, 1e4, 10, 2)
				e.ID, e.Settings["depth"] = e.ID+depth, depth
				r.Experiments = append(r.Experiments, e)
			}
		}
	}
	v = view(Find(r))
	if len(v.Blocks) != 0 || len(v.Storage) != 1 || len(v.Storage[0].Tails) != 27 || len(v.Storage[0].Tails[0]) != len(v.Storage[0].TailHeads) {
		t.Fatalf("%d blocks, %+v", len(v.Blocks), v.Storage)
	}
	if !strings.Contains(string(v.Storage[0].Charts[0]), "ceiling not known") || strings.Contains(string(v.Storage[0].Charts[1]), "ceiling") {
		t.Error("a throughput has a ceiling, or says that it is not known; a number of requests has none")
	}
	if n := len(v.Storage[0].Charts); n != 3*6 {
		t.Errorf("%d charts, want six of each share of reads", n)
	}
	for i, want := range []string{"reads", "", "", "", "", "", "50 % read"} {
		if !strings.Contains(string(v.Storage[0].Charts[i]), want) || strings.Contains(string(v.Storage[0].Charts[i]), "lines; the table") {
			t.Errorf("chart %d lacks %q: %s", i, want, v.Storage[0].Charts[i])
		}
	}
}

// Many cells that did not come to a steady state are one sentence.
func TestUnsteadySaid(t *testing.T) {
	all := keyRun(2).Experiments
	for i, e := range all {
		e.Block.Steady = &record.Steady{Range: 0.3 + 0.1*float64(i), Slope: -0.2}
	}
	want := "not steady in 6 of 6 cells: over the last part of the window the range is up to 80.0 % and the slope up to 20.0 % of the mean (at most 20 and 10 %)"
	if got := blockSaid(all); !slices.Contains(got, want) || strings.Count(strings.Join(got, " "), "not steady") != 1 {
		t.Errorf("%q", got)
	}
	if got := strings.Join(blockSaid(all[:2]), " "); strings.Count(got, "not steady (") != 2 {
		t.Errorf("%q", got)
	}
}
