package brief

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
	"linerate/internal/report/terminal"
)

// PrintWhatIf prints what a change would bring: one sentence, and a row for each path. report.PrintWhatIf has the
// ceilings with their formulas.
func PrintWhatIf(t terminal.Terminal, r *record.Run, w *record.WhatIf) error {
	l := narrowed(t).Lines()
	l.Split(shorten(r.Fabric, 30)+", run "+format.Clean(w.Run)+": with "+w.Change.String(), result.LabShort(r.Lab))
	if x := most(w.Experiments); x != nil {
		l.Gap()
		l.Text(terminal.Bold, 0, x.Sentence)
		l.Gap()
		printWhatIfRows(l, r, w)
	}
	for i, p := range w.Problems {
		if i == 0 {
			l.Heading("the plan with it")
		}
		item(l, 7, p.Severity, p.Subject+": "+p.Message)
		if p.Fix != "" {
			item(l, 7, "", p.Fix)
		}
	}
	l.Gap()
	if n := xslices.Sum(w.NotAsked, func(x record.WhatIfLeft) int { return max(1, x.Count) }); n > 0 {
		item(l, label, "notes", fmt.Sprintf("%s left out: %s", unit.Counted(n, "experiment"), w.NotAsked[0].Reason))
	}
	item(l, label, "next", "the ceilings and their formulas: the same command with --all")
	return l.Flush()
}

// most is the experiment whose goodput the change raises most, the first among equals; nil: there is none.
func most(all []record.WhatIfOne) (best *record.WhatIfOne) {
	gain := 0.0
	for i := range all {
		x := &all[i]
		up := 0.0
		if p := x.Predicted; p != nil && p.High != nil && x.Goodput.Median > 0 {
			up = *p.High / x.Goodput.Median
		}
		if best == nil || up > gain {
			best, gain = x, up
		}
	}
	return best
}

// printWhatIfRows prints what each path carries now, what it would carry, and what would limit it.
func printWhatIfRows(l *terminal.Lines, r *record.Run, w *record.WhatIf) {
	byID := xslices.By(r.Experiments, func(e *record.Experiment) string { return e.ID })
	var of []*record.Experiment
	for _, x := range w.Experiments {
		if e := byID[x.ID]; e != nil {
			of = append(of, e)
		}
	}
	varying := result.VaryingKeys(of)
	headers := []terminal.Column{{Head: "link"}, {Head: "measured", Right: true}, {Head: "estimate", Right: true},
		{Head: "then limited by"}}
	var rows [][]terminal.Entry
	for _, x := range w.Experiments {
		name := format.Clean(x.Path)
		if e := byID[x.ID]; e != nil {
			if with := result.CombinationOf(e, varying[e.Name]).Label(); with != "" {
				name += ", " + with
			}
		}
		estimate := format.NotKnown
		if x.Predicted != nil {
			estimate = strings.ReplaceAll(report.BandText(*x.Predicted), " .. ", " to ")
		}
		if m := x.Measured; m != nil {
			estimate = format.Rate(m.Goodput.Median) + " (measured)"
		}
		rows = append(rows, terminal.Row(name, format.Rate(x.Goodput.Median), estimate, then(x)))
	}
	fit(l.Width, headers, rows)
	l.Table(headers, rows)
}

// then names what would limit an experiment with the change.
func then(x record.WhatIfOne) string {
	if len(x.Ceilings) == 0 {
		return format.NotKnown
	}
	c := x.Ceilings[0]
	if kept := x.Kept(); kept != nil {
		c = *kept
	}
	s := format.Clean(c.Component)
	if kind, _, ok := strings.Cut(s, " "); ok && strings.Contains(s, "--") {
		s = kind // the id of a link
	}
	if c.Today {
		s += ", as today"
	}
	return s
}
