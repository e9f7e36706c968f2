package report

import (
	"slices"
	"strings"

	limiters "linerate/internal/explain/cause"
	"linerate/internal/record"
	"linerate/internal/report/format"
)

// Fix returns the steps that remove the cause, each with a heading and the host to type it on.
func (c Cause) Fix() []Step { return steps(c.Verdict, c.Verdict.Fix, "Fix") }

// Undo returns the steps that undo the fix.
func (c Cause) Undo() []Step { return steps(c.Verdict, c.Verdict.Undo, "Undo") }

// Next returns the steps that would tell more, including commands of linerate itself.
func (c Cause) Next() []Step {
	out := steps(c.Verdict, c.Verdict.NextExperiment, "Next test")
	for i := range out {
		out[i].Command = out[i].Command || strings.HasPrefix(out[i].Text, "linerate ")
		// The text in brackets after a command is for its reader, not for a shell.
		if text, said, ok := strings.Cut(out[i].Text, "   ("); ok && out[i].Command && strings.HasSuffix(said, ")") {
			out[i].Text = text
			out[i].Label = strings.TrimPrefix(out[i].Label+", "+strings.TrimSuffix(said, ")"), ", ")
		}
	}
	return out
}

// Step is a command to copy, or a sentence, with its heading; empty: it belongs to the one before.
type Step struct {
	Label, Text string
	Command     bool
}

// Sentence is a step that is not to be copied, as a sentence of its own.
func (s Step) Sentence() string { return format.Sentence(s.Text) }

func steps(v *record.Verdict, text, label string) (out []Step) {
	at := ""
	for i, s := range record.StepsOf(text) {
		on := TypedOn(v, s)
		if i > 0 {
			label = ""
			if on != "" && on != at {
				label = "On " + on
			}
		} else if on != "" {
			label += ", on " + on
		}
		if s.Command {
			at = on
		}
		out = append(out, Step{label, s.Text, s.Command})
	}
	return out
}

// TypedOn returns the host to type a step on, as it is printed.
func TypedOn(v *record.Verdict, s record.Step) string { return format.Clean(v.TypedOn(s)) }

// Plain returns the meaning of the verdict.
func (c Cause) Plain() string { return limiters.Plain(c.Verdict) }

// Sure describes the confidence of the verdict, and its basis.
func (c Cause) Sure() string {
	switch c.Verdict.Confidence {
	case "proved":
		if c.Verdict.Identity != nil {
			return "Proved: two figures that have to be equal if this is the cause are equal, within 5 %."
		}
		return "Proved."
	case "likely":
		return "Likely: two independent pieces of evidence speak for it, and none against."
	}
	return ""
}

// Before reports whether any evidence has a value before the load.
func (c Cause) Before() bool {
	return slices.ContainsFunc(c.Verdict.Evidence, func(e record.Evidence) bool { return e.Before != nil })
}

// Idle reports whether any evidence has a value without the load.
func (c Cause) Idle() bool {
	return slices.ContainsFunc(c.Verdict.Evidence, func(e record.Evidence) bool { return e.IdlePerSecond != nil })
}
