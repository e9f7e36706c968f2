package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/svg"
)

// lowerIsBetter reports whether a lower figure is better.
func lowerIsBetter(metric string) bool {
	return strings.HasPrefix(metric, "latency.") || metric == "seconds" || metric == "cpu/goodput"
}

// tally is what the comparisons of one figure with one system show.
type tally struct {
	metric, base, other           string
	better, worse, more, less     []record.Comparison // a difference is shown; more and less: which is better is not known
	same, open, withoutRatio, all []record.Comparison
}

// mostSentences is the number of figures of systems that an answer has.
const mostSentences = 4

// compareSentences are the results of comparisons: for the first figure of each experiment how many are better, worse
// and the same, and by how much. What shows a difference is first, then goodput. That the repeats are too few is last.
func compareSentences(all []record.Comparison) []string {
	if len(all) == 0 {
		return []string{"Nothing can be compared: no experiment was measured on both sides."}
	}
	if slices.ContainsFunc(all, func(c record.Comparison) bool { return c.Published != nil }) {
		return []string{publishedAnswer(all)}
	}
	tallies := tallied(all)
	slices.SortStableFunc(tallies, func(a, b *tally) int {
		goodput := func(t *tally) int { return unit.If(t.metric == "goodput", 0, 1) }
		return cmp.Or(cmp.Compare(b.shown(), a.shown()), cmp.Compare(goodput(a), goodput(b)))
	})
	var out []string
	for _, t := range tallies[:min(len(tallies), mostSentences)] {
		out = append(out, t.sentence())
	}
	if s := undecided(all); s != "" {
		out = append(out, s)
	}
	return out
}

// tallied counts the comparisons of each system and figure.
func tallied(all []record.Comparison) (out []*tally) {
	of := map[string]*tally{}
	for _, c := range all {
		if c.Metric == "cpu/goodput" || c.Metric == "iops/cpu" ||
			c.Metric == "bytes_per_second" && c.Combination != "" && of[c.Other.Label+"\x00iops"] != nil {
			continue
		}
		key := c.Other.Label + "\x00" + c.Metric
		t := of[key]
		if t == nil {
			t = &tally{metric: c.Metric, base: c.Base.Label, other: c.Other.Label}
			of[key] = t
			out = append(out, t)
		}
		t.all = append(t.all, c)
		list := &t.worse
		switch {
		case c.Ratio == nil:
			list = &t.withoutRatio
		case c.Different == nil:
			list = &t.open
		case !*c.Different:
			list = &t.same
		case c.Metric == "figure" && *c.Ratio > 1: // it is not known which of a program's own figures is better
			list = &t.more
		case c.Metric == "figure":
			list = &t.less
		case (*c.Ratio > 1) != lowerIsBetter(c.Metric):
			list = &t.better
		}
		*list = append(*list, c)
	}
	return out
}

// shown is the number of differences that are shown.
func (t *tally) shown() int { return len(t.better) + len(t.worse) + len(t.more) + len(t.less) }

// sentence is "Goodput of run b: worse in 1 of 12 comparisons (0.850 times run a, nas → desktop, streams 1), no
// difference shown in 11".
func (t *tally) sentence() string {
	head := metricWords(t.metric) + " of " + format.Clean(t.other) + ": "
	if n := len(t.withoutRatio); len(t.open) > 0 && len(t.open)+n == len(t.all) {
		return svg.Upper(fmt.Sprintf("%s%s, in %s%s.", head, t.span(t.open), unit.Counted(len(t.open), "comparison"),
			unit.If(n == 0, "", fmt.Sprintf("; no ratio in %d", n))))
	}
	var parts []string
	add := func(list []record.Comparison, what, more string) {
		if len(list) == 0 {
			return
		}
		count := fmt.Sprintf("%s in %d", what, len(list))
		if len(parts) == 0 {
			count += unit.If(len(list) == len(t.all), "", fmt.Sprintf(" of %d", len(t.all))) +
				unit.If(len(t.all) == 1, " comparison", " comparisons")
		}
		parts = append(parts, count+more)
	}
	for _, k := range []struct {
		what string
		list []record.Comparison
	}{{"better", t.better}, {"worse", t.worse}, {"more", t.more}, {"less", t.less}} {
		add(k.list, k.what, t.most(k.list))
	}
	bracketed := func(list []record.Comparison) string {
		return unit.If(len(list) == 0, "", " ("+t.span(list)+")")
	}
	add(t.same, "no difference shown", bracketed(t.same))
	add(t.open, "too few repeats to say", bracketed(t.open))
	add(t.withoutRatio, "no ratio", "")
	return svg.Upper(head + strings.Join(parts, ", ") + ".")
}

// most names the largest difference of a list.
func (t *tally) most(list []record.Comparison) string {
	if len(list) == 0 {
		return ""
	}
	far := slices.MaxFunc(list, func(a, b record.Comparison) int { return cmp.Compare(distance(a), distance(b)) })
	s := fmt.Sprintf("%s times %s", Ratio(*far.Ratio), format.Clean(t.base))
	if what := format.Arrows(cmp.Or(far.Combination, far.Experiment)); len(list) > 1 {
		s = "up to " + s + unit.If(what == "", "", ": ") + what
	} else if what != "" && len(t.all) > 1 {
		s += ": " + what
	}
	return " (" + s + ")"
}

// distance is how far a ratio is from 1, the same for half and double.
func distance(c record.Comparison) float64 { return max(*c.Ratio, 1 / *c.Ratio) }

// span is the lowest and the highest ratio of a list.
func (t *tally) span(list []record.Comparison) string {
	if len(list) == 0 {
		return ""
	}
	ratios := xslices.Map(list, func(c record.Comparison) float64 { return *c.Ratio })
	low, high := Ratio(slices.Min(ratios)), Ratio(slices.Max(ratios))
	return fmt.Sprintf("%s times %s", unit.If(low == high, low, low+" to "+high), format.Clean(t.base))
}

// publishedAnswer is the first figure next to a document's.
func publishedAnswer(all []record.Comparison) string {
	first := all[0]
	for _, c := range all {
		if c.Ratio != nil && !strings.HasPrefix(c.Metric, "cost") &&
			(first.Ratio == nil || len(c.Published.Differs) < len(first.Published.Differs)) {
			first = c
		}
	}
	s := format.Clean(first.Experiment) + ": " + publishedSentence(first) + "."
	if n := len(all) - 1; n > 0 {
		s += fmt.Sprintf(" %s more below.", svg.Upper(unit.Counted(n, "figure")))
	}
	return s
}
