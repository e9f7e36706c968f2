package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/headline"
)

// followUpSteps describes the experiments that followed up a verdict, and those that were omitted.
func followUpSteps(r *record.Run, e *record.Experiment) []string {
	var out []string
	for _, x := range e.FollowUp {
		if x == nil || x.FollowedUp == nil {
			continue
		}
		figure := format.NotKnown
		switch {
		case x.Failed != "":
			figure = "failed: " + format.Clean(x.Failed)
		case x.NotRun != "":
			figure = "not run: " + format.Clean(x.NotRun)
		case x.Goodput != nil:
			figure = format.Rate(x.Goodput.Median)
			if v := x.Verdict; v != nil && v.Limiter != "" {
				figure += ", limited by " + headline.LimiterWords(v.Limiter)
			}
		}
		out = append(out, fmt.Sprintf("step %d, %s: %s", x.FollowedUp.Step, changeWords(x.FollowedUp.Change), figure))
	}
	if r.FollowUp == nil {
		return out
	}
	for _, l := range r.FollowUp.LeftOut {
		if l.Experiment == e.ID {
			out = append(out, fmt.Sprintf("left out, %s: %s", changeWords(l.Change), format.Clean(l.Because)))
		}
	}
	return out
}

// changeWords describes what differs in a step.
func changeWords(change map[string]string) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(change)) {
		if v := format.Clean(change[k]); v != "" {
			out = append(out, format.Clean(k)+" "+v)
		} else {
			out = append(out, "without "+format.Clean(k))
		}
	}
	return strings.Join(out, ", ")
}

// FollowUpNote summarizes the follow-up of a run. It is empty if nothing was followed up.
func FollowUpNote(r *record.Run) string {
	c := r.FollowUp
	if c == nil {
		return ""
	}
	if c.Steps == 0 && len(c.LeftOut) == 0 {
		return "no verdict asked for another experiment"
	}
	s := fmt.Sprintf("%s in %s of %s", unit.Counted(c.Steps, "step"), unit.Seconds(c.Seconds), unit.Seconds(c.Limit))
	if n := len(c.LeftOut); n > 0 {
		s += fmt.Sprintf("; %s left out", unit.Counted(n, "step"))
	}
	return s
}
