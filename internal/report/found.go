package report

import (
	"fmt"

	"linerate/internal/record"
)

// foundShown is how many findings the terminal tells of a run; the page has all.
const foundShown = 4

// found prints what was wrong on the hosts before they were measured. What a verdict names already is not told again.
func (l *lines) found(r *record.Run) {
	told := map[string]bool{}
	for _, e := range r.Experiments {
		if e.Verdict != nil {
			told[e.Verdict.Limiter] = true
		}
	}
	var shown []record.Finding
	for _, f := range r.Findings {
		if f.Severity != record.Info && !told[f.ID] {
			shown = append(shown, f)
		}
	}
	if len(shown) == 0 {
		return
	}
	l.gap()
	l.line(l.ink(bold, "found on the hosts"))
	for i, f := range shown {
		if i == foundShown {
			l.text(normal, 2, fmt.Sprintf("and %d more: linerate check %s", len(shown)-i, fabricOf(r)))
			break
		}
		s := normal
		if f.Severity == record.Error {
			s = accent
		}
		l.item(0, 7, string(f.Severity), s, fmt.Sprintf("%s: %s; wanted: %s (%s)", f.Subject, f.Have, f.Want, f.ID))
		l.item(2, 5, "costs", normal, f.Consequence)
		l.command(2, 5, "fix", f.Fix)
	}
}

// fabricOf is the run's fabric file, for a command line.
func fabricOf(r *record.Run) string {
	if r.FabricPath == "" {
		return "FABRIC.yaml"
	}
	return Command([]string{r.FabricPath})
}
