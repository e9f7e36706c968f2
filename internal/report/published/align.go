package published

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
)

// Aligned is a baseline next to a run: what the run measured for the same figures, and the figures of the document
// without a counterpart.
type Aligned struct {
	Comparisons []record.Comparison // base is the document, other the run
	Refused     []record.Refused
	Rows        int // figures of the document that can be compared
}

// Align compares a run with a baseline. Each figure of the document is compared with the experiment of the run that
// measures the same thing under the most similar conditions. A figure without one is refused, with the reason.
func Align(r *record.Run, b *Baseline) Aligned {
	var out Aligned
	for _, row := range b.Rows {
		if row.Not != "" {
			continue
		}
		out.Rows++
		c, why := align(r, b, &row)
		if why != "" {
			out.Refused = append(out.Refused, record.Refused{What: row.What, ID: row.ID, Why: why})
			continue
		}
		out.Comparisons = append(out.Comparisons, c)
	}
	return out
}

func align(r *record.Run, b *Baseline, row *Row) (record.Comparison, string) {
	c := record.Comparison{Experiment: row.What, Metric: row.Metric,
		Base: record.ComparisonSide{Label: b.Name, ID: row.ID, Repeats: 0},
		Published: &record.Published{Baseline: b.Name, Row: row.ID, Section: row.Section, Text: row.Text,
			Value: row.Value.Written, Low: row.Value.Low, High: row.Value.High, Bound: row.Value.Bound, With: row.With}}
	if row.Metric == "cost" {
		return alignCost(r, row, c)
	}
	like := alike(r, row.Is)
	if len(like) == 0 {
		return c, nothingLike(r, row)
	}
	measured := slices.DeleteFunc(slices.Clone(like),
		func(e *record.Experiment) bool { _, ok := figureOf(e, row.Metric); return !ok })
	if len(measured) == 0 {
		return c, like[0].Name + " is the same thing and has no figure of it: " + whyNot(like[0])
	}
	order(r, row, measured)
	e := measured[0]
	c.Other = record.ComparisonSide{Label: "run " + r.ID, ID: e.ID, Repeats: len(e.Repeats)}
	c.Combination = e.Path()
	mine, _ := figureOf(e, row.Metric)
	if row.averaged() {
		sum := 0.0
		for _, x := range measured {
			v, _ := figureOf(x, row.Metric)
			sum += v.Median
		}
		mean := sum / float64(len(measured))
		mine = record.Estimate{Median: mean, Low: mean, High: mean}
		c.Published.Mean = len(measured)
	}
	c.Published.Differs, c.Published.Same = conditions(r, row, e)
	if row.Over != nil {
		return alignRatio(r, row, c, e, mine)
	}
	c.Other.Median, c.Base.Median = mine.Median, row.Value.nearest(mine.Median)
	if why := notSpeed(r, e, row); why != "" {
		c.Why = why
		share(&c, r, b, row, e, mine)
		besides(&c)
		return c, ""
	}
	ratio(&c, mine)
	share(&c, r, b, row, e, mine)
	return c, ""
}

// ratio sets the run's figure over the document's, with the spread of the run's repeats: the document has a single
// figure.
func ratio(c *record.Comparison, mine record.Estimate) {
	if c.Base.Median <= 0 {
		return
	}
	at := func(v float64) *float64 { v /= c.Base.Median; return &v }
	c.Ratio, c.Low, c.High, c.Interval = at(mine.Median), at(mine.Low), at(mine.High), mine.Interval
}

// alignRatio aligns a figure that the document gives as a ratio of two experiments.
func alignRatio(r *record.Run, row *Row, c record.Comparison, e *record.Experiment,
	mine record.Estimate) (record.Comparison, string) {
	is := maps.Clone(row.Is)
	maps.Copy(is, row.Over)
	var over *record.Experiment
	for _, x := range alike(r, is) {
		if _, ok := figureOf(x, row.Metric); ok &&
			(over == nil || x.Direction == e.Direction && over.Direction != e.Direction) {
			over = x
		}
	}
	if over == nil {
		return c, fmt.Sprintf("the document has it as a ratio to the same with %s, and the run has no figure of that",
			text(row.Over))
	}
	if e.Emulated || over.Emulated {
		return c, emulated
	}
	if why := notSpeed(r, e, row); why != "" && method.Named(e.Method).Stores {
		return c, why
	}
	v, _ := figureOf(over, row.Metric)
	if v.Median <= 0 {
		return c, "the figure that it is over is 0"
	}
	c.Metric = "ratio of " + row.Metric
	c.Other.Median = mine.Median / v.Median
	c.Base.Median = row.Value.nearest(c.Other.Median)
	q := c.Other.Median / c.Base.Median
	c.Ratio = &q
	c.Why = "a ratio of medians, on both sides without an interval"
	return c, ""
}

