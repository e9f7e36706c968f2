package facts

import (
	"slices"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// textTable is a table of a switch's answer. Its columns are found by their heads, for releases add some and shift them.
type textTable struct {
	heads []string
	from  []int // where each column begins, by its dashes or its head
	to    []int
	rows  []tableRow
}

// tableRow is one line of a table.
type tableRow struct {
	line  string
	cells map[string]string // by the column's head
}

// first is the first of the row's columns that is there, of several names for one.
func (r tableRow) get(heads ...string) string {
	for _, h := range heads {
		if v, ok := r.cells[h]; ok {
			return v
		}
	}
	return ""
}

var (
	wideGap  = lazyregexp.New(`\s{2,}|\t+`)
	dashLine = lazyregexp.New(`^\s*-{2,}(?:\s+-+)+\s*$`)
)

// cellsOf are the words of a line between gaps of at least two blanks, with where each begins and ends.
func cellsOf(line string) (cells []string, from, to []int) {
	at := 0
	for at < len(line) && (line[at] == ' ' || line[at] == '\t') {
		at++
	}
	for at < len(line) {
		end, next := len(line), len(line)
		if gap := wideGap.FindStringIndex(line[at:]); gap != nil {
			end, next = at+gap[0], at+gap[1]
		}
		if end > at {
			cells, from, to = append(cells, strings.TrimSpace(line[at:end])), append(from, at), append(to, end)
		}
		at = next
	}
	return cells, from, to
}

// tables reads the tables of an answer. The first column of each has one of the heads, whatever its case.
func tables(text []byte, heads ...string) (out []textTable) {
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n\t ")
		if len(line) > 4096 {
			continue
		}
		cells, from, to := cellsOf(line)
		if len(cells) == 0 {
			continue
		}
		if len(cells) > 1 && slices.ContainsFunc(heads, func(h string) bool { return strings.EqualFold(h, cells[0]) }) {
			out = append(out, textTable{heads: cells, from: from, to: to})
			continue
		}
		if len(out) == 0 {
			continue
		}
		t := &out[len(out)-1]
		if dashLine.MatchString(line) {
			if len(t.rows) == 0 {
				t.underlined(line)
			}
			continue
		}
		if r, ok := t.row(line, cells, from, to); ok {
			t.rows = append(t.rows, r)
		}
	}
	return out
}

// underlined takes where the columns are from the dashes below their heads.
func (t *textTable) underlined(line string) {
	_, from, to := dashes(line)
	if len(from) == len(t.heads) {
		t.from, t.to = from, to
	}
}

// dashes are the groups of dashes of a line.
func dashes(line string) (groups []string, from, to []int) {
	for at := 0; at < len(line); {
		if line[at] != '-' {
			at++
			continue
		}
		end := at
		for end < len(line) && line[end] == '-' {
			end++
		}
		groups, from, to = append(groups, line[at:end]), append(from, at), append(to, end)
		at = end
	}
	return groups, from, to
}

// row gives a line's cells to the columns: one after the other if there are as many, else by where they stand.
func (t *textTable) row(line string, cells []string, from, to []int) (tableRow, bool) {
	r := tableRow{line: strings.TrimSpace(line), cells: map[string]string{}}
	if len(cells) == len(t.heads) {
		for i, c := range cells {
			r.cells[strings.ToUpper(t.heads[i])] = c
		}
		return r, true
	}
	if len(cells) > len(t.heads) || len(cells) < 2 {
		return r, false
	}
	for i, c := range cells {
		best, most := -1, -1<<30
		for j := range t.heads {
			if over := min(to[i], t.to[j]) - max(from[i], t.from[j]); over > most { // negative: how far apart they are
				best, most = j, over
			}
		}
		head := strings.ToUpper(t.heads[best])
		if _, taken := r.cells[head]; taken {
			return r, false // two cells in one column: it is no row of this table
		}
		r.cells[head] = c
	}
	return r, true
}
