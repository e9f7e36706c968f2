package cli

import (
	"fmt"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/design/fabric"
)

// Advice is an error with what to type: each line of Help is one thing.
type Advice struct {
	ID   diag.ID // of its page; empty: none
	Text string
	Help []string
	Note []string
}

func (a *Advice) Error() string { return a.Text }

// Advise adds what to type to an error.
func Advise(err error, help ...string) *diag.Advised { return diag.Advise(err, help...) }

// UnknownName is the error of a flag whose value is not one of some names: it suggests the most similar one.
func UnknownName(flag, what, name string, names []string) error {
	a := &Advice{ID: diag.FlagValue, Text: fmt.Sprintf("%s: no %s is called %q", flag, what, Clean(name)),
		Note: []string{"names: " + FirstOf(names, 12)}}
	if near := fabric.Nearest(name, names); near != "" {
		a.Help = []string{"did you mean " + near + "?"}
	}
	return a
}

// Exclude is the error of flags that are not allowed together.
func Exclude(flags ...string) error {
	return &Advice{ID: diag.FlagsConflict, Text: strings.Join(flags, " and ") + " exclude each other",
		Help: []string{"omit one of them"}}
}
