package docs

import (
	_ "embed"
	"strings"
)

//go:embed errors.md
var errorsPage string

// Error is a row of docs/errors.md: a kind of error in a file or on a command line.
type Error struct{ ID, What, Why, Write string }

// Errors are all kinds of errors that linerate prints with an id.
func Errors() (out []Error) {
	for line := range strings.Lines(errorsPage) {
		columns := strings.Split(strings.Trim(strings.ReplaceAll(strings.TrimSpace(line), `\|`, "\x00"), "| "), " | ")
		if strings.HasPrefix(line, "| `") && len(columns) == 4 {
			out = append(out, Error{strings.Trim(columns[0], "`"), words(columns[1]), words(columns[2]), words(columns[3])})
		}
	}
	return out
}
