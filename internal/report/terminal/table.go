package terminal

import (
	"strings"

	"linerate/internal/report/format"
)

// Column is a column of a table on the terminal.
type Column struct {
	Head  string
	Right bool // numbers
	Wrap  bool // only for the last column, which gets the rest of the width
}

// Entry is a cell of a table on the terminal.
type Entry struct {
	Text  string
	Style Style
}

// Row returns a row of texts without a style.
func Row(texts ...string) []Entry {
	row := make([]Entry, len(texts))
	for i, text := range texts {
		row[i].Text = text
	}
	return row
}

// Table prints rows under their headers, two spaces between columns. Columns in which no row has text are omitted. A
// row of one entry is a line of its own over all columns.
func (l *Lines) Table(columns []Column, rows [][]Entry) {
	widths := make([]int, len(columns))
	for i := range columns {
		for _, r := range rows {
			if len(r) == len(columns) {
				widths[i] = max(widths[i], format.Width(r[i].Text))
			}
		}
		if widths[i] > 0 {
			widths[i] = max(widths[i], format.Width(columns[i].Head))
		}
	}
	used := 0
	for i, w := range widths {
		if w > 0 && !columns[i].Wrap {
			used += w + 2
		}
	}
	room := max(12, l.Width-used)
	for i, c := range columns {
		if c.Wrap {
			widths[i] = min(widths[i], room)
		}
	}
	headers := make([]Entry, len(columns))
	for i, c := range columns {
		headers[i] = Entry{c.Head, Faint}
	}
	l.tableRow(columns, widths, headers)
	for _, r := range rows {
		if len(r) == 1 && len(columns) > 1 {
			l.Text(r[0].Style, 0, r[0].Text)
			continue
		}
		l.tableRow(columns, widths, r)
	}
}

func (l *Lines) tableRow(columns []Column, widths []int, row []Entry) {
	var first, rest []string
	at := 0
	var style Style
	for i, c := range columns {
		if widths[i] == 0 {
			continue
		}
		gap := ""
		if at > 0 {
			gap = "  "
		}
		text := row[i].Text
		if c.Wrap {
			broken := format.Wrap(text, widths[i])
			if len(broken) > 1 {
				text, rest = broken[0], broken[1:]
				style = row[i].Style
			}
		}
		if c.Right {
			text = format.PadLeft(text, widths[i])
		} else {
			text = format.Pad(text, widths[i])
		}
		first = append(first, gap, l.Ink(row[i].Style, text))
		if !c.Wrap {
			at += format.Width(gap) + widths[i]
		}
	}
	l.Line(first...)
	for _, text := range rest {
		l.Line(strings.Repeat(" ", at+2), l.Ink(style, text))
	}
}
