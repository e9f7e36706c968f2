package connect

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

var (
	// ErrRefused marks a reach that a fabric file may not name; the command line maps it to exit code 5.
	ErrRefused = errors.New("refused for safety")
	// ErrNoProgram marks a command whose program is not on the host: a fact about the host, not a failure to get there.
	ErrNoProgram = errors.New("no such program")
	// ErrNotLive marks a reach that is no live host, such as a folder of captures.
	ErrNotLive = errors.New("not a live host")
	// ErrNotAvailable marks a reach that this version knows and cannot open.
	ErrNotAvailable = errors.New("not available in this version")
)

// Error is a reach that failed: which command was tried, what came of it, and what to try.
type Error struct {
	Reach   string   // as Reach.String
	Command []string // the command that was tried on the host; empty when none was
	Exit    int      // exit code of the program that reaches the host, -1 when there is none
	Output  string   // the last lines that it wrote, without control characters
	Cause   error    // never shown twice: nil when Output says it all
	Try     string   // the next step
	Do, Say string   // of ssh: the command of Try alone, and the words beside it; both empty: Try is one of the two
}

// Lines are the error with the cause first, for people: what is to be typed stands in a line of its own. Words are as long as they are.
func (e *Error) Lines() []string {
	cause, tried := *e, Error{Reach: e.Reach, Command: e.Command, Exit: e.Exit}
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
		lines = append(lines, strings.TrimPrefix(tried.Error(), e.Reach+": "))
	}
	return lines
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Reach)
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

// shorten keeps a message readable: long arguments are scripts of our own, not something to type again.
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

// clean removes what a terminal would obey from text that a far end wrote.
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

// lastLines returns the last n lines of s that are not empty, cleaned.
func lastLines(s string, n int) string {
	var keep []string
	for _, l := range strings.Split(clean(s), "\n") {
		if l = strings.TrimSpace(l); l != "" {
			keep = append(keep, l)
		}
	}
	if len(keep) > n {
		keep = keep[len(keep)-n:]
	}
	return strings.Join(keep, "\n")
}
