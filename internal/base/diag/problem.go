package diag

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"linerate/internal/base/xslices"
)

// At is a place in a file. Line and column count from 1; both are 0 for a default that the file does not contain.
type At struct{ Line, Col int }

// Problem is one error in a file, or on a command line.
type Problem struct {
	ID      ID     `json:"id,omitempty"`
	File    string `json:"file"`
	Line    int    `json:"line"`   // from 1; 0: the problem has no place
	Col     int    `json:"column"` // in characters, from 1
	Subject string `json:"subject"`
	Message string `json:"message"`         // what is wrong, in one sentence
	Limit   string `json:"limit,omitempty"` // whose limit it is
	Fix     string `json:"fix,omitempty"`   // what to write instead, one thing a line
	Refused bool   `json:"refused"`         // for safety: exit code 5 instead of 2

	// Notes are further lines, below the help.
	Notes []string `json:"notes,omitempty"`
	// Of is the part of the subject that is printed even if the limit has its place: the variant.
	Of string `json:"-"`
	// Users are the subjects that share the problem; it is reported at the first of them.
	Users []string `json:"-"`

	text, caret string // the line of the file and the carets, fit for a terminal
}

// Error prints the problem without colour.
func (p *Problem) Error() string { return p.Text(Plain) }

// Words returns what is wrong, whose limit it is and what to write in one line.
func (p *Problem) Words() string {
	var all []string
	for _, s := range append([]string{p.Message, p.Limit}, strings.Split(p.Fix, "\n")...) {
		if s != "" {
			all = append(all, Visible(s))
		}
	}
	return strings.Join(all, "; ")
}

// Problems are all errors of a file, in its order. Check the length: an empty list in an error variable is not nil.
type Problems []*Problem

// Error prints all problems without colour.
func (ps Problems) Error() string { return ps.Text(Plain) }

// Refused reports whether something in the file was refused for safety.
func (ps Problems) Refused() bool {
	return slices.ContainsFunc(ps, func(p *Problem) bool { return p.Refused })
}

// Visible replaces characters that would control a terminal (control characters, escape sequences, bidirectional marks)
// by their code points.
func Visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "<%04X>", r)
		}
	}
	return b.String()
}

// Quote returns a text of the file in quotes, made visible and cut so that the rest of a message has room.
func Quote(s string) string {
	const most = 48
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "..."
	}
	return `"` + Visible(s) + `"`
}

// visibleLines is Visible of each line.
func visibleLines(s string) []string { return xslices.Map(strings.Split(s, "\n"), Visible) }
