package highlight

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/method"
	"linerate/internal/record"
	"linerate/internal/report/reporttest"
	"linerate/internal/report/result"
	"linerate/internal/report/tables"
)

func TestHighlights(t *testing.T) {
	found := Findings(reporttest.HighlightRun(8))
	text := reporttest.Said(found)
	reporttest.Has(t, text, "ratio: The fabric as written achieved 1.6",
		" times the IOPS of variant competitor with 9.", "% less CPU in iscsi for 4 KiB, 50 % read: ",
		"measured alternately.",
		"always: In all 3 combinations of iscsi the fabric as written achieved more than variant competitor: 1.2",
		"work: For each percent of CPU the fabric as written achieved 1.8",
		" times the IOPS of variant competitor in iscsi for 4 KiB, 50 % read")
	if strings.Contains(text, "used less CPU") {
		t.Errorf("one used less in one combination, and more in another:\n%s", text)
	}
	for i, f := range found {
		if f.Ratio != nil && !(*f.Low <= *f.Ratio && *f.Ratio <= *f.High && *f.Low > 1) {
			t.Errorf("%d: %v in %v .. %v", i, *f.Ratio, *f.Low, *f.High)
		}
	}
	i := slices.IndexFunc(found, func(f record.Highlight) bool { return f.Kind == "ratio" })
	if i < 0 || !slices.Equal(found[i].Experiments, []string{"4KiB50%", "competitor4KiB50%"}) ||
		found[i].Metric != "iops" {
		t.Errorf("%+v", found)
	}
}

