package explain

import (
	"strings"
	"testing"

	"linerate/fabric"
	"linerate/plan"
	"linerate/result"
)

// A goal that compares with a variant says how that is measured, too; one that no single run measures does not.
func TestGoalOfAVariant(t *testing.T) {
	p := &plan.Plan{Fabric: &fabric.Fabric{Goals: []*fabric.Goal{
		{Name: "faster", Of: "luns", Metric: "iops", Op: ">=", Kind: fabric.GoalOther, Value: 2, Other: "variant ten"},
		{Name: "both", Of: "luns", Metric: "iops", Op: ">=", Kind: fabric.GoalOther, Value: 2, Other: "variant ten+windows"},
	}}}
	r := &result.Run{Experiments: []*result.Experiment{{Name: "luns", Method: result.MethodBlock, IOPS: &result.Estimate{Median: 1000}}}}
	got := Goals(p, r)
	if len(got) != 2 || got[0].Met != nil || got[1].Met != nil {
		t.Fatalf("%+v", got)
	}
	for i, want := range []string{"which is not in this run; --variant all measures both", "which is not in this run"} {
		if !strings.HasSuffix(got[i].Why, want) {
			t.Errorf("%q, want %q", got[i].Why, want)
		}
	}
}
