package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// chaseSteps are the experiments that were made for the verdict of another one, in words, and those that were not.
func chaseSteps(r *record.Run, e *record.Experiment) []string {
	var out []string
	for _, x := range e.Chase {
		if x == nil || x.Chased == nil {
			continue
		}
		figure := notKnown
		switch {
		case x.Failed != "":
			figure = "failed: " + clean(x.Failed)
		case x.NotRun != "":
			figure = "not run: " + clean(x.NotRun)
		case x.Goodput != nil:
			figure = rate(x.Goodput.Median)
			if v := x.Verdict; v != nil && v.Limiter != "" {
				figure += ", limited by " + limiterWords(v.Limiter)
			}
		}
		out = append(out, fmt.Sprintf("step %d, %s: %s", x.Chased.Step, changeWords(x.Chased.Change), figure))
	}
	if r.Chase == nil {
		return out
	}
	for _, l := range r.Chase.LeftOut {
		if l.Experiment == e.ID {
			out = append(out, fmt.Sprintf("left out, %s: %s", changeWords(l.Change), clean(l.Because)))
		}
	}
	return out
}

// changeWords says what a step has otherwise.
func changeWords(change map[string]string) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(change)) {
		if v := clean(change[k]); v != "" {
			out = append(out, clean(k)+" "+v)
		} else {
			out = append(out, "without "+clean(k))
		}
	}
	return strings.Join(out, ", ")
}

// chaseNote is how the chase of a run went as a whole; empty: there was none.
func chaseNote(r *record.Run) string {
	c := r.Chase
	if c == nil {
		return ""
	}
	if c.Steps == 0 && len(c.LeftOut) == 0 {
		return "no verdict asked for another experiment"
	}
	s := fmt.Sprintf("%s in %s of %s", Count(c.Steps, "step"), unit.Seconds(c.Seconds), unit.Seconds(c.Limit))
	if n := len(c.LeftOut); n > 0 {
		s += fmt.Sprintf("; %s left out", Count(n, "step"))
	}
	return s
}
