package compare

import (
	"cmp"
	"fmt"
	"sort"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
)

// The names of the run's own variant: of a file, of a command line.
const (
	asWritten = "as written"
	asGiven   = "as given"
)

// Variants compares, combination by combination, every variant of a run with the run's own.
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
	return against(base, others, func(e *record.Experiment) string { return CombinationKey(e, "variant", "") }, label)
}

func variantLabel(v string) string {
	if v == "" {
		return asWritten
	}
	return format.Clean(v)
}

// By compares, within a run, the combinations that differ only in one parameter with the one that has the parameter's
// first value. nic is a synonym of via.
func By(r *record.Run, parameter string) ([]record.Comparison, error) {
	if parameter == "nic" {
		parameter = "via"
	}
	value := func(e *record.Experiment) string {
		switch parameter {
		case "variant":
			return variantLabel(e.Variant)
		case "direction":
			return e.Direction
		}
		return e.Settings[parameter]
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
		key := CombinationKey(e, parameter, e.Variant)
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
		return nil, fmt.Errorf("--by %s: the run has no two experiments that differ in it alone; it varies %s",
			format.Clean(parameter), orNothing(parametersOf(r)))
	}
	label := func(e *record.Experiment) string {
		if parameter == "variant" {
			return value(e)
		}
		return format.Clean(parameter) + " " + format.Clean(value(e))
	}
	key := func(e *record.Experiment) string { return CombinationKey(e, parameter, e.Variant) }
	return against(base, others, key, label), nil
}

func orNothing(words []string) string {
	if len(words) == 0 {
		return "nothing"
	}
	return unit.List(words)
}

// parametersOf returns the settings with more than one value in a run.
func parametersOf(r *record.Run) []string {
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
			add(format.Clean(k), v)
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

// Runs compares the experiments of each further run with those of the first that measure the same thing. Each run has
// one variant, which may differ from the first's, or several.
func Runs(runs []*record.Run) []record.Comparison {
	var out []record.Comparison
	label := func(r *record.Run, e *record.Experiment) string {
		s := "run " + format.Clean(r.ID)
		if e.Variant != "" {
			s += " " + format.Clean(e.Variant)
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

// undivided returns a comparison of two figures that cannot be divided, and why.
func undivided(c record.Comparison, why string) record.Comparison {
	c.Ratio, c.Low, c.High, c.P, c.Interval, c.Different, c.Resolution, c.Why = nil, nil, nil, nil, "", nil, nil, why
	return c
}

// unlikeLabs removes the ratio of figures that cannot be divided: of a lab and of no lab, or of rates at two scales.
// Goodput is then compared as shares of the ceilings, where both are known.
func unlikeLabs(a, b *record.Run, p aligned, c record.Comparison) []record.Comparison {
	var why string
	switch {
	case a.Lab == nil && b.Lab == nil && result.InLab(a) == result.InLab(b) || c.Emulated != "":
		return []record.Comparison{c}
	case a.Lab == nil || b.Lab == nil:
		why = "no ratio: one is of " + result.MeasuredOn(a) + ", the other of " + result.MeasuredOn(b)
	case a.Lab.Scale == b.Lab.Scale || strings.HasPrefix(c.Metric, "latency.") || c.Metric == "goodput/ceiling":
		return []record.Comparison{c}
	default:
		why = fmt.Sprintf("no ratio: one is of a lab at %s, the other at %s", cmp.Or(result.Scale(a.Lab), "full scale"),
			cmp.Or(result.Scale(b.Lab), "full scale"))
	}
	c = undivided(c, why)
	if c.Metric != "goodput" || p.base.Ceiling == nil || p.other.Ceiling == nil || p.base.Ceiling.Planned() <= 0 ||
		p.other.Ceiling.Planned() <= 0 {
		return []record.Comparison{c}
	}
	s, ok := one(Compared{"goodput/ceiling", func(r record.Repeat) float64 { return r.Goodput }}, shares(p.base),
		shares(p.other), false)
	if !ok {
		return []record.Comparison{c}
	}
	s.Base.Label, s.Other.Label, s.Combination, s.Differs = c.Base.Label, c.Other.Label, c.Combination, c.Differs
	return []record.Comparison{c, s}
}

// shares returns an experiment whose repeats have shares of its ceiling instead of goodput.
func shares(e *record.Experiment) *record.Experiment {
	out := *e
	out.Repeats = nil
	for _, r := range e.Repeats {
		r.Goodput /= float64(e.Ceiling.Planned())
		out.Repeats = append(out.Repeats, r)
	}
	return &out
}

// CombinationKey returns what two experiments must have in common to be compared. without is the parameter that may
// differ.
func CombinationKey(e *record.Experiment, without, variant string) string {
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
