package compare

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/stat"
	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
	"linerate/internal/report/terminal"
)

// ComparisonSet is what the verb compare prints.
type ComparisonSet struct {
	Schema    string     `json:"schema"` // linerate/compare/1
	Runs      []string   `json:"runs"`
	Documents []Document `json:"documents,omitempty"` // that a run is compared with
	// Facts are the differences of machines, links and settings.
	Facts       []string            `json:"facts,omitempty"`
	Comparisons []record.Comparison `json:"comparisons"`
	Refused     []record.Refused    `json:"refused,omitempty"` // what was not compared, and why
	Notes       []string            `json:"notes"`
}

// NewSet adds to comparisons what a reader must know about them.
func NewSet(runs []*record.Run, list []record.Comparison) ComparisonSet {
	s := ComparisonSet{Schema: "linerate/compare/1", Runs: []string{}, Comparisons: list, Notes: ComparisonNotes(list)}
	for i, r := range runs {
		s.Runs = append(s.Runs, format.Clean(r.ID))
		if i > 0 {
			s.unlike(runs[0], r, len(runs) > 2)
		}
		switch first := runs[0]; {
		case result.InLab(r) != result.InLab(first):
			s.Notes = append(s.Notes, fmt.Sprintf("run %s was measured on %s, run %s on %s; their figures have nothing in "+
				"common; shares of the ceilings are compared in place of goodput", format.Clean(first.ID),
				result.MeasuredOn(first), format.Clean(r.ID), result.MeasuredOn(r)))
		case r.Lab != nil && first.Lab != nil && r.Lab.Scale != first.Lab.Scale:
			s.Notes = append(s.Notes, labsApart(first, r))
		}
		if r.FabricText != runs[0].FabricText {
			s.Notes = append(s.Notes,
				fmt.Sprintf("run %s and run %s are of different fabric files", format.Clean(runs[0].ID), format.Clean(r.ID)))
		} else if !slices.Equal(r.Parts, runs[0].Parts) {
			s.Notes = append(s.Notes,
				fmt.Sprintf("run %s and run %s were planned with different files of parts (parts.d)", format.Clean(runs[0].ID),
					format.Clean(r.ID)))
		}
		if t := result.Noisy(r); t != "" &&
			!slices.ContainsFunc(runs[:i], func(same *record.Run) bool { return same.ID == r.ID }) {
			s.Notes = append(s.Notes, "run "+format.Clean(r.ID)+": t"+strings.TrimPrefix(t, "T"))
		}
	}
	if s.Comparisons == nil {
		s.Comparisons = []record.Comparison{}
	}
	return s
}

// unlike adds the differences between two runs, and what is not compared.
func (s *ComparisonSet) unlike(a, b *record.Run, several bool) {
	pairs, refused := alignRuns(a, b)
	for _, f := range runFacts(a, b, pairs) {
		if several {
			f = "run " + format.Clean(b.ID) + ": " + f
		}
		s.Facts = append(s.Facts, f)
	}
	s.Refused = append(s.Refused, refused...)
	for _, p := range pairs {
		for i, e := range []*record.Experiment{p.base, p.other} {
			if len(e.Repeats) == 0 {
				s.Refused = append(s.Refused, record.Refused{What: refusedName([]*record.Run{a, b}[i], e), ID: e.ID,
					Why: format.Clean("it was not measured there: " + cmp.Or(e.NotRun, e.Failed, "the run was cut off before it"))})
			}
		}
	}
}

