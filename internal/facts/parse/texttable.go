package parse

import (
	"slices"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// textTable is a table in a switch's output. Its columns are found by their headers, because releases add and move
// columns.
type textTable struct {
	Headers []string
	from    []int // the start of each column, from its dashes or header
	to      []int
	Rows    []tableRow
}

// tableRow is one line of a table.
type tableRow struct {
	Line   string
	fields map[string]string // by the column's header
}

// Get returns the row's value of the first existing column of several names.
func (r tableRow) Get(headers ...string) string {
	for _, h := range headers {
		if v, ok := r.fields[h]; ok {
			return v
		}
	}
	return ""
}

var (
	WideGap  = lazyregexp.New(`\s{2,}|\t+`)
	dashLine = lazyregexp.New(`^\s*-{2,}(?:\s+-+)+\s*$`)
)

// fieldsOf returns the fields of a line, separated by at least two blanks, with the start and end of each.
func fieldsOf(line string) (fields []string, from, to []int) {
	at := 0
	for at < len(line) && (line[at] == ' ' || line[at] == '\t') {
		at++
	}
	for at < len(line) {
		end, next := len(line), len(line)
		if gap := WideGap.FindStringIndex(line[at:]); gap != nil {
			end, next = at+gap[0], at+gap[1]
		}
		if end > at {
			fields, from, to = append(fields, strings.TrimSpace(line[at:end])), append(from, at), append(to, end)
		}
		at = next
	}
	return fields, from, to
}

// Tables reads the tables of an output. The first column of each has one of the headers, in any case.
func Tables(text []byte, headers ...string) (out []textTable) {
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n\t ")
		if len(line) > 4096 {
			continue
		}
		fields, from, to := fieldsOf(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) > 1 && slices.ContainsFunc(headers, func(h string) bool { return strings.EqualFold(h, fields[0]) }) {
			out = append(out, textTable{Headers: fields, from: from, to: to})
			continue
		}
		if len(out) == 0 {
			continue
		}
		t := &out[len(out)-1]
		if dashLine.MatchString(line) {
			if len(t.Rows) == 0 {
				t.underlined(line)
			}
			continue
		}
		if r, ok := t.row(line, fields, from, to); ok {
			t.Rows = append(t.Rows, r)
		}
	}
	return out
}

// underlined takes the columns from the dashes below their headers.
func (t *textTable) underlined(line string) {
	_, from, to := dashes(line)
	if len(from) == len(t.Headers) {
		t.from, t.to = from, to
	}
}

// dashes returns the groups of dashes of a line.
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

// row assigns a line's fields to columns: in order if the numbers match, else by position.
func (t *textTable) row(line string, fields []string, from, to []int) (tableRow, bool) {
	r := tableRow{Line: strings.TrimSpace(line), fields: map[string]string{}}
	if len(fields) == len(t.Headers) {
		for i, c := range fields {
			r.fields[strings.ToUpper(t.Headers[i])] = c
		}
		return r, true
	}
	if len(fields) > len(t.Headers) || len(fields) < 2 {
		return r, false
	}
	for i, c := range fields {
		best, most := -1, -1<<30
		for j := range t.Headers {
			if over := min(to[i], t.to[j]) - max(from[i], t.from[j]); over > most { // negative: the gap between them
				best, most = j, over
			}
		}
		head := strings.ToUpper(t.Headers[best])
		if _, taken := r.fields[head]; taken {
			return r, false // two fields in one column: it is not a row of this table
		}
		r.fields[head] = c
	}
	return r, true
}
