package report

import (
	"fmt"
	"strings"

	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// Checked is what was looked at.
type Checked struct {
	What     string // "3 hosts of mesh-10g", or where there are none what was to be looked at: "mesh-10g"
	Machines int    // how many have told anything; of none nothing is known
	Asked    []check.Check
}

// Check prints what the checks say: the findings by what they cost, then what could not be looked at.
func (t Terminal) Check(of Checked, r check.Result) error {
	l := t.lines()
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
	switch n, all := len(of.Asked), len(check.Checks()); {
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
	l.text(bold, 0, head)
	for _, f := range r.Findings {
		l.finding(f)
	}
	if len(r.Unknown) > 0 {
		l.gap()
		l.line(l.ink(bold, "not known"))
		for _, u := range r.Unknown {
			l.text(normal, 2, u.Subject+": "+u.Reason)
		}
	}
	return l.flush()
}

func (l *lines) finding(f record.Finding) {
	l.gap()
	s := normal
	if f.Severity == record.Error {
		s = accent
	}
	l.item(0, 7, string(f.Severity), s, fmt.Sprintf("%s: %s; wanted: %s (%s)", f.Subject, f.Have, f.Want, f.ID))
	row := func(label, text string) {
		if text != "" {
			l.item(2, 5, label, normal, text)
		}
	}
	row("costs", f.Consequence)
	for i, e := range f.Evidence {
		label := "seen"
		if i > 0 {
			label = ""
		}
		l.item(2, 5, label, normal, fmt.Sprintf("%s, %s: %s", e.Host, e.Source, e.Line))
	}
	l.commands(f)
	for i, x := range f.Explains {
		label := "so"
		if i > 0 {
			label = ""
		}
		l.item(2, 5, label, normal, fmt.Sprintf("%s: %s (%s)", x.Subject, x.Have, x.ID))
	}
}

// commands are the fix and the undo, each on a line of its own however long: a command that is broken cannot be copied.
func (l *lines) commands(f record.Finding) {
	for _, c := range []struct{ label, text string }{{"fix", f.Fix}, {"undo", f.Undo}} {
		if c.text != "" {
			l.command(2, 5, c.label, c.text)
		}
	}
}

// CheckList prints which checks there are.
func (t Terminal) CheckList(all []check.Check) error {
	l := t.lines()
	for _, c := range all {
		l.line(l.ink(bold, c.ID), l.ink(faint, "  up to "+string(c.Worst)))
		l.text(normal, 2, c.Title+": "+c.Why)
	}
	return l.flush()
}
