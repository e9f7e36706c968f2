package explain

import (
	"strings"
	"testing"

	"linerate/internal/base/unit"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/explain/goals"
	"linerate/internal/record"
)

// appRun returns a run of one application with two numbers of processes and over two NICs, in a lab at a tenth of the
// rates.
func appRun() (*plan.Plan, *record.Run) {
	of := func(via, processes string, figure float64) *record.Experiment {
		return &record.Experiment{Name: "lammps", Method: "command", From: "n[1-4]", Direction: "out",
			Settings: map[string]string{"via": via, "processes": processes},
			Figure: &record.Estimate{Median: figure,
				Repeats: 1}, FigureUnit: "s", App: &record.App{Figure: figure, Unit: "s"},
			Repeats: []record.Repeat{{}}}
	}
	goal := func(name, op string, where []fabric.Parameter, kind fabric.GoalKind, value float64,
		other string) *fabric.Goal {
		return &fabric.Goal{Name: name, Of: "lammps", Metric: "figure", Op: op, Where: where, Kind: kind, Value: value,
			Other: other, Text: "figure " + op}
	}
	new8 := []fabric.Parameter{{Key: "via", Values: []string{"new"}}, {Key: "processes", Values: []string{"8"}}}
	p := &plan.Plan{Fabric: &fabric.Fabric{Goals: []*fabric.Goal{
		goal("met", "<=", new8, fabric.GoalValue, 3, ""), goal("missed", "<=", nil, fabric.GoalValue, 3, ""),
		goal("other", "<=", new8, fabric.GoalOther, 0.5, "via old"), goal("not there", "<=",
			[]fabric.Parameter{{Key: "processes", Values: []string{"16"}}}, fabric.GoalValue, 3, ""),
	}}}
	r := &record.Run{Complete: true, Lab: &record.Lab{Scale: 0.1}, Experiments: []*record.Experiment{of("new", "4", 4),
		of("new", "8", 2), of("old", "4", 8), of("old", "8", 5)}}
	return p, r
}

// TestJudgeFigures checks that figures are compared with their goals unscaled, whatever the lab's scale.
func TestJudgeFigures(t *testing.T) {
	p, r := appRun()
	all := goals.Judge(p, r)
	for i, want := range []struct{ met, have string }{{"true", "2.00 s"}, {"false", "8.00 s"}, {"true", "2.00 s"},
		{"not known", "not known"}} {
		g := all[i]
		met := "not known"
		if g.Met != nil {
			met = unit.If(*g.Met, "true", "false")
		}
		if met != want.met || g.Have != want.have || strings.Contains(g.Want, "scale") {
			t.Errorf("%s: %+v, met %s; want %+v", g.Name, g, met, want)
		}
	}
	if got := Sentence(r); got != "lammps on n[1-4]: 2.00 s to 8.00 s." {
		t.Errorf("the answer is %q", got)
	}
	r.Experiments[1].Failed, r.Experiments[3].Repeats = "n3 is gone", nil
	if got := Sentence(r); got != "lammps on n[1-4]: 4.00 s to 8.00 s. 1 test could not be measured: n3 is gone." {
		t.Errorf("with a failure: %q", got)
	}
}
