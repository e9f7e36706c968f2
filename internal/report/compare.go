package report

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"linerate/internal/base/stat"
	"linerate/internal/record"
)

// What the run's own variant is called: of a file, of a command line.
const (
	asWritten = "as written"
	asGiven   = "as given"
)

// Variants compares, cell by cell, every variant that was measured in a run with
// the run's own.
func Variants(r *record.Run) []record.Comparison {
	if len(r.Variants) == 0 {
		return nil
	}
	var base, others []*record.Experiment
	for _, e := range r.Experiments {
		if e.Variant == r.Variant {
			base = append(base, e)
		} else {
			others = append(others, e)
		}
	}
	label := func(e *record.Experiment) string {
		if e.Variant == "" && r.FabricText == "" {
			return asGiven
		}
		return variantLabel(e.Variant)
	}
	if r.FabricText == "" && len(base) == len(others) { // two command lines: their settings differ by intention
		var out []record.Comparison
		for i, b := range base {
			out = append(out, Pair(b, others[i], label(b), label(others[i]))...)
		}
		return out
	}
	return against(base, others, func(e *record.Experiment) string { return cellKey(e, "variant", "") }, label)
}

func variantLabel(v string) string {
	if v == "" {
		return asWritten
	}
	return clean(v)
}

// CompareBy compares, within a run, the cells that differ in one axis alone with
// the one that has the axis' first value. Nic is another word for via.
func CompareBy(r *record.Run, axis string) ([]record.Comparison, error) {
	if axis == "nic" {
		axis = "via"
	}
	value := func(e *record.Experiment) string {
		switch axis {
		case "variant":
			return variantLabel(e.Variant)
		case "direction":
			return e.Direction
		}
		return e.Settings[axis]
	}
	first := map[string]string{}
	seen := map[string]bool{}
	var base, others []*record.Experiment
	for _, e := range r.Experiments {
		v := value(e)
		if v == "" {
			continue
		}
		seen[v] = true
		key := cellKey(e, axis, e.Variant)
		if _, ok := first[key]; !ok {
			first[key] = v
		}
		if first[key] == v {
			base = append(base, e)
		} else {
			others = append(others, e)
		}
	}
	if len(others) == 0 {
		return nil, fmt.Errorf("--by %s: the run has no two experiments that differ in it alone; it varies %s", clean(axis), orNothing(axesOf(r)))
	}
	label := func(e *record.Experiment) string {
		if axis == "variant" {
			return value(e)
		}
		return clean(axis) + " " + clean(value(e))
	}
	return against(base, others, func(e *record.Experiment) string { return cellKey(e, axis, e.Variant) }, label), nil
}

func orNothing(words []string) string {
	if len(words) == 0 {
		return "nothing"
	}
	return list(words)
}

// axesOf are what has more than one value in a run.
func axesOf(r *record.Run) []string {
	values := map[string]map[string]bool{}
	add := func(k, v string) {
		if values[k] == nil {
			values[k] = map[string]bool{}
		}
		values[k][v] = true
	}
	for _, e := range r.Experiments {
		add("direction", e.Direction)
		add("variant", e.Variant)
		for k, v := range e.Settings {
			add(clean(k), v)
		}
	}
	var out []string
	for k, v := range values {
		if len(v) > 1 {
			out = append(out, k)
		}
	}
	sort.Strings(out)
	return out
}

// CompareRuns compares the experiments of each further run with those of the first that are the same thing.
// Each run has one variant, which may be another than the first's, or several.
func CompareRuns(runs []*record.Run) []record.Comparison {
	var out []record.Comparison
	label := func(r *record.Run, e *record.Experiment) string {
		s := "run " + clean(r.ID)
		if e.Variant != "" {
			s += " " + clean(e.Variant)
		}
		return s
	}
	for _, r := range runs[1:] {
		pairs, _ := alignRuns(runs[0], r)
		for _, p := range pairs {
			if len(p.base.Repeats) == 0 || len(p.other.Repeats) == 0 {
				continue
			}
			for _, c := range Pair(p.base, p.other, label(runs[0], p.base), label(r, p.other)) {
				c.Differs = p.differs
				out = append(out, unlikeLabs(runs[0], r, p, c)...)
			}
		}
	}
	return out
}

