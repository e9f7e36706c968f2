package traffic

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// verbsLine is a line of linerate-verbs, or of linerate-mpi: its first word and its values.
type verbsLine struct {
	By     string // the program; empty: linerate-verbs
	Word   string
	Values map[string]string
	Text   string // of text=, which is the rest of its line
	Rest   []string
}

// parseVerbsLine reads one line. A line "error .." is an error.
// Format: docs/design/rdma.md.
func parseVerbsLine(line string) (verbsLine, error) {
	l := verbsLine{Values: map[string]string{}}
	for _, key := range []string{" text=", " why="} {
		if head, tail, ok := strings.Cut(line, key); ok {
			line, l.Text = head, tail
			break
		}
	}
	for i, w := range strings.Fields(line) {
		key, v, ok := strings.Cut(w, "=")
		switch {
		case i == 0:
			l.Word = w
		case ok:
			l.Values[key] = v
		default:
			l.Rest = append(l.Rest, w)
		}
	}
	if l.Word != "error" {
		return l, nil
	}
	return l, &verbsError{l}
}

// verbsError is what linerate-verbs says of a step that failed.
type verbsError struct{ verbsLine }

func (e *verbsError) Error() string {
	text := e.Text
	if text == "" {
		text = e.Values["step"] + " failed"
	}
	return text
}

func (l verbsLine) program() string { return cmp.Or(l.By, VerbsProgram) }

// number reads a value that has to be there.
func (l verbsLine) number(key string) (int64, error) {
	v, ok := l.Values[key]
	if !ok {
		return 0, fmt.Errorf("%s: the line %q has no %s", l.program(), l.Word, key)
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %s=%.40q of %q is no number", l.program(), key, v, l.Word)
	}
	return n, nil
}

// mayBe reads a value that need not be there; nil: it is not.
func (l verbsLine) mayBe(key string) (*int64, error) {
	if _, ok := l.Values[key]; !ok {
		return nil, nil
	}
	n, err := l.number(key)
	return &n, err
}

// numbers reads several values into their places.
func (l verbsLine) numbers(into map[string]*int64) error {
	for key, p := range into {
		n, err := l.number(key)
		if err != nil {
			return err
		}
		*p = n
	}
	return nil
}
