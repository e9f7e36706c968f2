package explain

import (
	"strings"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
)

// Variants is Run for a run that measured several variants of a fabric: each
// experiment is judged under the plan of its own, the goals are those of the first.
func Variants(plans []*plan.Plan, r *record.Run, read func(name string) ([]byte, error)) {
	by := map[string]*plan.Plan{}
	for _, p := range plans {
		by[p.Variant] = p
	}
	under(plans[0], by, r, read, known())
}

// planOf is the plan of an experiment; the run's own where its variant is none
// of the file (the other side of measure --against).
func planOf(own *plan.Plan, by map[string]*plan.Plan, e *record.Experiment) *plan.Plan {
	if p := by[e.Variant]; p != nil {
		return p
	}
	return own
}

// otherOf finds what a goal compares an experiment with: the same one of another
// variant, or with another value of one axis. nil: it is not in the run.
func otherOf(g *fabric.Goal, e *record.Experiment, r *record.Run) *record.Experiment {
	key, value, ok := strings.Cut(g.Other, " ")
	if !ok {
		return nil
	}
	want := *e
	want.Settings = map[string]string{}
	for k, v := range e.Settings {
		want.Settings[k] = v
	}
	switch key {
	case "variant":
		want.Variant = value
	case "direction":
		want.Direction = value
	default:
		if _, has := want.Settings[key]; !has {
			return nil
		}
		want.Settings[key] = value
	}
	for _, x := range r.Experiments {
		if x.Name == want.Name && x.Method == want.Method && x.From == want.From && x.To == want.To && x.Variant == want.Variant && x.Direction == want.Direction && alike(x, &want) {
			return x
		}
	}
	return nil
}

// alike says whether two experiments have the same settings, and, where the
// setting via tells paths apart, the same path.
func alike(a, b *record.Experiment) bool {
	if len(a.Settings) != len(b.Settings) {
		return false
	}
	for k, v := range a.Settings {
		if w, ok := b.Settings[k]; !ok || !same(v, w) {
			return false
		}
	}
	if _, via := a.Settings["via"]; !via && strings.Join(a.Links, "\x00") != strings.Join(b.Links, "\x00") {
		return false
	}
	return true
}