// undivided is a comparison of two figures that cannot be divided, and why.
func undivided(c record.Comparison, why string) record.Comparison {
	c.Ratio, c.Low, c.High, c.P, c.Interval, c.Different, c.Resolution, c.Why = nil, nil, nil, nil, "", nil, nil, why
	return c
}

// unlikeLabs takes the ratio of figures that cannot be divided: of a lab beside real hosts, or of rates at two scales. Goodput is then
// compared as shares of the ceilings, where both are known.
func unlikeLabs(a, b *record.Run, p aligned, c record.Comparison) []record.Comparison {
	var why string
	switch {
	case a.Lab == nil && b.Lab == nil || c.Emulated != "":
		return []record.Comparison{c}
	case a.Lab == nil || b.Lab == nil:
		why = "no ratio: one is of a lab on one machine, the other of real hosts"
	case a.Lab.Scale == b.Lab.Scale || strings.HasPrefix(c.Metric, "latency.") || c.Metric == "goodput/ceiling":
		return []record.Comparison{c}
	default:
		why = fmt.Sprintf("no ratio: one is of a lab at %s, the other at %s", orOne(scale(a.Lab)), orOne(scale(b.Lab)))
	}
	c = undivided(c, why)
	if c.Metric != "goodput" || p.base.Ceiling == nil || p.other.Ceiling == nil || p.base.Ceiling.Planned() <= 0 || p.other.Ceiling.Planned() <= 0 {
		return []record.Comparison{c}
	}
	s, ok := one(compared{"goodput/ceiling", func(r record.Repeat) float64 { return r.Goodput }}, shares(p.base), shares(p.other), false)
	if !ok {
		return []record.Comparison{c}
	}
	s.Base.Label, s.Other.Label, s.Cell, s.Differs = c.Base.Label, c.Other.Label, c.Cell, c.Differs
	return []record.Comparison{c, s}
}

// shares is an experiment whose repeats have shares of its ceiling in place of goodput.
func shares(e *record.Experiment) *record.Experiment {
	out := *e
	out.Repeats = nil
	for _, r := range e.Repeats {
		r.Goodput /= float64(e.Ceiling.Planned())
		out.Repeats = append(out.Repeats, r)
	}
	return &out
}

// cellKey is what two experiments must have in common to be compared. Without is
// the axis that may differ.
func cellKey(e *record.Experiment, without, variant string) string {
	parts := []string{e.Name, e.Method, e.From, e.To, variant, e.FigureUnit, e.FigureMatch}
	if without != "direction" {
		parts = append(parts, e.Direction)
	}
	if without != "via" {
		parts = append(parts, e.Links...)
	}
	var keys []string
	for k := range e.Settings {
		if k != without {
			keys = append(keys, k)
		}
	}
	sort.Strings(keys)
	for _, k := range keys {
		parts = append(parts, k, e.Settings[k])
	}
	return strings.Join(parts, "\x00")
}

// against compares each of others with the base of the same key.
func against(base, others []*record.Experiment, key, label func(*record.Experiment) string) []record.Comparison {
	first := map[string]*record.Experiment{}
	for _, e := range base {
		if k := key(e); first[k] == nil {
			first[k] = e
		}
	}
	var out []record.Comparison
	for _, e := range others {
		b := first[key(e)]
		if b == nil || len(b.Repeats) == 0 || len(e.Repeats) == 0 {
			continue
		}
		out = append(out, Pair(b, e, label(b), label(e))...)
	}
	return out
}

// compared is a figure that is compared, read off a repeat; 0: the repeat does not have it.
type compared struct {
	metric string
	of     func(record.Repeat) float64
}

func comparedOf(e *record.Experiment) []compared {
	if e.Method == record.MethodHalo {
		return []compared{{"seconds", exchange}}
	}
	if e.Method == "app" {
		return []compared{{"figure", appFigure}}
	}
	if e.Method == record.MethodBlock {
		return []compared{{"iops", blockRate}, {"bytes_per_second", blockBytes}, {"iops/cpu", blockWork}}
	}
	if e.Method == record.MethodCopy {
		return []compared{{"bytes_per_second", func(r record.Repeat) float64 { return r.Goodput / 8 }}}
	}
	if e.Latencies() {
		return []compared{{"latency.p50", func(r record.Repeat) float64 { return r.P50 }}}
	}
	return []compared{{"goodput", func(r record.Repeat) float64 { return r.Goodput }}, {"cpu/goodput", cost}}
}

