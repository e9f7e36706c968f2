package main

import (
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
	own string // the run's variant
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
	return progress{p, j.run.Variant}
}

func (p progress) step(s run.Step) {
	if s.Cell == nil {
		p.Note(clean(s.Text))
		return
	}
	x := s.Cell.Exp
	what := x.Method + " " + explain.Cell(x)
	if x.Variant != p.own {
		what += " [" + x.Variant + "]"
	}
	if s.Repeat >= 0 {
		p.Start(s.Index, what, s.Left)
		return
	}
	figure := "failed"
	switch {
	case x.NotRun != "":
		figure = "not run"
	case x.Goodput != nil:
		figure = unit.BitRate(x.Goodput.Median).String()
	case x.Latency != nil:
		figure = unit.Seconds(x.Latency.P50)
	}
	p.Done(s.Index, what, figure, s.Left)
	if x.Failed != "" {
		p.Note("  " + x.Failed)
	}
}
