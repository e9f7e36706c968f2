package compare

import (
	"errors"
	"fmt"

	"linerate/internal/base/method"
	"linerate/internal/base/stat"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
)

// Compared is a figure that is compared, read off a repeat; 0: the repeat does not have it.
type Compared struct {
	Metric string
	Of     func(record.Repeat) float64
}

func comparedOf(e *record.Experiment) []Compared {
	if method.Named(e.Method).Exchanges {
		return []Compared{{"seconds", result.Exchange}}
	}
	if method.Named(e.Method).RunsCommand {
		return []Compared{{"figure", appFigure}}
	}
	if method.Named(e.Method).Stores {
		return []Compared{{"iops", result.RepeatIOPS}, {"bytes_per_second", result.RepeatBytes},
			{"iops/cpu", result.IOPSPerPercent}}
	}
	if method.Named(e.Method).CopiesFiles {
		return []Compared{{"bytes_per_second", func(r record.Repeat) float64 { return r.Goodput / 8 }}}
	}
	if e.Latencies() {
		return []Compared{{"latency.p50", func(r record.Repeat) float64 { return r.P50 }}}
	}
	return []Compared{{"goodput", func(r record.Repeat) float64 { return r.Goodput }}, {"cpu/goodput", result.Cost}}
}

// appFigure is what the command of an app printed.
func appFigure(r record.Repeat) float64 {
	if r.App == nil {
		return 0
	}
	return r.App.Figure
}

// Pair compares the figures of two experiments.
func Pair(base, other *record.Experiment, baseLabel, otherLabel string) []record.Comparison {
	var out []record.Comparison
	turns := Interleaved(base.Repeats, other.Repeats)
	for _, f := range comparedOf(base) {
		if c, ok := one(f, base, other, turns); ok {
			c.Base.Label, c.Other.Label = baseLabel, otherLabel
			c.Combination = pairCombination(base, other)
			if c.Emulated != "" && c.Why == "" {
				c.Why = emulatedWhy(c)
			}
			if why := substituteWhy(base, other); why != "" {
				c = undivided(c, why)
			}
			out = append(out, c)
		}
	}
	return out
}

func one(f Compared, base, other *record.Experiment, turns bool) (record.Comparison, bool) {
	a, b := Values(f, base), Values(f, other)
	if len(a) == 0 || len(b) == 0 {
		return record.Comparison{}, false
	}
	c := record.Comparison{Experiment: format.Clean(base.Name), Metric: f.Metric, Turns: turns,
		Base: side(base, a), Other: side(other, b), Emulated: emulatedSides(base, other)}
	if c.Emulated == emulatedBase || c.Emulated == emulatedOther {
		return c, true // no ratio
	}
	compare := stat.Unpaired
	if n := min(len(a), len(b)); turns && len(a) == len(base.Repeats) && len(b) == len(other.Repeats) {
		compare, a, b = stat.Paired, a[:n], b[:n]
	}
	s, err := compare(a, b)
	if err != nil {
		c.Why = err.Error()
		if errors.Is(err, stat.ErrEmpty) {
			c.Why = "one side has no figure"
		}
		return c, true
	}
	c.Ratio, c.Low, c.High, c.P, c.Interval, c.Paired = &s.Ratio, &s.Low, &s.High, &s.P, s.Interval, s.Paired
	switch {
	case c.Emulated != "": // a claim would read as one of speed
	case s.Interval == stat.Interval:
		d, r := s.Different(), s.Resolution()
		c.Different, c.Resolution = &d, &r
	default:
		c.Why = fmt.Sprintf("%d and %d repeats carry no 95 %% interval: at least %d a side, better %d alternately", len(a),
			len(b), stat.FewestApart, stat.FewestPairs)
	}
	return c, true
}

// Values returns a figure of an experiment for each repeat that has it.
func Values(f Compared, e *record.Experiment) []float64 {
	var out []float64
	for _, r := range e.Repeats {
		if v := f.Of(r); v > 0 {
			out = append(out, v)
		}
	}
	return out
}

func side(e *record.Experiment, v []float64) record.ComparisonSide {
	m, err := stat.Median(v)
	if err != nil {
		m = 0
	}
	return record.ComparisonSide{ID: e.ID, Median: m, Repeats: len(v)}
}

// Interleaved reports whether the repeats of two experiments alternated: each pair ended before the next began. Surplus
// repeats of one side do not count.
func Interleaved(a, b []record.Repeat) bool {
	n := min(len(a), len(b))
	if n < 2 {
		return false
	}
	for i := range n - 1 {
		last, next := a[i].Start, a[i+1].Start
		if b[i].Start.After(last) {
			last = b[i].Start
		}
		if b[i+1].Start.Before(next) {
			next = b[i+1].Start
		}
		// A run compared with itself does not alternate.
		same := a[i].Start.Equal(b[i].Start)
		if a[i].Start.IsZero() || b[i].Start.IsZero() || same || !last.Before(next) {
			return false
		}
	}
	return true
}

// pairCombination names what two experiments have in common.
func pairCombination(a, b *record.Experiment) string {
	s := format.Clean(a.Path())
	if a.Direction != b.Direction {
		s = format.Clean(a.From) + " - " + format.Clean(a.To)
	}
	common := map[string]string{}
	for k, v := range a.Settings {
		if b.Settings[k] == v && k != "time" {
			common[k] = v
		}
	}
	if t := result.Settings(common); t != "" {
		s += ", " + t
	}
	if a.Variant != "" && a.Variant == b.Variant {
		s += " [" + format.Clean(a.Variant) + "]"
	}
	return s
}
