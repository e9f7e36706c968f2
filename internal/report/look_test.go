package report

import (
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/report/chart"
	"linerate/internal/report/reporttest"
	"linerate/internal/report/result"
	"linerate/internal/report/terminal"
)

// The text has the strongest findings without what charts and tables have, and none where the data support none.
func TestKeyText(t *testing.T) {
	got := printed(t, reporttest.HighlightRun(8), terminal.Terminal{Width: 80})
	reporttest.Has(t, got, "highlights\n", "  - The fabric as written achieved 1.6")
	_, after, _ := strings.Cut(got, "highlights\n")
	block, _, _ := strings.Cut(after, "\n\n")
	if n := strings.Count("\n"+block, "\n  - "); n == 0 || n > keysInText {
		t.Errorf("%d findings:\n%s", n, block)
	}
	if flat := strings.Join(strings.Fields(block),
		" "); strings.Contains(flat, ", measured alternately") || strings.Contains(flat, "IOPS against") ||
		!strings.Contains(flat, "(95 % interval") {
		t.Errorf("%s", flat)
	}
	if got := printed(t, reporttest.HighlightRun(2), terminal.Terminal{Width: 80}); strings.Contains(got, "highlights") {
		t.Errorf("two repeats carry none:\n%s", got)
	}
}

// A command is copied without the remark after it.
func TestNextRemark(t *testing.T) {
	c := caused(&record.Verdict{NextExperiment: "linerate run x.yaml --experiments y   (again, on a quiet " +
		"machine)"})
	if got := c.Next(); len(got) != 1 ||
		got[0] != (Step{"Next test, again, on a quiet machine", "linerate run x.yaml --experiments y", true}) {
		t.Errorf("%+v", got)
	}
}

// Long names of lines have enough room.
func TestAbreast(t *testing.T) {
	p := chart.SweepPanel{Systems: []chart.System{{Name: "the fabric as written"}, {Name: "variant ten"}}}
	if p.Abreast() != 2 || (chart.SweepPanel{Systems: []chart.System{{Name: "1 stream"}}}).Abreast() != 3 {
		t.Error("names of lines")
	}
}

// A figure of 0 has no place on a logarithmic y axis: the line breaks there, and does not drop to the bottom.
func TestZeroBreaksTheLine(t *testing.T) {
	s := &chart.Sweep{Key: "size", Xs: []string{"1B", "2B", "4B"}, Decades: true}
	y := chart.System{Name: "a", Combinations: map[string]result.Combination{}}
	of := map[string]float64{"1B": 5, "2B": 0, "4B": 7}
	for _, x := range s.Xs {
		y.Combinations[x] = result.Combination{E: &record.Experiment{ID: x}}
	}
	chart := string(s.Figures(chart.SweepPanel{Systems: []chart.System{y}}, "t", "d",
		func(c result.Combination) (float64, float64, float64, []float64, bool) {
			v := of[c.E.ID]
			return v, v, v, nil, true
		}, func(string) float64 { return 0 }, func(float64) string { return "x" }, func(v, _ float64) string { return "" }))
	if strings.Count(chart, `class="marker`) != 3 { // two figures, and one next to the name
		t.Error(chart)
	}
}

// The numbers of hosts' names do not make a range: n1 and n2 are two.
func TestWarningsOfNumberedHosts(t *testing.T) {
	r := &record.Run{
		Warnings: []string{"n1: 2 tenths were left out", "n2: 3 tenths were left out", "n2: 5 tenths were left out"},
	}
	got := strings.Join(Warnings(r), "; ")
	if got != "n1: 2 tenths were left out; n2: 3 to 5 tenths were left out" {
		t.Error(got)
	}
}

// The warnings of the flows of a group are one for each kind.
func TestWarningsOfAGroup(t *testing.T) {
	e := &record.Experiment{Name: "all", From: "n[1-3]", To: "n[1-3]", Pattern: "all-to-all", Flows: []record.Flow{
		{From: "n1", To: "n2"}, {From: "n2", To: "n10"}}}
	e.Repeats = []record.Repeat{{Warnings: []string{"n2: nothing was received in the first 3ms (n1 -> n2)",
		"n10: nothing was received in the first 50ms (n2 -> n10)", "n1: its clock jumped"}}}
	got := strings.Join(Warnings(&record.Run{Experiments: []*record.Experiment{e}}), "; ")
	const place = "all n[1-3] -> n[1-3])"
	if got != "n2: nothing was received in the first 3 to 50ms (n1 -> n2) (2 times, of 2 hosts: "+place+
		"; n1: its clock jumped ("+place {
		t.Error(got)
	}
}

// The text about storage is about requests, not connections.
func TestPlainFewRequests(t *testing.T) {
	for sentence, want := range map[string]string{"a -> b is held back by too few requests at once": "Little is asked",
		"one connection carries 9 Gb/s": "A single connection"} {
		if got := caused(&record.Verdict{Limiter: "one-connection",
			Sentence: sentence}).Plain(); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q", sentence, got)
		}
	}
}
