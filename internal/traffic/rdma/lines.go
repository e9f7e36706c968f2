package rdma

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Line is a line of linerate-verbs, or of linerate-mpi: its first word and its values.
type Line struct {
	By     string // the program; empty: linerate-verbs
	Word   string
	Values map[string]string
	Text   string // of text=, which is the rest of its line
	Rest   []string
}

// ParseLine reads one line. A line "error .." is an error.
// Format: docs/design/rdma.md.
func ParseLine(line string) (Line, error) {
	l := Line{Values: map[string]string{}}
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
	return l, &LineError{l}
}

// LineError is the report of linerate-verbs on a step that failed.
type LineError struct{ Line }

func (e *LineError) Error() string {
	text := e.Text
	if text == "" {
		text = e.Values["step"] + " failed"
	}
	return text
}

func (l Line) by() string { return cmp.Or(l.By, Program) }

// Number reads a required value.
func (l Line) Number(key string) (int64, error) {
	v, ok := l.Values[key]
	if !ok {
		return 0, fmt.Errorf("%s: the line %q has no %s", l.by(), l.Word, key)
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %s=%.40q of %q is not a number", l.by(), key, v, l.Word)
	}
	return n, nil
}

// mayBe reads an optional value; nil: it is missing.
func (l Line) mayBe(key string) (*int64, error) {
	if _, ok := l.Values[key]; !ok {
		return nil, nil
	}
	n, err := l.Number(key)
	return &n, err
}

// Numbers reads several values into their places.
func (l Line) Numbers(into map[string]*int64) error {
	for key, p := range into {
		n, err := l.Number(key)
		if err != nil {
			return err
		}
		*p = n
	}
	return nil
}
