package connect

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

var (
	// ErrRefused marks a connection that a fabric file may not name; the command line maps it to exit code 5.
	ErrRefused = errors.New("refused for safety")
	// ErrNoProgram marks a command whose program is not on the host: a fact about the host, not a failure of the
	// connection.
	ErrNoProgram = errors.New("no such program")
	// ErrNoLab marks a lab that is not up.
	ErrNoLab = errors.New("no such lab")
	// ErrNotLive marks a connection that is not a live host, such as a folder of snapshots.
	ErrNotLive = errors.New("not a live host")
	// ErrNotAvailable marks a connection that this version knows and cannot open.
	ErrNotAvailable = errors.New("not available in this version")
)

// Error is the error of a connection: the command that was tried, the cause, and what to try.
type Error struct {
	Connection string   // as Connection.String
	Command    []string // the command that was tried on the host; empty when none was
	Exit       int      // exit code of the program that reaches the host, -1 if there is none
	Output     string   // its last lines of output, without control characters
	Cause      error    // nil if Output has it
	Try        string   // the next step
	Do, Say    string   // for ssh: Try split into its command and its text; both empty: Try is one of the two
}

// Lines returns the error with the cause first. A command to type is on a line of its own.
func (e *Error) Lines() []string {
	cause, tried := *e, Error{Connection: e.Connection, Command: e.Command, Exit: e.Exit}
	cause.Command, cause.Exit, cause.Try = nil, -1, ""
	lines := []string{cause.Error()}
	switch {
	case e.Do == "" && e.Say == "" && e.Try != "":
		lines = append(lines, "try: "+e.Try)
	default:
		if e.Do != "" {
			lines = append(lines, "type: "+e.Do)
		}
		if e.Say != "" {
			lines = append(lines, map[bool]string{true: "try: "}[e.Do == ""]+e.Say)
		}
	}
	if len(e.Command) > 0 {
		lines = append(lines, strings.TrimPrefix(tried.Error(), e.Connection+": "))
	}
	return lines
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Connection)
	if len(e.Command) > 0 {
		fmt.Fprintf(&b, ": tried %q", strings.Join(shorten(e.Command), " "))
	}
	if e.Exit >= 0 {
		fmt.Fprintf(&b, ": exit code %d", e.Exit)
	}
	if e.Cause != nil {
		fmt.Fprintf(&b, ": %v", e.Cause)
	}
	if e.Output != "" {
		fmt.Fprintf(&b, ": %s", strings.ReplaceAll(e.Output, "\n", " | "))
	}
	if e.Try != "" {
		fmt.Fprintf(&b, "; try: %s", e.Try)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Cause }

// shorten shortens long arguments, which are linerate's own scripts and not for the user to type.
func shorten(argv []string) []string {
	out := make([]string, 0, len(argv))
	for _, a := range argv {
		if r := []rune(a); len(r) > 60 {
			a = string(r[:57]) + "..."
		}
		out = append(out, a)
	}
	return out
}

// clean removes the characters that control a terminal from a host's text.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "?")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s))
}

// lastLines returns the last n non-empty lines of s, cleaned.
func lastLines(s string, n int) string {
	var keep []string
	for _, l := range strings.Split(clean(s), "\n") {
		if l = strings.TrimSpace(l); l != "" {
			keep = append(keep, l)
		}
	}
	return strings.Join(keep[max(0, len(keep)-n):], "\n")
}
