package main

import (
	"fmt"
	"slices"
	"strings"

	"linerate/explain"
	"linerate/fabric"
	"linerate/plan"
	"linerate/report"
	"linerate/result"
)

// judgeApps judges what package explain leaves alone: goals about the figure of an app, which are plain numbers and have no part in the lab's scale, and
// the answer of a run that measured nothing else. It comes after explain.Variants.
func judgeApps(p *plan.Plan, r *result.Run) {
	judgeFigures(p, r)
	if s := appAnswer(r); s != "" {
		r.Sentence = s
	}
}

// judgeFigures holds figures against their goals as explain holds times that an amount took: figures take the place of those for it.
func judgeFigures(p *plan.Plan, r *result.Run) {
	if p.Fabric == nil { // of linerate measure
		return
	}
	of := map[string]*fabric.Goal{}
	var goals []*fabric.Goal
	for _, g := range p.Fabric.Goals {
		if g.Metric == "figure" {
			of[g.Name] = g
			asTime := *g
			asTime.Metric = "seconds"
			goals = append(goals, &asTime)
		}
	}
	if len(goals) == 0 {
		return
	}
	shadow, file, figures := *p, *p.Fabric, *r
	file.Goals, shadow.Fabric = goals, &file
	figures.Lab, figures.Experiments = nil, nil
	for _, e := range r.Experiments {
		x := *e
		x.Seconds = e.Figure
		figures.Experiments = append(figures.Experiments, &x)
	}
	for _, judged := range explain.Goals(&shadow, &figures) {
		g := of[judged.Name]
		if worst := worstFigure(g, r); worst != nil {
			judged.Have = report.FigureText(worst.Figure.Median, worst.FigureUnit)
		}
		judged.Want = g.Text
		if i := slices.IndexFunc(r.Goals, func(x result.Goal) bool { return x.Name == judged.Name }); i >= 0 {
			r.Goals[i] = judged
		}
	}
}

// worstFigure is the experiment of a goal whose figure is farthest from it; nil: none was measured.
func worstFigure(g *fabric.Goal, r *result.Run) (worst *result.Experiment) {
	for _, e := range r.Experiments {
		if e.Name != g.Of || e.Variant != r.Variant || e.Figure == nil || e.Failed != "" {
			continue
		}
		if slices.ContainsFunc(g.Where, func(a fabric.Axis) bool { return !slices.Contains(a.Values, e.Settings[a.Key]) }) {
			continue
		}
		if worst == nil || (g.Op == "<=") == (e.Figure.Median > worst.Figure.Median) {
			worst = e
		}
	}
	return worst
}

// appAnswer is the answer of a run that measured figures and no goodput; empty: it is another run.
func appAnswer(r *result.Run) string {
	var names []string
	of := map[string][]*result.Experiment{}
	failed, notRun, first := 0, 0, ""
	for _, e := range r.Experiments {
		switch {
		case e.Verdict != nil || e.Latency != nil:
			return ""
		case e.NotRun != "":
			notRun++
		case e.Failed != "":
			if failed++; first == "" {
				first = e.Failed
			}
		case e.Figure != nil:
			name := e.Name + " on " + e.Path()
			if of[name] == nil {
				names = append(names, name)
			}
			of[name] = append(of[name], e)
		}
	}
	if len(names) == 0 {
		return ""
	}
	var said []string
	const most = 3
	for _, name := range names[:min(len(names), most)] {
		low, high := of[name][0], of[name][0]
		for _, e := range of[name] {
			if e.Figure.Median < low.Figure.Median {
				low = e
			}
			if e.Figure.Median > high.Figure.Median {
				high = e
			}
		}
		text := name + ": " + report.FigureText(low.Figure.Median, low.FigureUnit)
		if low != high {
			text += " to " + report.FigureText(high.Figure.Median, high.FigureUnit)
		}
		said = append(said, text)
	}
	if n := len(names) - most; n > 0 {
		said = append(said, fmt.Sprintf("and %d more", n))
	}
	s := strings.Join(said, "; ") + "."
	if failed > 0 {
		s += fmt.Sprintf(" %s could not be measured: %s.", report.Count(failed, "experiment"), first)
	}
	if notRun > 0 {
		s += fmt.Sprintf(" %s not run.", map[bool]string{true: "1 experiment was", false: fmt.Sprint(notRun, " experiments were")}[notRun == 1])
	}
	if !r.Complete && failed == 0 {
		s += " The run was stopped before its end."
	}
	return s
}
