package published

import (
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// Where a document does not say its MTU, the shares of the links' rates stand beside each other; what is not known is not promised.
func TestSharesOfLinks(t *testing.T) {
	r := &record.Run{Lab: &record.Lab{Scale: 0.25}}
	r.Plan.Links = append(r.Plan.Links, record.PictureLink{Name: "a-b", Rate: unit.BitRate(10e9)})
	e := &record.Experiment{Method: "stream", Links: []string{"a-b"}, Ceiling: &record.Chain{}}
	of := func(row *Row) record.Comparison {
		c := record.Comparison{Published: &record.Published{}, Base: record.ComparisonSide{Median: 5e9}, Why: notSpeed(r, e, row)}
		share(&c, r, &Baseline{}, row, e, record.Estimate{Median: 2e9})
		besides(&c)
		return c
	}
	c := of(&Row{Metric: "goodput", Rate: 10e9})
	if s := c.Published.Shares; s == nil || s.Yours != 0.8 || s.Theirs != 0.5 || !strings.HasSuffix(c.Why, "the shares of the links' rates are compared") {
		t.Errorf("%+v, %q", s, c.Why)
	}
	if c := of(&Row{Metric: "goodput"}); c.Published.Shares != nil || strings.Contains(c.Why, "shares") {
		t.Errorf("no rate is known: %+v", c)
	}
	if differs, _ := conditions(r, &Row{Metric: "goodput", Rate: 10e9, Is: map[string]string{}}, e); !strings.Contains(strings.Join(differs, ";"), "lab: every rate at 25.0 % of the planned one") {
		t.Errorf("%q", differs)
	}
}

// Streams of one repeat share its link: two repeats of four streams are two values, and no interval.
func TestStreamsAreNoRepeats(t *testing.T) {
	e := &record.Experiment{}
	for range 2 {
		e.Repeats = append(e.Repeats, record.Repeat{Goodput: 1})
	}
	got, ok := each(e, func(record.Repeat) []float64 { return []float64{1, 2, 3, 0} })
	if !ok || got.Repeats != 2 || got.Median != 2 || strings.Contains(got.Interval, "95") {
		t.Errorf("%+v, %v", got, ok)
	}
}
