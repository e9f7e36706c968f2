package goals

import (
	"strconv"
	"strings"
	"testing"

	"linerate/internal/base/method"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/explain/cause/storage"
	"linerate/internal/record"
)

// A goal that compares with a variant also says how to measure it, unless no single run can.
func TestGoalOfAVariant(t *testing.T) {
	p := &plan.Plan{Fabric: &fabric.Fabric{Goals: []*fabric.Goal{
		{Name: "faster", Of: "luns", Metric: "iops", Op: ">=", Kind: fabric.GoalOther, Value: 2, Other: "variant ten"},
		{Name: "both", Of: "luns", Metric: "iops", Op: ">=", Kind: fabric.GoalOther, Value: 2, Other: "variant ten+windows"},
	}}}
	r := &record.Run{Experiments: []*record.Experiment{{Name: "luns", Method: method.Storage,
		IOPS: &record.Estimate{Median: 1000}}}}
	got := Judge(p, r)
	if len(got) != 2 || got[0].Met != nil || got[1].Met != nil {
		t.Fatalf("%+v", got)
	}
	for i, want := range []string{"which is not in this run; --variant all measures both", "which is not in this run"} {
		if !strings.HasSuffix(got[i].Why, want) {
			t.Errorf("%q, want %q", got[i].Why, want)
		}
	}
}

// Figures of emulated machines are not compared with goals, nor with other experiments. A failed experiment is reported
// as failed.
func TestGoalOfEmulatedMachines(t *testing.T) {
	p := &plan.Plan{Fabric: &fabric.Fabric{Goals: []*fabric.Goal{
		{Name: "flat", Of: "far", Metric: "goodput", Op: ">=", Kind: fabric.GoalOther, Value: 0.9, Other: "variant near"},
		{Name: "much", Of: "far", Metric: "goodput", Op: ">=", Kind: fabric.GoalValue, Value: 1000},
	}}}
	e := func(variant string, emulated bool) *record.Experiment {
		return &record.Experiment{Name: "far", Variant: variant, Method: "throughput", From: "a", To: "b", Direction: "out",
			Goodput: &record.Estimate{Median: 28700}, Emulated: emulated}
	}
	for _, c := range []struct {
		far, near   bool
		flat, valid bool // judged
	}{{true, true, false, false}, {false, true, false, true}, {true, false, false, false}, {false, false, true, true}} {
		got := Judge(p, &record.Run{Experiments: []*record.Experiment{e("", c.far), e("near", c.near)}})
		for i, judged := range []bool{c.flat, c.valid} {
			if (got[i].Met != nil) != judged || !judged && (got[i].Why != notOfSpeed || !got[i].NotHere ||
				got[i].Have != "not known") {
				t.Errorf("far %v, near %v: %+v", c.far, c.near, got[i])
			}
		}
	}
	failed := e("", true)
	failed.Failed = "no route"
	if got := Judge(p, &record.Run{Experiments: []*record.Experiment{failed}}); got[1].Met != nil ||
		got[1].Why != "no route" || got[1].NotHere {
		t.Errorf("%+v", got[1])
	}
}

// A goal that many combinations miss names a few of them, and says how many more there are.
func TestGoalMissedByMany(t *testing.T) {
	p := &plan.Plan{Fabric: &fabric.Fabric{Goals: []*fabric.Goal{{Name: "much", Of: "luns", Metric: "iops", Op: ">=",
		Kind: fabric.GoalValue, Value: 2000}}}}
	r := &record.Run{}
	for n, want := range map[int]string{3: "missed on 3 of 3: a -> b, depth 1; a -> b, depth 2; a -> b, depth 3",
		30: "missed on 30 of 30: a -> b, depth 1; a -> b, depth 2; a -> b, depth 3; and 27 more"} {
		r.Experiments = nil
		for i := range n {
			r.Experiments = append(r.Experiments, &record.Experiment{Name: "luns", Method: method.Storage, From: "a", To: "b",
				Direction: "out", Settings: map[string]string{"depth": strconv.Itoa(i + 1)}, IOPS: &record.Estimate{Median: 1000}})
		}
		if got := Judge(p, r); len(got) != 1 || got[0].Met == nil || *got[0].Met || got[0].Why != want {
			t.Errorf("%+v", got)
		}
	}
}

// Goals of a copy are compared with its time and its bytes per second; in a lab they are not known.
func TestCopyGoalMetrics(t *testing.T) {
	e := &record.Experiment{Name: "x", Method: "copy", Bytes: &record.Estimate{Median: 800e6},
		Seconds: &record.Estimate{Median: 1.25}}
	if v, ok := metric("seconds", e); !ok || v != 1.25 {
		t.Errorf("seconds: %v %v", v, ok)
	}
	if v, ok := metric("goodput", e); !ok || v != 6.4e9 || show("goodput", e, v) != "800 MB/s" {
		t.Errorf("goodput: %v %v %s", v, ok, show("goodput", e, v))
	}
	r := &record.Run{Experiments: []*record.Experiment{e}}
	if !storage.CopyOf(r, "x") || storage.CopyOf(r, "y") {
		t.Error("which goals are of copies")
	}
}
