package explain

import (
	"testing"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/explain/goals"
	"linerate/internal/record"
)

// A goal that compares with another variant is judged when that variant is in the run, and the file's goals do not
// apply to the other variant.
func TestGoalAgainstVariant(t *testing.T) {
	combination := func(variant, streams string, goodput float64) *record.Experiment {
		return &record.Experiment{Name: "raw", Method: "throughput", From: "a", To: "b", Direction: "out", Variant: variant,
			Settings: map[string]string{"streams": streams}, Goodput: &record.Estimate{Median: goodput}}
	}
	goal := func(value float64, other string) *plan.Plan {
		return &plan.Plan{Fabric: &fabric.Fabric{Goals: []*fabric.Goal{{Name: "faster", Of: "raw", Op: ">=",
			Kind: fabric.GoalOther, Value: value, Other: other}}}}
	}
	r := &record.Run{
		Experiments: []*record.Experiment{combination("", "1", 25), combination("", "4", 25), combination("ten", "1", 10),
			combination("ten", "4", 10)},
	}
	is := func(g record.Goal) string {
		switch {
		case g.Met == nil:
			return "unknown"
		case *g.Met:
			return "met"
		}
		return "missed"
	}
	for _, c := range []struct {
		name         string
		p            *plan.Plan
		combinations int
		want         string
	}{
		{"2.4 times the variant", goal(2.4, "variant ten"), 4, "met"},
		{"2.6 times the variant", goal(2.6, "variant ten"), 4, "missed"},
		{"a variant that was not measured", goal(2, "variant ten+iwarp"), 4, "unknown"},
		{"the variant lacks one cell", goal(2.4, "variant ten"), 3, "unknown"},
		{"another value of a parameter", goal(1, "streams 1"), 4, "met"},
		{"no such value", goal(1, "streams 16"), 4, "unknown"},
	} {
		cut := *r
		cut.Experiments = r.Experiments[:c.combinations]
		if g := goals.Judge(c.p, &cut)[0]; is(g) != c.want {
			t.Errorf("%s: %s, want %s: %+v", c.name, is(g), c.want, g)
		}
	}
	absolute := &plan.Plan{Fabric: &fabric.Fabric{Goals: []*fabric.Goal{{Name: "fast", Of: "raw", Op: ">=",
		Kind: fabric.GoalValue, Value: 20}}}}
	if g := goals.Judge(absolute, r)[0]; is(g) != "met" {
		t.Errorf("the variant's combinations count: %+v", g)
	}
}
