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

// Problem is one error in a file.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`   // from 1
	Col     int    `json:"column"` // in characters, from 1
	Subject string `json:"subject"`
	Message string `json:"message"`         // what is wrong
	Limit   string `json:"limit,omitempty"` // whose limit it is
	Fix     string `json:"fix,omitempty"`   // what to write instead
	Refused bool   `json:"refused"`         // for safety: exit code 5 instead of 2

	text, caret string // the line of the file and the caret, fit for a terminal
}

// Error prints the problem in one line, then the line of the file and a caret under the place:
//
//	home.yaml:7:5: host nas: "nicz" is not a key of a host; ...; write nics
//	    nicz:
//	    ^
func (p *Problem) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: %s: %s", Visible(p.File), p.Line, p.Col, Visible(p.Subject), p.Words())
	if strings.TrimSpace(p.text) != "" {
		b.WriteString("\n  " + p.text + "\n  " + p.caret)
	}
	return b.String()
}

// Words returns what is wrong, whose limit it is and what to write.
func (p *Problem) Words() string {
	var all []string
	for _, s := range []string{p.Message, p.Limit, p.Fix} {
		if s != "" {
			all = append(all, Visible(s))
		}
	}
	return strings.Join(all, "; ")
}

// Problems are all errors of a file, in its order. Check the length: an empty list in an error variable is not nil.
type Problems []*Problem

// Error prints all problems.
func (ps Problems) Error() string {
	texts := xslices.Map(ps, (*Problem).Error)
	return strings.Join(texts, "\n")
}

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
		s = string(r[:most]) + ".."
	}
	return `"` + Visible(s) + `"`
}
