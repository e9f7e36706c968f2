package page

import (
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/highlight"
	"linerate/internal/report/reporttest"
)

// The systems of one experiment are in one chart for each figure, with the table of the same numbers below.
func TestSystemsSideBySide(t *testing.T) {
	r := reporttest.HighlightRun(8)
	for _, e := range r.Experiments {
		e.Ceiling = &record.Chain{Limit: 40e9}
	}
	v := view(highlight.Find(r))
	if len(v.Systems) != 1 || len(v.Systems[0].Panels) != 1 {
		t.Fatalf("%+v", v.Systems)
	}
	p := v.Systems[0].Panels[0]
	if len(p.Charts) != 6 || len(p.Rows) != 3 || len(p.Headers) != 1+6*2+1 {
		t.Fatalf("%d charts, %d rows, headers %q", len(p.Charts), len(p.Rows), p.Headers)
	}
	reporttest.Has(t, string(p.Charts[0]), "the fabric as written", "variant competitor", "ceiling 5.00 GB/s",
		"3 values of block, 2 lines", "more is better")
	if n := strings.Count(string(p.Charts[0]), `class="repeat"`); n != 3*2*8 {
		t.Errorf("%d points, want one a repeat", n)
	}
	if !strings.HasPrefix(p.Rows[0][0], "4 KiB") || !strings.HasPrefix(p.Rows[0][3], "0.6") {
		t.Errorf("%q", p.Rows[0])
	}
	if got := view(highlight.Find(&record.Run{Experiments: r.Experiments[:4]})).Systems; len(got) != 0 {
		t.Errorf("two sizes make a line: %+v", got)
	}
}

// An interrupted run has repeats without an estimate: they are drawn, and the median is not known.
func TestRepeatsWithoutASum(t *testing.T) {
	r := reporttest.MeshRun()
	drawn := 0
	for _, e := range r.Experiments {
		if e.Goodput != nil && len(e.Repeats) > 0 {
			e.Goodput = nil
			drawn++
		}
	}
	if drawn == 0 {
		t.Fatal("the fixture has no repeats")
	}
	b := page(t, r)
	if !strings.Contains(b, "median "+format.NotKnown) {
		t.Error("the page does not say that the median is not known")
	}
}
