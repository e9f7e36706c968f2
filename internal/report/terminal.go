package report

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// Terminal prints reports as text. The caller decides whether there is colour
// (none when Out is no terminal, and none with NO_COLOR).
type Terminal struct {
	Width int  // columns; below 60 or unknown: 80
	Color bool // bold and one accent, never as the only carrier of a meaning
	ASCII bool // for locales that are not UTF-8
	Out   io.Writer
	Page  string // path of the page, printed at the end; empty: none was written
	Found *Found // of the run that is printed, for who prints it and writes its page; nil: it is looked for
}

// lines collects what a report prints, and knows how.
type lines struct {
	Terminal
	b strings.Builder
}

func (t Terminal) lines() *lines {
	if t.Width < 60 {
		t.Width = 80
	}
	return &lines{Terminal: t}
}

// flush writes everything at once, so that a report is never printed by halves.
func (l *lines) flush() error {
	if l.Out == nil {
		return errors.New("report: no writer was given for the terminal's text; set Terminal.Out")
	}
	if _, err := io.WriteString(l.Out, l.b.String()); err != nil {
		return fmt.Errorf("report: the text could not be written: %w", err)
	}
	return nil
}

// style is a way to print words; it never widens them.
type style string

const (
	normal style = ""
	bold   style = "1"
	faint  style = "2"
	accent style = "33;1"
)

// ink puts a style around text. Text must be clean.
func (l *lines) ink(s style, text string) string {
	if l.ASCII {
		text = ascii(text)
	}
	if !l.Color || s == normal || strings.TrimSpace(text) == "" {
		return text
	}
	// The spaces around stay outside, so that a line can be trimmed.
	word := strings.Trim(text, " ")
	before, after, _ := strings.Cut(text, word)
	return before + "\x1b[" + string(s) + "m" + word + "\x1b[0m" + after
}

func (l *lines) line(parts ...string) {
	l.b.WriteString(strings.TrimRight(strings.Join(parts, ""), " "))
	l.b.WriteByte('\n')
}

func (l *lines) gap() { l.b.WriteByte('\n') }

// text prints a paragraph, wrapped to the width, with an indent.
func (l *lines) text(s style, indent int, text string) {
	for _, line := range wrap(clean(text), l.Width-indent) {
		l.line(strings.Repeat(" ", indent), l.ink(s, line))
	}
}

// items prints texts as item does, the label beside the first.
func (l *lines) items(indent, labelWidth int, label string, texts []string) {
	for i, text := range texts {
		if i > 0 {
			label = ""
		}
		l.item(indent, labelWidth, label, normal, text)
	}
}

// item prints "label  text" with the text wrapped beside its label.
func (l *lines) item(indent, labelWidth int, label string, s style, text string) {
	at := indent + labelWidth + 2
	parts := wrap(clean(text), l.Width-at)
	if len(parts) == 0 {
		parts = []string{""}
	}
	for i, part := range parts {
		left := pad("", labelWidth)
		if i == 0 {
			left = pad(clean(label), labelWidth)
		}
		l.line(strings.Repeat(" ", indent), l.ink(faint, left), "  ", l.ink(s, part))
	}
}

// command prints text that is to be copied: never wrapped, a line each.
func (l *lines) command(indent, labelWidth int, label, text string) {
	for i, line := range cleanLines(text) {
		left := pad("", labelWidth)
		if i == 0 {
			left = pad(clean(label), labelWidth)
		}
		l.line(strings.Repeat(" ", indent), l.ink(faint, left), "  ", l.ink(normal, line))
	}
}

// split prints left and right at the two ends of a line, or on two lines where
// they do not fit.
func (l *lines) split(left, right string) {
	left, right = clean(left), clean(right)
	room := l.Width - width(left) - width(right)
	switch {
	case right == "":
		l.line(l.ink(bold, left))
	case room < 2:
		l.text(bold, 0, left)
		l.line(strings.Repeat(" ", max(0, l.Width-width(right))), l.ink(normal, right))
	default:
		l.line(l.ink(bold, left), strings.Repeat(" ", room), l.ink(normal, right))
	}
}
