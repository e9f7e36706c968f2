package main

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/term"

	"linerate/explain"
	"linerate/report"
	"linerate/run"
	"linerate/unit"
)

// progress prints what goes on to standard error.
type progress struct {
	*report.Progress
	own    string // the run's variant
	events *report.Events
}

func (j *job) progress() progress {
	p := &report.Progress{Out: j.err, ASCII: !j.utf8()}
	for _, c := range j.cells {
		if c.Exp.NotRun == "" {
			p.Total++
		}
	}
	if f, ok := j.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.Terminal = true
		if w, _, err := term.GetSize(int(f.Fd())); err == nil {
			p.Width = w
		}
	}
	return progress{p, j.run.Variant, &j.events}
}

func (p progress) step(s run.Step) {
	if s.Cell == nil {
		p.Note(clean(s.Text))
		p.events.Add(report.Event{Event: "note", Message: s.Text})
		return
	}
	p.event(s)
	if s.Over {
		return
	}
	x := s.Cell.Exp
	what := x.Method + " " + explain.Cell(x)
	if x.Variant != p.own {
		what += " [" + x.Variant + "]"
	}
	if s.Repeat >= 0 && x.Chased == nil {
		p.Start(s.Index, what, s.Left)
		return
	}
	if s.Repeat >= 0 {
		return // what is chased is none of the run's own, which are counted
	}
	figure := "failed"
	switch {
	case x.NotRun != "":
		figure = "not run"
	case x.Goodput != nil:
		figure = unit.BitRate(x.Goodput.Median).String()
	case x.Halo != nil && x.Seconds != nil:
		figure = unit.Seconds(x.Seconds.Median)
	case x.Block != nil && x.Bytes != nil && x.IOPS != nil:
		figure = report.BlockText(x)
	case x.Copy != nil && x.Bytes != nil && x.Seconds != nil:
		figure = report.CopyText(x)
	case x.Figure != nil:
		figure = report.FigureText(x.Figure.Median, x.FigureUnit)
	case x.Latency != nil:
		figure = unit.Seconds(x.Latency.P50)
	}
	if x.Chased != nil {
		p.Note(fmt.Sprintf("  %s: %s", what, figure))
	} else {
		p.Done(s.Index, what, figure, s.Left)
	}
	if x.Failed != "" {
		p.Note("  " + x.Failed)
	}
}

// event is a step as a line of --jsonl.
func (p progress) event(s run.Step) {
	x, left := s.Cell.Exp, s.Left.Seconds()
	switch {
	case s.Over:
		p.events.Repeat(x, s.Repeat)
	case s.Repeat >= 0:
		p.events.Add(report.Event{Event: "started", Experiment: x.ID, Index: s.Index, Total: s.Total, Repeat: &s.Repeat, SecondsLeft: &left})
	default:
		p.events.Done(x, s.Index, s.Total, left)
	}
}

// oneOutput refuses two forms of standard output at once.
func oneOutput(asJSON, asJSONL bool) error {
	if asJSON && asJSONL {
		return errors.New("--json and --jsonl: standard output has one object, or one a line; leave one out")
	}
	return nil
}
