package cli

import (
	"errors"
	"strings"
)

// Advice is an error with what to type: each line of Help is one thing.
type Advice struct {
	Text string
	Help []string
	Note []string
}

func (a *Advice) Error() string { return a.Text }

// advised returns the lines of errors of which at least one is an Advice; empty: none is.
func advised(err error) string {
	all := []error{err}
	if wrong := (*wrongLine)(nil); errors.As(err, &wrong) {
		all = wrong.errors
	}
	var lines []string
	found := false
	for _, one := range all {
		lines = append(lines, "error: "+one.Error())
		if a := (*Advice)(nil); errors.As(one, &a) {
			found = true
			for _, h := range a.Help {
				lines = append(lines, "help: "+h)
			}
			for _, n := range a.Note {
				lines = append(lines, "note: "+n)
			}
		}
	}
	if !found {
		return ""
	}
	return strings.Join(lines, "\n")
}