// alignCost compares the cost of the plan with that in the document.
func alignCost(r *record.Run, row *Row, c record.Comparison) (record.Comparison, string) {
	for _, t := range r.Plan.Totals {
		if t.Currency != row.Value.Unit {
			continue
		}
		amount, spares := t.Amount.Amount(), t.Spares.Amount()
		if row.Is["spares"] == "none" {
			amount, spares = amount-spares, 0
		}
		if amount <= 0 {
			break
		}
		c.Metric, c.Combination, c.Other = "cost "+t.Currency, "the plan", record.ComparisonSide{Label: "run " + r.ID,
			ID: "plan", Median: amount}
		if t.Unpriced > 0 {
			c.Published.Differs = append(c.Published.Differs, fmt.Sprintf("%d items of yours have no price", t.Unpriced))
		}
		if spares > 0 {
			c.Published.Differs = append(c.Published.Differs,
				fmt.Sprintf("yours has %.2f %s of spares in it", spares, t.Currency))
		}
		c.Base.Median = row.Value.nearest(amount)
		q := amount / c.Base.Median
		c.Ratio = &q
		return c, ""
	}
	return c, "the run's plan has no total in " + row.Value.Unit
}

// averaged reports whether the document has a mean over experiments of many sizes.
func (row *Row) averaged() bool { return strings.Contains(row.Is["size"], "..") }

// alike returns the experiments of a run that measure the same thing.
func alike(r *record.Run, is map[string]string) []*record.Experiment {
	return xslices.Filter(r.Experiments, func(e *record.Experiment) bool {
		return len(unlike(r, e, is)) == 0
	})
}

// unlike returns the keys in which an experiment measures something else.
func unlike(r *record.Run, e *record.Experiment, is map[string]string) []string {
	out := xslices.Filter(slices.Sorted(maps.Keys(is)), func(key string) bool {
		return !fits(is[key], setting(r, e, key))
	})
	if _, ok := is["variant"]; !ok && e.Variant != "" && e.Variant != r.Variant {
		out = append(out, "variant")
	}
	if e.Pattern != "" || e.Settings["pace"] != "" || e.Settings["limit"] != "" ||
		e.Load != nil { // differs from one flow at full speed
		out = append(out, "traffic")
	}
	return out
}

// setting returns an experiment's value of a key, with linerate's default where none was requested.
func setting(r *record.Run, e *record.Experiment, key string) string {
	switch key {
	case "method":
		return e.Method
	case "way":
		if e.Direction == "both" {
			return "both"
		}
		return "one"
	case "variant":
		return cmp.Or(e.Variant, "own")
	}
	if v, ok := e.Settings[key]; ok {
		return v
	}
	if v, ok := e.InEffect[key]; ok && (key == "transport" || key == "mtu" || key == "size" || key == "streams") {
		return v
	}
	switch {
	case key == "transport" && (method.Named(e.Method).Bulk || method.Named(e.Method).RoundTrips):
		return "tcp"
	case key == "streams" || key == "threads" || key == "depth":
		return "1"
	}
	return ""
}

// fits reports whether a value equals want, or is in its range.
func fits(want, have string) bool {
	if strings.EqualFold(want, have) {
		return true
	}
	low, high, several := strings.Cut(want, "..")
	if !several {
		high = low
	}
	for _, number := range []func(string) (float64, bool){plainNumber, sizeNumber} {
		a, ok1 := number(low)
		b, ok2 := number(high)
		v, ok3 := number(have)
		if ok1 && ok2 && ok3 {
			return a <= v && v <= b
		}
	}
	return false
}

func plainNumber(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

func sizeNumber(s string) (float64, bool) {
	v, err := unit.ParseBytes(s)
	return float64(v), err == nil
}

// order puts the experiment with the most similar conditions first, and keeps the file's order otherwise.
func order(r *record.Run, row *Row, all []*record.Experiment) {
	score := func(e *record.Experiment) int {
		differs, _ := conditions(r, row, e)
		n := 2 * len(differs)
		for key, v := range row.Prefer {
			if !fits(v, setting(r, e, key)) {
				n += 8
			}
		}
		if e.Direction != "out" {
			n++
		}
		if e.Name != row.Of {
			n++
		}
		return n
	}
	slices.SortStableFunc(all, func(a, b *record.Experiment) int { return cmp.Compare(score(a), score(b)) })
}

// nothingLike returns why no experiment of the run measures the same thing: the differences of the nearest one.
func nothingLike(r *record.Run, row *Row) string {
	method := row.Is["method"]
	best, least := []string(nil), 0
	var nearest *record.Experiment
	for _, e := range r.Experiments {
		if e.Method != method {
			continue
		}
		if u := unlike(r, e, row.Is); nearest == nil || len(u) < least {
			nearest, best, least = e, u, len(u)
		}
	}
	if nearest == nil {
		return "the run has no experiment of the method " + method
	}
	var parts []string
	for _, key := range best {
		want, have := row.Is[key], setting(r, nearest, key)
		switch {
		case want == "":
			parts = append(parts,
				key+" "+cmp.Or(nearest.Pattern, nearest.Variant, "(none)")+", and the document's is one flow as fast as it goes")
		default:
			parts = append(parts, fmt.Sprintf("%s %s where the document has %s", key, cmp.Or(have, "(none)"), want))
		}
	}
	return fmt.Sprintf("they are unlike: the nearest, %s, has %s", nearest.Name, strings.Join(parts, ", "))
}

func text(m map[string]string) string {
	out := xslices.Map(slices.Sorted(maps.Keys(m)), func(k string) string { return k + " " + m[k] })
	return strings.Join(out, ", ")
}

func whyNot(e *record.Experiment) string {
	if why := cmp.Or(e.NotRun, e.Failed); why != "" {
		return why
	}
	return "nothing was measured"
}
