package doctor

import (
	"fmt"

	"linerate/internal/record"
)

// State is the state of the subject of a line.
type State string

// The states, from good to bad, and then NotKnown, which is neither.
const (
	OK       State = "ok"
	Warning  State = "warning"   // a run works, but something is missing or slower
	Problem  State = "problem"   // a run, or a requested part of it, does not work
	NotKnown State = "not known" // the text begins with the reason: "not known, because .."
)

// Line is the result about one thing.
type Line struct {
	Topic string `json:"topic"`
	Host  string `json:"host"` // empty: it is about several hosts
	State State  `json:"state"`
	Text  string `json:"text"`
	// Do are the commands to type on the host On, one a line. Without On they are for this machine.
	Do []string `json:"do"`
	On string   `json:"on"`
}

// itself stands for the line's own host until its name is set.
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

// do adds commands to type on the host itself.
func (l Line) do(commands ...string) Line { l.Do, l.On = append(l.Do, commands...), itself; return l }

// here adds commands to type on this machine.
func (l Line) here(commands ...string) Line { l.Do, l.On = append(l.Do, commands...), ""; return l }

// stateOf converts a finding's severity: information is fine.
func stateOf(s record.Severity) State {
	switch s {
	case record.Error:
		return Problem
	case record.Warning:
		return Warning
	}
	return OK
}
