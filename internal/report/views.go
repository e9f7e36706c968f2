package report

import (
	"slices"
	"strings"

	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/highlight"
	"linerate/internal/report/result"
	"linerate/internal/report/tables"
	"linerate/internal/report/terminal"
)

// PrintNotes prints all warnings and limits of a run.
func PrintNotes(t terminal.Terminal, r *record.Run) error {
	l := t.Lines()
	printHead(l, r)
	if s := result.Noisy(r); s != "" {
		l.Gap()
		l.Text(terminal.Normal, 0, s)
	}
	printNotes(l, r)
	if len(r.Notes)+len(r.Unchecked) > 0 {
		l.Gap()
	}
	for _, n := range r.Notes {
		l.Item(0, 9, format.Clean(n.About), terminal.Normal, n.Text)
	}
	for i, u := range r.Unchecked {
		l.Item(0, 9, []string{"unchecked", ""}[min(i, 1)], terminal.Normal, u.Subject+": "+u.Reason)
	}
	if len(Notes(r))+len(r.Notes)+len(r.Unchecked) == 0 {
		l.Gap()
		l.Text(terminal.Normal, 0, "This run has no warnings.")
	}
	return l.Flush()
}

// PrintEvidence prints the counters of every verdict, and the formulas of every ceiling.
func PrintEvidence(t terminal.Terminal, r *record.Run) error {
	l := t.Lines()
	printHead(l, r)
	printAllVerdicts(l, r, len(Causes(r)))
	seen := map[string]bool{}
	for _, e := range r.Experiments {
		c := e.Ceiling
		if c == nil || len(c.Hops) == 0 {
			continue
		}
		sub := (terminal.Terminal{Width: l.Width, ASCII: l.ASCII, Color: l.Color}).Lines()
		printChain(sub, c)
		title := "ceiling of " + format.Clean(e.Path())
		key := title + strings.Join(sub.Rows(), "\n")
		if seen[key] {
			continue
		}
		seen[key] = true
		l.Heading(title + ": " + c.Limit.String())
		for _, row := range sub.Rows() {
			l.Line(row)
		}
	}
	printEvidence(l, r.Evidence)
	return l.Flush()
}

// printChain prints every component of a path with its ceiling and its formula.
func printChain(l *terminal.Lines, c *record.Chain) {
	for _, h := range c.Hops {
		rate := format.NotKnown
		if v, known := h.Rate.Get(); known {
			rate = v.String()
		}
		l.Item(2, 10, rate, terminal.Normal, format.Clean(h.Component))
		text := format.Clean(h.Formula)
		if !h.Rate.IsKnown() {
			text = format.Clean(h.Why)
		}
		var inputs []string
		for _, in := range h.Inputs {
			s := format.Clean(in.Name) + " " + format.InputNumber(in.Name, in.Value)
			if in.Origin != record.Declared {
				s += " (" + format.Clean(string(in.Origin)) + ")"
			}
			inputs = append(inputs, s)
		}
		if len(inputs) > 0 {
			text = strings.TrimPrefix(text+"; "+strings.Join(inputs, ", "), "; ")
		}
		if text != "" {
			l.Item(2, 12, "", terminal.Faint, text)
		}
	}
}

// PrintCPU prints the threads and softirqs of every experiment.
func PrintCPU(t terminal.Terminal, r *record.Run) error {
	l := t.Lines()
	printHead(l, r)
	before := len(l.Rows())
	for _, w := range result.Rows(r) {
		for _, c := range w.Combinations {
			tables.PrintWorkOf(l, w, c)
		}
	}
	if len(l.Rows()) == before {
		l.Gap()
		l.Text(terminal.Normal, 0, "This run has no record of CPU time by thread.")
	}
	printInstrumentLine(l, r)
	printEvidence(l, r.Evidence)
	return l.Flush()
}

func printHead(l *terminal.Lines, r *record.Run) {
	l.Split(format.Clean(r.Fabric)+": "+result.Head(&r.Plan), result.LabText(r.Lab))
}

// Views are the parts of a report that a command line asks for; none: the report in short.
type Views struct{ Notes, Evidence, CPU, All bool }

// Any reports whether a part is asked for.
func (v Views) Any() bool { return slices.Contains([]bool{v.Notes, v.Evidence, v.CPU, v.All}, true) }

// Print prints the parts, one after the other.
func (v Views) Print(t terminal.Terminal, f *highlight.Found) error {
	if v.All {
		return PrintFound(t, f)
	}
	for _, part := range []struct {
		asked bool
		print func(terminal.Terminal, *record.Run) error
	}{{v.Notes, PrintNotes}, {v.Evidence, PrintEvidence}, {v.CPU, PrintCPU}} {
		if !part.asked {
			continue
		}
		if err := part.print(t, f.Run()); err != nil {
			return err
		}
	}
	return nil
}
