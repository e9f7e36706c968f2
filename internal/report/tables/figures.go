package tables

import (
	"slices"

	"linerate/internal/base/xslices"
	"linerate/internal/report/terminal"
)

// printFigures prints a table of figures in the order of its headers, and the notes on it.
func printFigures(l *terminal.Lines, headers []string, rows [][]string, said []string) {
	var columns []terminal.Column
	for _, h := range headers {
		columns = append(columns, terminal.Column{Head: h, Right: true})
	}
	var table [][]terminal.Entry
	for _, row := range rows {
		line := xslices.Map(row, func(text string) terminal.Entry { return terminal.Entry{Text: text} })
		table = append(table, line)
	}
	l.Table(columns, table)
	for _, s := range said {
		l.Item(0, 2, "", terminal.Faint, s)
	}
}

// withoutColumn omits the columns of some headers.
func withoutColumn(headers []string, rows [][]string, drop ...string) ([]string, [][]string) {
	var keep []int
	for i, h := range headers {
		if !slices.Contains(drop, h) {
			keep = append(keep, i)
		}
	}
	pick := func(from []string) []string {
		return xslices.Map(keep, func(i int) string { return from[i] })
	}
	return pick(headers), xslices.Map(rows, pick)
}
