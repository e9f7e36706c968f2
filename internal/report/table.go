package report

import "strings"

// column is a column of a table on the terminal.
type column struct {
	Head  string
	Right bool // numbers
	Wrap  bool // the last column may: it takes what is left of the width
}

// entry is a cell of a table on the terminal.
type entry struct {
	Text  string
	Style style
}

// table prints rows under their heads, two spaces between columns. Columns in
// which no row has text are left out. A row of one entry is a line of its own over all columns.
func (l *lines) table(columns []column, rows [][]entry) {
	widths := make([]int, len(columns))
	for i := range columns {
		for _, r := range rows {
			if len(r) == len(columns) {
				widths[i] = max(widths[i], width(r[i].Text))
			}
		}
		if widths[i] > 0 {
			widths[i] = max(widths[i], width(columns[i].Head))
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
	heads := make([]entry, len(columns))
	for i, c := range columns {
		heads[i] = entry{c.Head, faint}
	}
	l.tableRow(columns, widths, heads)
	for _, r := range rows {
		if len(r) == 1 && len(columns) > 1 {
			l.text(r[0].Style, 0, r[0].Text)
			continue
		}
		l.tableRow(columns, widths, r)
	}
}

func (l *lines) tableRow(columns []column, widths []int, row []entry) {
	var first, rest []string
	at := 0
	var style style
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
			broken := wrap(text, widths[i])
			if len(broken) > 1 {
				text, rest = broken[0], broken[1:]
				style = row[i].Style
			}
		}
		if c.Right {
			text = padLeft(text, widths[i])
		} else {
			text = pad(text, widths[i])
		}
		first = append(first, gap, l.ink(row[i].Style, text))
		if !c.Wrap {
			at += width(gap) + widths[i]
		}
	}
	l.line(first...)
	for _, text := range rest {
		l.line(strings.Repeat(" ", at+2), l.ink(style, text))
	}
}
