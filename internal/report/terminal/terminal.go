package terminal

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"linerate/internal/report/format"
)

// Terminal prints reports as text. The caller decides whether there is colour (none when Out is not a terminal, and
// none with NO_COLOR).
type Terminal struct {
	Width int  // columns; below 60 or unknown: 80
	Color bool // bold and one accent, never the only sign of a meaning
	ASCII bool // for locales that are not UTF-8
	Out   io.Writer
	Page  string // path of the page, printed at the end; empty: none was written
}

// Lines collects the lines of a report.
type Lines struct {
	Terminal
	b strings.Builder
}

// Lines returns an empty report.
func (t Terminal) Lines() *Lines {
	if t.Width < 60 {
		t.Width = 80
	}
	return &Lines{Terminal: t}
}

// Rows returns the lines so far, for a caller that chooses among them.
func (l *Lines) Rows() []string {
	if l.b.Len() == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(l.b.String(), "\n"), "\n")
}

// Flush writes everything at once, so that a report is never printed partially.
func (l *Lines) Flush() error {
	if l.Out == nil {
		return errors.New("report: no writer was given for the terminal's text; set Terminal.Out")
	}
	if _, err := io.WriteString(l.Out, l.b.String()); err != nil {
		return fmt.Errorf("report: the text could not be written: %w", err)
	}
	return nil
}

// Style is a style of text, which does not change its width.
type Style string

// The styles of words.
const (
	Normal Style = ""
	Bold   Style = "1"
	Faint  Style = "2"
	Accent Style = "33;1"
)

// Ink puts a style around text. Text must be clean.
func (l *Lines) Ink(s Style, text string) string {
	if l.ASCII {
		text = format.ASCII(text)
	}
	if !l.Color || s == Normal || strings.TrimSpace(text) == "" {
		return text
	}
	// The spaces around stay outside, so that a line can be trimmed.
	word := strings.Trim(text, " ")
	before, after, _ := strings.Cut(text, word)
	return before + "\x1b[" + string(s) + "m" + word + "\x1b[0m" + after
}

// Line prints the parts of a line, which must be clean, without spaces at its end.
func (l *Lines) Line(parts ...string) {
	l.b.WriteString(strings.TrimRight(strings.Join(parts, ""), " "))
	l.b.WriteByte('\n')
}

// Gap prints an empty line.
func (l *Lines) Gap() { l.b.WriteByte('\n') }

// Heading prints an empty line and a line in bold. Text must be clean.
func (l *Lines) Heading(text string) {
	l.Gap()
	l.Line(l.Ink(Bold, text))
}

// Text prints a paragraph, wrapped to the width, with an indent.
func (l *Lines) Text(s Style, indent int, text string) {
	for _, line := range format.Wrap(format.Clean(text), l.Width-indent) {
		l.Line(strings.Repeat(" ", indent), l.Ink(s, line))
	}
}

// Items prints texts as Item does, the label in front of the first.
func (l *Lines) Items(indent, labelWidth int, label string, texts []string) {
	for i, text := range texts {
		if i > 0 {
			label = ""
		}
		l.Item(indent, labelWidth, label, Normal, text)
	}
}

// Item prints "label  text" with the text wrapped to the right of its label.
func (l *Lines) Item(indent, labelWidth int, label string, s Style, text string) {
	at := indent + labelWidth + 2
	parts := format.Wrap(format.Clean(text), l.Width-at)
	if len(parts) == 0 {
		parts = []string{""}
	}
	for i, part := range parts {
		left := format.Pad("", labelWidth)
		if i == 0 {
			left = format.Pad(format.Clean(label), labelWidth)
		}
		l.Line(strings.Repeat(" ", indent), l.Ink(Faint, left), "  ", l.Ink(s, part))
	}
}

// Command prints text for copying: never wrapped, one line each.
func (l *Lines) Command(indent, labelWidth int, label, text string) {
	for i, line := range format.CleanLines(text) {
		left := format.Pad("", labelWidth)
		if i == 0 {
			left = format.Pad(format.Clean(label), labelWidth)
		}
		l.Line(strings.Repeat(" ", indent), l.Ink(Faint, left), "  ", l.Ink(Normal, line))
	}
}

// Split prints left and right at the two ends of a line, or on two lines where they do not fit.
func (l *Lines) Split(left, right string) {
	left, right = format.Clean(left), format.Clean(right)
	room := l.Width - format.Width(left) - format.Width(right)
	switch {
	case right == "":
		l.Line(l.Ink(Bold, left))
	case room < 2:
		l.Text(Bold, 0, left)
		l.Line(strings.Repeat(" ", max(0, l.Width-format.Width(right))), l.Ink(Normal, right))
	default:
		l.Line(l.Ink(Bold, left), strings.Repeat(" ", room), l.Ink(Normal, right))
	}
}
