package report

import "slices"

// figures prints a table of figures in the order of its heads, and what is said of it.
func (l *lines) figures(heads []string, rows [][]string, said []string) {
	var columns []column
	for _, h := range heads {
		columns = append(columns, column{Head: h, Right: true})
	}
	var table [][]entry
	for _, row := range rows {
		var line []entry
		for _, text := range row {
			line = append(line, entry{Text: text})
		}
		table = append(table, line)
	}
	l.table(columns, table)
	for _, s := range said {
		l.item(0, 2, "", faint, s)
	}
}

// withoutColumn leaves the columns of some heads out.
func withoutColumn(heads []string, rows [][]string, drop ...string) ([]string, [][]string) {
	var keep []int
	for i, h := range heads {
		if !slices.Contains(drop, h) {
			keep = append(keep, i)
		}
	}
	pick := func(from []string) (out []string) {
		for _, i := range keep {
			out = append(out, from[i])
		}
		return out
	}
	var out [][]string
	for _, r := range rows {
		out = append(out, pick(r))
	}
	return pick(heads), out
}