// Nothing is claimed that the repeats do not support, and the reason is given below.
func TestHighlightsForbidden(t *testing.T) {
	equal := reporttest.HighlightRun(8)
	for _, e := range equal.Experiments {
		for i := range e.Repeats {
			v := 100e3 * (1 + 0.05*reporttest.Wobble(i, len(e.ID)))
			e.Repeats[i].Block = &record.Block{Read: &record.BlockCount{IOPS: v},
				PerPercentAsking: &record.WorkPerPercent{Percent: 10, IOPS: v / 10}}
		}
	}
	slight := reporttest.HighlightRun(8) // 2 % more, in every pair: different, and not a highlight
	for _, e := range slight.Experiments {
		for i := range e.Repeats {
			v := 100e3
			if e.Variant == "" {
				v = 102e3
			}
			e.Repeats[i].Block = &record.Block{Read: &record.BlockCount{IOPS: v * (1 + 0.0001*float64(i))}}
		}
	}
	emulated := reporttest.HighlightRun(8)
	for _, e := range emulated.Experiments {
		e.Emulated = true
	}
	instead := reporttest.HighlightRun(8)
	for _, e := range instead.Experiments {
		e.Block = &record.Block{
			Workers: []record.BlockWorker{{Export: &record.BlockExport{Protocol: "nvme-tcp", Instead: "iscsi"}}},
		}
	}
	for _, c := range []struct {
		name  string
		run   *record.Run
		note  string
		kinds string // that are left
	}{
		{"three repeats", reporttest.HighlightRun(3),
			"Of 3 comparisons nothing is claimed: 3 repeats a side carry no 95 % interval.", ""},
		{"one repeat", reporttest.HighlightRun(1),
			"Of 3 comparisons nothing is claimed: 1 repeat a side carries no 95 % interval.", ""},
		{"no difference", equal, "Of 3 comparisons no difference is shown.", ""},
		{"a slight difference", slight, "", "always"},
		{"emulated", emulated, "Left out: 6 experiments of emulated machines", ""},
		{"another protocol", instead, "Left out: 6 experiments of emulated machines, or of a protocol for which another " +
			"is in.", ""},
	} {
		s := newSource(c.run, result.Rows(c.run))
		found := findings(s)
		var kinds []string
		for _, f := range found {
			if !slices.Contains(kinds, f.Kind) {
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

// CPU time is named only where its own interval allows it.
func TestKeyCPU(t *testing.T) {
	r := reporttest.HighlightRun(8)
	for _, e := range r.Experiments {
		for i := range e.Repeats {
			e.Repeats[i].Block.PerPercentAsking = &record.WorkPerPercent{Percent: 10 * (1 + 0.1*reporttest.Wobble(i, len(e.ID))),
				IOPS: 1}
		}
	}
	if text := reporttest.Said(
		Findings(r),
	); !strings.Contains(text, "and no difference in CPU is shown in iscsi for 4 KiB") {
		t.Error(text)
	}
	for _, e := range r.Experiments {
		for i := range e.Repeats {
			e.Repeats[i].Block.PerPercentAsking = nil
		}
	}
	if text := reporttest.Said(Findings(r)); strings.Contains(text, "processor") ||
		!strings.Contains(text, "times the IOPS of variant competitor in iscsi") {
		t.Error(text)
	}
}

func TestKeyLineRate(t *testing.T) {
	with := func(rows []result.Row, repeats int) []Finding {
		for _, w := range rows {
			for _, c := range w.Combinations {
				c.Goodput.Repeats = repeats
			}
		}
		return findings(&source{run: &record.Run{}, rows: rows})
	}
	found := with(reporttest.SweepOf(10e9, 0.3, 0.96, 0.98, 0.97, 0.99), 3)
	want := "a → b runs at its line rate from 2 KiB on with 1 stream; the largest size measured is 8 KiB (the low end " +
		"of each range of 3 is within 3 % of the ceiling)."
	if len(found) != 1 || found[0].Text != want {
		t.Errorf("%+v\nwant %s", found, want)
	}
	for name, c := range map[string][]Finding{
		"two repeats":         with(reporttest.SweepOf(10e9, 0.98, 0.98, 0.98), 2),
		"the last one is low": with(reporttest.SweepOf(10e9, 0.98, 0.98, 0.96), 3),
		"no ceiling":          with(reporttest.SweepOf(0, 0.98, 0.98, 0.98), 3),
		"the last one not run": with(append(reporttest.SweepOf(10e9, 0.98, 0.98, 0.98),
			reporttest.SweepOf(10e9, -1, -1, -1, 0.5)...), 3),
	} {
		if len(c) != 0 {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func TestKeyTogether(t *testing.T) {
	for want, names := range map[string][]string{"1, 4 and 8 streams": {"1 stream", "4 streams", "8 streams"},
		"1 stream": {"1 stream"}, "MTU 1500 and 8 streams": {"MTU 1500", "8 streams"}} {
		if got := together(names); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestKeyPaths(t *testing.T) {
	found := Findings(reporttest.MeshRun())
	text := reporttest.Said(found)
	if !strings.Contains(text, "paths: ") || !strings.Contains(text, " directions of ") ||
		!strings.Contains(text, "the low end of the range is within 3 % of it") {
		t.Error(text)
	}
	r := reporttest.MeshRun()
	for _, e := range r.Experiments {
		if e.Goodput != nil {
			e.Goodput.Low *= 0.9
		}
	}
	if text := reporttest.Said(Findings(r)); strings.Contains(text, "All ") || !strings.Contains(text, "paths: 0 of") {
		t.Errorf("the low end of no interval is at the ceiling:\n%s", text)
	}
}

func TestKeyUnderLoad(t *testing.T) {
	loaded := func(low float64, repeats int) *record.Run {
		e := reporttest.RTTSamples(1, "bloat", "a", "b", "l", 2e-3)
		e.Load = &record.Load{Streams: 4, Direction: "out", Idle: &record.Latency{P50: 20e-6, Count: 9},
			Added: &record.Added{
				P50: &record.Estimate{Median: 1.98e-3, Low: low, High: 2.1e-3, Interval: "95%", Repeats: repeats},
			}}
		return &record.Run{Experiments: []*record.Experiment{e}}
	}
	if text := reporttest.Said(Findings(loaded(1.9e-3, 6))); !strings.Contains(text,
		"With 4 streams next to it the round trip a → b takes 2.00 ms at the median, 20.0 us without: they add 1.98 ms "+
			"(95% interval of 6: 1.90 ms .. 2.10 ms).") {
		t.Error(text)
	}
	for _, r := range []*record.Run{loaded(-1e-6, 6), loaded(0.5e-6, 6), loaded(1.9e-3, 2)} {
		if found := Findings(r); len(found) != 0 {
			t.Errorf("%+v", found)
		}
	}
}

// A latency is better when it is less: the winner is the lower one.
func TestKeyLatency(t *testing.T) {
	r := &record.Run{}
	for i, v := range []string{"connectx", "infinihost"} {
		e := &record.Experiment{ID: v, Name: "write", Method: method.RDMA, From: "n1", To: "n2",
			Direction: "out", Settings: map[string]string{"via": v, "metric": "latency"}, Latency: &record.Latency{P50: 1}}
		for k := range 6 {
			e.Repeats = append(e.Repeats, record.Repeat{P50: []float64{1.86e-6, 11.2e-6}[i] * (1 + 0.01*float64(k))})
		}
		r.Experiments = append(r.Experiments, e)
	}
	found := Findings(r)
	if len(found) != 1 || !strings.HasPrefix(found[0].Text,
		"The median latency of connectx is 83 % less than that of infinihost in write: 1.9") ||
		*found[0].Ratio > 0.2 || *found[0].High > 0.2 || found[0].Experiments[0] != "connectx" {
		t.Errorf("%+v", found)
	}
}

// Many combinations that did not reach a steady state are one sentence.
func TestUnsteadySaid(t *testing.T) {
	all := reporttest.HighlightRun(2).Experiments
	for i, e := range all {
		e.Block.Steady = &record.Steady{Range: 0.3 + 0.1*float64(i), Slope: -0.2}
	}
	want := "not steady in 6 of 6 combinations; over the last part of the interval the range is up to 80 % and the " +
		"slope up to 20 % of the mean (at most 20 and 10 %)"
	if got := tables.BlockSaid(all); !slices.Contains(got, want) ||
		strings.Count(strings.Join(got, " "), "not steady") != 1 {
		t.Errorf("%q", got)
	}
	if got := strings.Join(tables.BlockSaid(all[:2]), " "); strings.Count(got, "not steady (") != 2 {
		t.Errorf("%q", got)
	}
}
