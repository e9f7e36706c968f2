package page

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/report/highlight"
	"linerate/internal/report/reporttest"
)

// The first screen has the goals by their state, the answer, the fix, all paths against their ceilings, and the
// drawing, in this order. A state without a goal has its count, too.
func TestFirstScreen(t *testing.T) {
	r := reporttest.Fixture(t, "mesh")
	yes, no := true, false
	r.Goals = []record.Goal{
		{Name: "full", Want: "goodput >= 95% of ceiling", Have: "9.41 Gb/s", Met: &yes},
		{Name: "cheap", Want: "cost <= 120 USD", Have: "130 USD", Met: &no},
		{Name: "drive", Want: "goodput >= 1GB/s", NotHere: true, Why: "a lab has no drive"},
	}
	text := page(t, r)
	at := -1
	for _, want := range []string{`<div class="strip">`, `class="state met"`, "1 goal met",
		"<b>full</b>: goodput &gt;= 95% of ceiling (9.41\u00a0Gb/s)", `class="state missed"`, "1 goal missed",
		"<b>cheap</b>: cost &lt;= 120 USD (130 USD)", `class="state not-tested"`, "1 goal not tested",
		"<b>drive</b>: not in a lab", `<p class="answer">`, `<div class="fix">`, "Fix, on desktop", "sysctl -w",
		`<figure class="way overview">`, "nas → desktop", "51 % with 1 stream (99.9 % with 8 streams)",
		"desktop: receive window (likely)", `<svg class="fabric`} {
		i := strings.Index(text[at+1:], want)
		if i < 0 {
			t.Fatalf("%q does not follow what goes before it", want)
		}
		at += 1 + i
	}
	r.Goals = r.Goals[:1]
	reporttest.Has(t, page(t, r), "1 goal met", `class="state missed zero"`, "0 goals missed", "0 goals not tested")
	r.Goals = nil
	reporttest.HasNot(t, page(t, r), `class="strip"`, `id="goals"`)
	for range 9 {
		r.Goals = append(r.Goals, record.Goal{Name: "many", Want: "x", Met: &yes})
	}
	reporttest.Has(t, page(t, r), "9 goals met", `<a href="#goals">4 more</a>`, `<details id="goals">`)
}

// A reason that goals have in common is given once in their table.
func TestGoalReasons(t *testing.T) {
	yes := true
	r := &record.Run{Goals: []record.Goal{
		{Name: "a", Why: "x"},
		{Name: "b", Why: "x"},
		{Name: "c", Met: &yes},
		{Name: "d", Met: &yes},
		{Name: "e", Why: "x"},
	}}
	var spans []int
	for _, g := range view(highlight.Find(r)).Goals {
		spans = append(spans, g.Span)
	}
	if !slices.Equal(spans, []int{2, 0, 1, 1, 1}) {
		t.Error(spans)
	}
}
