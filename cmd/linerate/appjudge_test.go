package main

import (
	"strings"
	"testing"

	"linerate/fabric"
	"linerate/lab"
	"linerate/plan"
	"linerate/result"
	"linerate/run"
)

// appRun is a run of one app at two numbers of processes and over two cards, in a lab at a tenth.
func appRun() (*plan.Plan, *result.Run) {
	of := func(via, processes string, figure float64) *result.Experiment {
		return &result.Experiment{Name: "lammps", Method: "app", From: "n[1-4]", Direction: "out", Settings: map[string]string{"via": via, "processes": processes},
			Figure: &result.Estimate{Median: figure, Repeats: 1}, FigureUnit: "s", App: &result.App{Figure: figure, Unit: "s"}, Repeats: []result.Repeat{{}}}
	}
	goal := func(name, op string, where []fabric.Axis, kind fabric.GoalKind, value float64, other string) *fabric.Goal {
		return &fabric.Goal{Name: name, Of: "lammps", Metric: "figure", Op: op, Where: where, Kind: kind, Value: value, Other: other, Text: "figure " + op}
	}
	new8 := []fabric.Axis{{Key: "via", Values: []string{"new"}}, {Key: "processes", Values: []string{"8"}}}
	p := &plan.Plan{Fabric: &fabric.Fabric{Goals: []*fabric.Goal{
		goal("met", "<=", new8, fabric.GoalValue, 3, ""), goal("missed", "<=", nil, fabric.GoalValue, 3, ""),
		goal("other", "<=", new8, fabric.GoalOther, 0.5, "via old"), goal("not there", "<=", []fabric.Axis{{Key: "processes", Values: []string{"16"}}}, fabric.GoalValue, 3, ""),
	}}}
	r := &result.Run{Complete: true, Lab: &result.Lab{Scale: 0.1}, Experiments: []*result.Experiment{of("new", "4", 4), of("new", "8", 2), of("old", "4", 8), of("old", "8", 5)}}
	for _, g := range p.Fabric.Goals {
		r.Goals = append(r.Goals, result.Goal{Name: g.Name, Want: "something at the lab's scale"})
	}
	return p, r
}

// TestJudgeFigures: figures are held against their goals as they are, whatever the lab's scale.
func TestJudgeFigures(t *testing.T) {
	p, r := appRun()
	judgeApps(p, r)
	for i, want := range []struct{ met, have string }{{"true", "2.00 s"}, {"false", "8.00 s"}, {"true", "2.00 s"}, {"not known", "not known"}} {
		g := r.Goals[i]
		met := "not known"
		if g.Met != nil {
			met = map[bool]string{true: "true", false: "false"}[*g.Met]
		}
		if met != want.met || g.Have != want.have || strings.Contains(g.Want, "scale") {
			t.Errorf("%s: %+v, met %s; want %+v", g.Name, g, met, want)
		}
	}
	if r.Sentence != "lammps on n[1-4]: 2.00 s to 8.00 s." {
		t.Errorf("the answer is %q", r.Sentence)
	}
	_, r = appRun()
	r.Sentence = "as it was"
	r.Experiments[0].Verdict = &result.Verdict{}
	if judgeApps(&plan.Plan{}, r); r.Sentence != "as it was" {
		t.Errorf("beside a verdict the answer is %q", r.Sentence)
	}
}

// TestWithoutPrograms: a host that another experiment made a guest runs no app.
func TestWithoutPrograms(t *testing.T) {
	p, err := (&env{}).loadWith("testdata/apps.yaml", "", "")
	if err != nil {
		t.Fatal(err)
	}
	cells, err := run.Cells(p, run.Options{Commands: true})
	if err != nil {
		t.Fatal(err)
	}
	withoutPrograms(p, cells, lab.Info{Guests: []lab.Guest{{Host: "n2"}}})
	for _, c := range cells {
		switch c.Exp.Name {
		case "pair", "broken":
			if want := "n2 is a guest in this lab, which has no programs of this machine; --only " + c.Exp.Name + " measures it in namespaces"; c.Exp.NotRun != want {
				t.Errorf("%s is not run because %q", c.Exp.Name, c.Exp.NotRun)
			}
		default:
			if c.Exp.NotRun != "" {
				t.Errorf("%s is not run because %q", c.Exp.Name, c.Exp.NotRun)
			}
		}
	}
}