// ComparisonNotes returns notes about what the intervals do not show.
func ComparisonNotes(list []record.Comparison) []string {
	notes := []string{}
	apart, judged := 0, 0
	for _, c := range list {
		if !c.Turns {
			apart++
		}
		if c.Different != nil {
			judged++
		}
	}
	switch {
	case apart == len(list) && apart > 0:
		notes = append(notes,
			"not interleaved: the repeats of one side were measured before those of the other, so a machine that changed "+
				"meanwhile looks like a difference; measure alternately with run --variant all or measure --compare-with")
	case apart > 0:
		notes = append(notes,
			fmt.Sprintf("%d of %d were not interleaved: there a machine that changed meanwhile looks like a difference", apart,
				len(list)))
	}
	if few := len(slices.DeleteFunc(slices.Clone(list), func(c record.Comparison) bool { return !tooFew(c) })); few > 0 {
		notes = append(notes, fmt.Sprintf(
			"%d of %d carry no 95 %% interval, so that their range shows no difference: that takes at least %d repeats a "+
				"side, better %d alternately (--repeats)", few, len(list), stat.FewestApart, stat.FewestPairs,
		))
	}
	notes = append(notes, emulatedNotes(list)...)
	notes = append(notes, unseen(list)...)
	if judged >= 10 {
		notes = append(notes,
			fmt.Sprintf("of %d comparisons between equal sides about %d would claim a difference by chance", judged,
				(judged+10)/20))
	}
	return notes
}

// Print prints comparisons as a table.
func Print(t terminal.Terminal, s ComparisonSet) error {
	l := t.Lines()
	if len(s.Documents) > 0 {
		printPublished(l, s)
	} else {
		for _, f := range s.Facts {
			l.Item(0, 8, "differs", terminal.Normal, format.Clean(f))
		}
		if len(s.Facts) > 0 {
			l.Gap()
		}
	}
	if len(s.Documents) > 0 && len(s.Comparisons) == 0 {
		l.Gap()
	}
	switch {
	case len(s.Comparisons) == 0:
		l.Text(terminal.Normal, 0, "Nothing can be compared: no experiment was measured on both sides.")
	case len(s.Documents) == 0:
		PrintComparisons(l, s.Comparisons)
	}
	printRefused(l, s.Refused)
	if len(s.Notes) > 0 {
		l.Gap()
		for _, n := range s.Notes {
			l.Item(0, 4, "note", terminal.Normal, n)
		}
	}
	return l.Flush()
}

// JSON writes comparisons as one object.
func JSON(w io.Writer, s ComparisonSet) error { return format.Write(w, "comparison", s) }

// PrintComparisons prints a table for every two sides.
func PrintComparisons(l *terminal.Lines, all []record.Comparison) {
	for from := 0; from < len(all); {
		first, to := all[from], from
		for to < len(all) && all[to].Base.Label == first.Base.Label && all[to].Other.Label == first.Other.Label {
			to++
		}
		var rows [][]terminal.Entry
		last, shared := "", sharedBy(all[from:to])
		for _, c := range all[from:to] {
			if c.Combination == "" { // a row of a summary
				ratio, why := shared.ratio(c, format.Clean(c.Why))
				rows = append(rows, terminal.Row(strings.TrimSpace(format.Clean(c.Experiment)+" "+summaryMetric(c.Metric)),
					metricText(c.Metric, c.Base.Median), metricText(c.Metric, c.Other.Median), ratio, why))
				continue
			}
			if what := c.Experiment + ": " + c.Combination; what != last {
				last = what
				rows = append(rows, []terminal.Entry{{Text: what}})
			}
			s := terminal.Style(terminal.Normal)
			if c.Different != nil && *c.Different {
				s = terminal.Bold
			}
			if len(c.Differs) > 0 && rows[len(rows)-1][0].Text == c.Experiment+": "+c.Combination {
				rows = append(rows, []terminal.Entry{{Text: "  differs: " + strings.Join(c.Differs, "; ")}})
			}
			ratio, why := shared.ratio(c, intervalWords(c))
			rows = append(rows, []terminal.Entry{{Text: "  " + metricWords(c.Metric)},
				{Text: metricText(c.Metric, c.Base.Median)}, {Text: metricText(c.Metric, c.Other.Median)},
				{Text: ratio, Style: s}, {Text: why, Style: s}})
		}
		if from > 0 {
			l.Gap()
		}
		l.Table([]terminal.Column{{Head: "compared"}, {Head: first.Base.Label, Right: true},
			{Head: first.Other.Label, Right: true}, {Head: "ratio", Right: true}, {Head: "95 % interval", Wrap: true}}, rows)
		shared.print(l)
		from = to
	}
}

