package report

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/highlight"
	"linerate/internal/report/result"
	"linerate/internal/report/terminal"
)

// foundShown is the number of findings of a run on the terminal. The page has all.
const foundShown = 4

// PrintFoundOnHosts prints the findings on the hosts before the measurement. One whose fix a verdict above already has
// takes one line.
func PrintFoundOnHosts(l *terminal.Lines, r *record.Run) {
	shown := xslices.Filter(r.Findings, func(f record.Finding) bool { return f.Severity != record.Info })
	if len(shown) == 0 {
		return
	}
	l.Heading("found on the hosts")
	for i, f := range shown {
		if i == foundShown {
			l.Text(terminal.Normal, 2, fmt.Sprintf("and %d more: linerate check %s", len(shown)-i, fabricOf(r)))
			break
		}
		s := unit.If(f.Severity == record.Error, terminal.Accent, terminal.Normal)
		l.Item(0, 7, string(f.Severity), s, fmt.Sprintf("%s: %s; wanted: %s (%s)", f.Subject, f.Have, f.Want, f.ID))
		if FixedByVerdict(r, f) {
			continue
		}
		l.Item(2, 5, "costs", terminal.Normal, f.Consequence)
		l.Command(2, 5, "fix", f.Fix)
	}
}

// FixedByVerdict reports whether a verdict on the same host already has a finding's fix.
func FixedByVerdict(r *record.Run, f record.Finding) bool {
	first, _, _ := strings.Cut(f.Fix, "\n") // others are alternatives, or have the host before them in a verdict
	return first != "" && slices.ContainsFunc(r.Experiments, func(e *record.Experiment) bool {
		v := e.Verdict
		return v != nil && strings.Contains(v.Fix, first) && strings.Contains(v.Component+" "+v.Sentence, f.Subject.Host)
	})
}

// fabricOf is the run's fabric file, for a command line.
func fabricOf(r *record.Run) string {
	if r.FabricPath == "" {
		return "FABRIC.yaml"
	}
	return format.Command([]string{r.FabricPath})
}

// keysInText is the number of highlights in a text; the page has more, the JSON all.
const keysInText = 5

// printKeys prints the strongest highlights that the tables above do not already have.
func printKeys(l *terminal.Lines, f *highlight.Found) {
	found := f.All()
	var said []string
	left := 0
	for _, f := range found {
		switch {
		case f.Kind == "line-rate", f.Kind == "paths" && len(f.About) <= 2:
		case len(said) == keysInText:
			left++
		default:
			said = append(said, f.InText())
		}
	}
	if len(said) == 0 {
		return
	}
	l.Gap()
	head := l.Ink(terminal.Bold, "highlights")
	if mark := result.LabShort(f.Run().Lab); mark != "" {
		head += " (" + mark + ")"
	}
	l.Line(head)
	for _, text := range said {
		for i, part := range format.Wrap(format.Clean(text), l.Width-4) {
			l.Line(unit.If(i == 0, "  - ", "    "), l.Ink(terminal.Normal, part))
		}
	}
	if left > 0 {
		l.Line("    ",
			l.Ink(terminal.Faint, fmt.Sprintf("and %d more in the report's page and in linerate report --json", left)))
	}
}
