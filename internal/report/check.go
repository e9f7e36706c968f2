package report

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/inspect/check"
	"linerate/internal/inspect/check/checks"
	"linerate/internal/record"
	"linerate/internal/report/terminal"
)

// Checked describes what was examined.
type Checked struct {
	What     string // "3 hosts of mesh-10g", or, if there are none, what should be examined: "mesh-10g"
	Machines int    // number of machines that reported anything
	Asked    []check.Check
	Next     string // the command that follows where nothing was found; empty: it is not known
}

// PrintCheck prints the findings of the checks, the most severe first, then what could not be examined.
func PrintCheck(t terminal.Terminal, of Checked, r check.Result) error {
	l := t.Lines()
	count := map[record.Severity]int{}
	for _, f := range r.Findings {
		count[f.Severity]++
	}
	var said []string
	for _, s := range []record.Severity{record.Error, record.Warning, record.Info} {
		if n := count[s]; n > 0 {
			word := string(s)
			if n > 1 && s != record.Info {
				word += "s"
			}
			said = append(said, fmt.Sprintf("%d %s", n, word))
		}
	}
	head := of.What + ": nothing found that holds it back"
	switch n, all := len(of.Asked), len(checks.All()); {
	case of.Machines == 0:
		head = strings.TrimPrefix(of.What+": ", ": ") + "no machine was looked at"
	case len(said) > 0:
		head = of.What + ": " + strings.Join(said, ", ")
	case n == 1:
		head += fmt.Sprintf(" by the one check of %d that was asked", all)
	case n < all:
		head += fmt.Sprintf(" by the %d of %d checks that were asked", n, all)
	}
	if n := len(r.Unknown); n > 0 {
		head += fmt.Sprintf("; %d could not be looked at", n)
	}
	l.Text(terminal.Bold, 0, head)
	for _, f := range r.Findings {
		printFinding(l, f)
	}
	if len(r.Unknown) > 0 {
		l.Heading("not known")
		for _, u := range r.Unknown {
			l.Text(terminal.Normal, 2, u.Subject+": "+u.Reason)
		}
	}
	if len(r.Findings) == 0 && of.Machines > 0 && of.Next != "" {
		l.Gap()
		l.Command(0, 4, "next", of.Next)
	}
	return l.Flush()
}

func printFinding(l *terminal.Lines, f record.Finding) {
	l.Gap()
	s := unit.If(f.Severity == record.Error, terminal.Accent, terminal.Normal)
	l.Item(0, 7, string(f.Severity), s, fmt.Sprintf("%s: %s; wanted: %s (%s)", f.Subject, f.Have, f.Want, f.ID))
	row := func(label, text string) {
		if text != "" {
			l.Item(2, 5, label, terminal.Normal, text)
		}
	}
	row("costs", f.Consequence)
	for i, e := range f.Evidence {
		label := unit.If(i > 0, "", "seen")
		l.Item(2, 5, label, terminal.Normal, fmt.Sprintf("%s, %s: %s", e.Host, e.Source, e.Line))
	}
	printCommands(l, f)
	for i, x := range f.Explains {
		label := unit.If(i > 0, "", "so")
		l.Item(2, 5, label, terminal.Normal, fmt.Sprintf("%s: %s (%s)", x.Subject, x.Have, x.ID))
	}
}

// printCommands prints the fix and the undo, each on a line of its own, however long, because a wrapped command cannot
// be copied.
func printCommands(l *terminal.Lines, f record.Finding) {
	for _, c := range []struct{ label, text string }{{"fix", f.Fix}, {"undo", f.Undo}} {
		if c.text != "" {
			l.Command(2, 5, c.label, c.text)
		}
	}
}

// PrintCheckList prints the list of checks.
func PrintCheckList(t terminal.Terminal, all []check.Check) error {
	l := t.Lines()
	for _, c := range all {
		l.Line(l.Ink(terminal.Bold, c.ID), l.Ink(terminal.Faint, "  up to "+string(c.Worst)))
		l.Text(terminal.Normal, 2, c.Title+": "+c.Why)
	}
	return l.Flush()
}