// blockRate, blockBytes and blockWork are requests and bytes a second, reads and writes together, and requests for each percent of the
// processors of the hosts that ask.
func blockRate(r record.Repeat) (sum float64) {
	if r.Block != nil {
		for _, c := range []*record.BlockCount{r.Block.Read, r.Block.Write} {
			if c != nil {
				sum += c.IOPS
			}
		}
	}
	return sum
}

func blockBytes(r record.Repeat) (sum float64) {
	if r.Block != nil {
		for _, c := range []*record.BlockCount{r.Block.Read, r.Block.Write} {
			if c != nil {
				sum += c.BytesPerSecond
			}
		}
	}
	return sum
}

func blockWork(r record.Repeat) float64 {
	if r.Block == nil || r.Block.PerPercentAsking == nil {
		return 0
	}
	return r.Block.PerPercentAsking.IOPS
}

// appFigure is what the command of an app printed.
func appFigure(r record.Repeat) float64 {
	if r.App == nil {
		return 0
	}
	return r.App.Figure
}

// exchange is the time of one of halo.
func exchange(r record.Repeat) float64 {
	if r.Halo == nil {
		return 0
	}
	return r.Halo.Seconds
}

// cost is what the measuring processes of both ends used of a processor, in
// seconds a gigabit; 0 if it is not known of an end.
func cost(r record.Repeat) float64 {
	used, ends := 0.0, 0
	for _, c := range r.CPU {
		if c.Core == -1 {
			used += c.User + c.System
			ends += 1 + strings.Count(c.Host, "+")
		}
	}
	if ends < 2 || r.Goodput <= 0 {
		return 0
	}
	return used / (r.Goodput / 1e9)
}

// Pair compares the figures of two experiments.
func Pair(base, other *record.Experiment, baseLabel, otherLabel string) []record.Comparison {
	var out []record.Comparison
	turns := interleaved(base.Repeats, other.Repeats)
	for _, f := range comparedOf(base) {
		if c, ok := one(f, base, other, turns); ok {
			c.Base.Label, c.Other.Label = baseLabel, otherLabel
			c.Cell = pairCell(base, other)
			if c.Emulated != "" && c.Why == "" {
				c.Why = emulatedWhy(c)
			}
			if why := standsInWhy(base, other); why != "" {
				c = undivided(c, why)
			}
			out = append(out, c)
		}
	}
	return out
}

func one(f compared, base, other *record.Experiment, turns bool) (record.Comparison, bool) {
	a, b := values(f, base), values(f, other)
	if len(a) == 0 || len(b) == 0 {
		return record.Comparison{}, false
	}
	c := record.Comparison{Experiment: clean(base.Name), Metric: f.metric, Turns: turns,
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
		c.Why = fmt.Sprintf("%d and %d repeats carry no 95 %% interval: at least %d a side, better %d in turns", len(a), len(b), stat.FewestApart, stat.FewestPairs)
	}
	return c, true
}

func values(f compared, e *record.Experiment) []float64 {
	var out []float64
	for _, r := range e.Repeats {
		if v := f.of(r); v > 0 {
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

// interleaved says whether the repeats of two experiments alternated: each pair
// was over before the next began. Repeats that one side has more than the other do not count.
func interleaved(a, b []record.Repeat) bool {
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
		// A run beside itself alternates with nothing.
		same := a[i].Start.Equal(b[i].Start)
		if a[i].Start.IsZero() || b[i].Start.IsZero() || same || !last.Before(next) {
			return false
		}
	}
	return true
}

// pairCell names what two experiments have in common.
func pairCell(a, b *record.Experiment) string {
	s := clean(a.Path())
	if a.Direction != b.Direction {
		s = clean(a.From) + " - " + clean(a.To)
	}
	common := map[string]string{}
	for k, v := range a.Settings {
		if b.Settings[k] == v && k != "time" {
			common[k] = v
		}
	}
	if t := settings(common); t != "" {
		s += ", " + t
	}
	if a.Variant != "" && a.Variant == b.Variant {
		s += " [" + clean(a.Variant) + "]"
	}
	return s
}
