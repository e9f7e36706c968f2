package doctor

import (
	"fmt"

	"linerate/internal/record"
)

// State is how it stands with what a line is about.
type State string

// The states, the worst last but one; what is not known is neither fine nor wrong.
const (
	OK       State = "ok"
	Warning  State = "warning"   // a run works, and something is missing in it or is slower
	Problem  State = "problem"   // a run, or what somebody wants of it, does not work
	NotKnown State = "not known" // the text begins with the reason: "not known, because .."
)

// Line is one thing that was looked at.
type Line struct {
	Topic string `json:"topic"`
	Host  string `json:"host"` // empty: it is about several
	State State  `json:"state"`
	Text  string `json:"text"`
	// Do is what to type, a line each, on the host On: commands for its system. Without On they are for the machine that linerate is typed on.
	Do []string `json:"do"`
	On string   `json:"on"`
}

// itself stands for the line's own host until its name is put in.
const itself = "*"

func ok(format string, args ...any) Line { return Line{State: OK, Text: fmt.Sprintf(format, args...)} }

func notKnown(format string, args ...any) Line {
	return Line{State: NotKnown, Text: "not known, because " + fmt.Sprintf(format, args...)}
}

func warning(format string, args ...any) Line {
	return Line{State: Warning, Text: fmt.Sprintf(format, args...)}
}

func problem(format string, args ...any) Line {
	return Line{State: Problem, Text: fmt.Sprintf(format, args...)}
}

// do adds what to type on the host itself.
func (l Line) do(commands ...string) Line { l.Do, l.On = append(l.Do, commands...), itself; return l }

// here adds what to type on the machine that linerate is typed on.
func (l Line) here(commands ...string) Line { l.Do, l.On = append(l.Do, commands...), ""; return l }

// stateOf is what a finding's severity means here: what is only worth knowing is fine.
func stateOf(s record.Severity) State {
	switch s {
	case record.Error:
		return Problem
	case record.Warning:
		return Warning
	}
	return OK
}
