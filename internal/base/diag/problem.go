package diag

import (
	"fmt"
	"strings"
	"unicode"
)

// At is a place in a file: line and column counted from 1, both 0 for what was
// not written but filled in.
type At struct{ Line, Col int }

// Problem is one mistake in a file.
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

// Error prints the problem in one line, then the line of the file and a caret
// under the place:
//
//	home.yaml:7:5: host nas: "nicz" is no key of a host; ..; write nics
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

// Words are what is wrong, whose limit it is and what to write.
func (p *Problem) Words() string {
	var all []string
	for _, s := range []string{p.Message, p.Limit, p.Fix} {
		if s != "" {
			all = append(all, Visible(s))
		}
	}
	return strings.Join(all, "; ")
}

// Problems are all mistakes of a file, in its order. Compare the length with 0:
// an empty list in an error variable is not nil.
type Problems []*Problem

// Error prints all problems.
func (ps Problems) Error() string {
	texts := make([]string, len(ps))
	for i, p := range ps {
		texts[i] = p.Error()
	}
	return strings.Join(texts, "\n")
}

// Refused says whether something in the file was refused for safety.
func (ps Problems) Refused() bool {
	for _, p := range ps {
		if p.Refused {
			return true
		}
	}
	return false
}

// Visible replaces what would act on a terminal (control characters, escape
// sequences, marks that turn the direction of writing) by its number.
func Visible(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return s
	}
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

// Quote puts a text of the file into quotes, made visible and cut to a length
// that leaves room for the rest of a message.
func Quote(s string) string {
	const most = 48
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + ".."
	}
	return `"` + Visible(s) + `"`
}
