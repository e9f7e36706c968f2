package brief

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/internal/report/format"
	"linerate/internal/report/terminal"
)

// goals are the goals of the file: missed, not tested, met, and what could not be measured.
func (b *brief) goals() section {
	l := b.text()
	b.failed(l)
	least := len(l.Rows()) + xslices.Count(b.run.Goals, func(g record.Goal) bool { return report.GoalWord(g) == "missed" })
	name := 0
	for _, g := range b.run.Goals {
		name = max(name, min(format.Width(format.Clean(g.Name)), 20))
	}
	first := true
	row := func(state, goal, text string, s terminal.Style) {
		left := format.Pad(unit.If(first, "goals", ""), label) + "  "
		first = false
		middle := format.Pad(state, 10) + "  "
		if goal != "" {
			middle += format.Pad(shorten(goal, name), name) + "  "
		}
		at := format.Width(left) + format.Width(middle)
		l.Line(l.Ink(terminal.Faint, left), l.Ink(s, middle), l.Ink(terminal.Normal, shorten(text, l.Width-at)))
	}
	for _, word := range []string{"missed", report.NotTested, "met"} {
		alike := map[string][]string{}
		var order []string
		for _, g := range b.run.Goals {
			if report.GoalWord(g) != word {
				continue
			}
			text := report.GoalText(g)
			if alike[text] == nil {
				order = append(order, text)
			}
			alike[text] = append(alike[text], format.Clean(g.Name))
		}
		style := unit.If(word == "missed", terminal.Accent, terminal.Normal)
		for _, text := range order {
			if names := alike[text]; len(names) == 1 {
				row(word, names[0], text, style)
			} else {
				row(word, "", strings.Join(names, ", ")+" ("+text+")", style)
			}
		}
	}
	return of(l, max(least, 1))
}

// failed prints what could not be measured, a line a reason.
func (b *brief) failed(l *terminal.Lines) {
	for _, kind := range []struct {
		head   string
		reason func(*record.Experiment) string
	}{{"failed: ", report.ReasonFailed}, {"not run: ", report.ReasonNotRun}} {
		groups := report.Missing(b.run, kind.reason)
		for i, g := range groups {
			if i == 2 {
				item(l, label, "", fmt.Sprintf("%s more: --all", unit.Counted(len(groups)-i, "reason")))
				break
			}
			names := strings.Join(g.Names, ", ")
			item(l, label, unit.If(len(l.Rows()) == 0, "tests", ""), kind.head+shorten(names, 30)+": "+g.Reason)
		}
	}
}

// notes counts the warnings and limits, with the most important one.
func (b *brief) notes() section {
	all := report.Notes(b.run)
	if len(all) == 0 {
		return section{}
	}
	best, rank := "", -1
	for _, n := range all {
		if r := important(n); r > rank {
			best, rank = n.Text, r
		}
	}
	l := b.text()
	switch {
	case len(all) == 1:
		item(l, label, "notes", best)
	case b.ref == "":
		item(l, label, "notes", fmt.Sprintf("%d, most important: %s", len(all), best))
	default:
		// The command is typed, so that it is never shortened.
		l.Line(l.Ink(terminal.Faint, format.Pad("notes", label)), "  ",
			l.Ink(terminal.Normal, fmt.Sprintf("%d: linerate report %s --notes", len(all), b.ref)))
		item(l, label, "", "most important: "+best)
	}
	return of(l, 1)
}

// important ranks a note by what it means for the figures.
func important(n report.Note) int {
	text := strings.ToLower(n.Text)
	switch {
	case n.Label == string(record.Error):
		return 5
	case strings.Contains(text, "is in") || strings.Contains(text, "replaced") || strings.Contains(text, "instead of"):
		return 4 // the figure is of another thing
	case strings.Contains(text, "other work") || strings.Contains(text, "other processes"):
		return 3
	case n.Label == "warnings" || n.Label == string(record.Warning):
		return 2
	case n.Label == "shortened":
		return 1
	}
	return 0
}

// next are the commands and files that lead on.
func (b *brief) next() section {
	l := b.text()
	var rows [][2]string
	add := func(name, text string) { rows = append(rows, [2]string{name, text}) }
	r := b.run
	if b.ref != "" {
		if b.lead != nil && len(b.lead.Verdict.Expected) > 0 {
			add("predict", fmt.Sprintf("linerate whatif %s --mtu %d", b.ref, b.lead.Verdict.Expected[0].Change.MTU))
		}
		if r.Lab != nil && r.FabricPath != "" && b.lead == nil {
			add("real hosts", "set connect: ssh USER@HOST for each host, omit --lab")
		}
		add("share", "linerate share "+b.ref)
		add("everything", "linerate report "+b.ref+" --all")
	} else if len(r.Arguments) > 1 && r.Arguments[1] == "measure" {
		add("keep it", "nothing is kept: -o DIR keeps the run's folder")
		add("everything", "the same command again with --all")
	}
	if b.term.Page != "" {
		add("full report", format.Clean(b.term.Page))
	}
	for i, row := range rows {
		l.Line(l.Ink(terminal.Faint, format.Pad(unit.If(i == 0, "next", ""), label)), "  ", format.Pad(row[0], 11), "  ",
			l.Ink(terminal.Normal, row[1]))
	}
	return of(l, min(len(rows), 2))
}