// ComparisonView is a comparison as texts, for the page.
type ComparisonView struct{ Experiment, Combination, Metric, Base, Other, Ratio, Words string }

// ComparisonViews returns comparisons as texts.
func ComparisonViews(all []record.Comparison) []ComparisonView {
	var out []ComparisonView
	for _, c := range all {
		out = append(out, ComparisonView{c.Experiment, format.Arrows(c.Combination), metricWords(c.Metric),
			c.Base.Label + ": " + metricText(c.Metric, c.Base.Median),
			c.Other.Label + ": " + metricText(c.Metric, c.Other.Median), ratioText(c), intervalWords(c)})
	}
	return out
}

func metricWords(metric string) string {
	switch metric {
	case "latency.p50":
		return "RTT p50"
	case "seconds":
		return "time of an exchange"
	case "cpu/goodput":
		return "CPU time"
	case "goodput/ceiling":
		return "share of ceiling"
	case "iops":
		return "IOPS"
	case "bytes_per_second":
		return "throughput"
	case "iops/cpu":
		return "IOPS for 1 % of CPU"
	}
	return metric
}

// summaryMetric distinguishes the figures of one row of a summary.
func summaryMetric(metric string) string {
	switch metric {
	case "latency.p50", "latency.p99", "latency.mean":
		return strings.TrimPrefix(metric, "latency.")
	case "latency.p999":
		return "p99.9"
	}
	return ""
}

func metricText(metric string, v float64) string {
	switch metric {
	case "goodput":
		return format.Rate(v)
	case "latency.p50", "latency.p99", "latency.p999", "latency.mean", "seconds":
		return format.Seconds(v)
	case "bytes_per_second":
		return unit.BytesPerSecond(v)
	case "cpu/goodput":
		return unit.Seconds(v) + "/Gb"
	case "goodput/ceiling":
		return unit.Percent(v)
	case "iops", "iops/cpu":
		return unit.Count(v)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

func ratioText(c record.Comparison) string {
	if c.Emulated == emulatedBase || c.Emulated == emulatedOther {
		return "none"
	}
	if c.Ratio == nil {
		return unit.If(strings.HasPrefix(c.Why, "no ratio"), "none", format.NotKnown)
	}
	return Ratio(*c.Ratio)
}

// Ratio formats a ratio with enough digits to distinguish two: 1.004, 2.31, 14.2.
func Ratio(v float64) string {
	switch {
	case v >= 100 || v < 0.01 || math.IsNaN(v):
		return strconv.FormatFloat(v, 'g', 3, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v >= 2:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// tooFew reports whether more repeats are all that a comparison needs.
func tooFew(c record.Comparison) bool {
	return c.Ratio != nil && c.Different == nil && c.Emulated == "" && c.Interval != stat.Interval
}

func intervalWords(c record.Comparison) string {
	if c.Ratio == nil || c.Low == nil || c.High == nil {
		return c.Why
	}
	span := Ratio(*c.Low) + " .. " + Ratio(*c.High)
	switch {
	case c.Emulated == emulatedBoth && c.Interval == stat.Interval:
		return span + "; emulated" // a note below says what that means
	case c.Emulated == emulatedBoth && *c.Low == *c.High:
		return "one repeat; emulated"
	case c.Emulated == emulatedBoth:
		return "range " + span + "; emulated"
	case c.Emulated != "" && c.Interval == stat.Interval:
		return span + "; " + c.Why
	case tooFew(c):
		return fmt.Sprintf("range %s (%d and %d repeats)", span, c.Base.Repeats,
			c.Other.Repeats) // a note below says what that means
	case c.Different == nil:
		return "range " + span + "; " + c.Why
	case *c.Different:
		return span
	}
	return "no difference shown (" + span + ")"
}
