package diag

import (
	"slices"
	"strings"
)

// Advised is an error with what to type and further notes. Its text has all of them, in one line.
type Advised struct {
	Err   error    // what is wrong
	Help  []string // what to type or to do, one thing each
	Notes []string
}

// Advise adds what to type to an error.
func Advise(err error, help ...string) *Advised { return &Advised{Err: err, Help: help} }

// Note adds notes.
func (a *Advised) Note(notes ...string) *Advised {
	a.Notes = append(a.Notes, notes...)
	return a
}

func (a *Advised) Error() string { return a.Err.Error() + a.rest() }

func (a *Advised) Unwrap() error { return a.Err }

// rest is the end of the text: the notes and what to type.
func (a *Advised) rest() string {
	text := ""
	for _, s := range slices.Concat(a.Notes, a.Help) {
		text += "; " + s
	}
	return text
}

// What returns what is wrong from the text of an error that ends with that of a. ok is false if other words follow.
func (a *Advised) What(text string) (what string, ok bool) { return strings.CutSuffix(text, a.rest()) }
