package brief

import (
	"fmt"
	"slices"

	"linerate/internal/base/xslices"
	"linerate/internal/report/format"
	"linerate/internal/report/headline"
	"linerate/internal/report/result"
	"linerate/internal/report/tables"
	"linerate/internal/report/terminal"
)

// agree is the difference up to which both directions of a cable are one row.
const agree = 0.02

// mostRows is the number of rows of links; of more, the report has the worst.
const mostRows = 40

// cable is one row of the table of links: a path, or both directions of a cable that agree.
type cable struct {
	out    result.Row
	back   *result.Row // nil: the row is one direction
	label  string      // of the cable: C1
	values []string    // numbers of streams; empty: another parameter varies
}

// table is the links with their figures.
func (b *brief) table() section {
	l := b.text()
	if !slices.ContainsFunc(b.links, func(w result.Row) bool {
		return slices.ContainsFunc(w.Combinations, func(c result.Combination) bool { return c.Goodput != nil })
	}) {
		return section{}
	}
	groups := format.Groups(b.links, func(w result.Row) string { return w.Name })
	for i, rows := range groups {
		if len(groups) > 1 {
			if i > 0 {
				b.rows += 2 // its name and its header
			}
			l.Line(l.Ink(terminal.Bold, format.Clean(rows[0].Name)))
		}
		b.group(l, rows)
	}
	return of(l, len(l.Rows()))
}

// group prints the links of one experiment of the file.
func (b *brief) group(l *terminal.Lines, rows []result.Row) {
	values, varies := result.StreamColumns(rows)
	all := b.cables(rows, values, varies)
	hidden := 0
	if len(all) > mostRows {
		slices.SortStableFunc(all, compareShares)
		all, hidden = all[:mostRows], len(all)-mostRows
	}
	both := !slices.ContainsFunc(all, func(c cable) bool { return c.back == nil }) && !varies
	same := both && !slices.ContainsFunc(all, func(c cable) bool { return !flat(c, values) })
	var headers []string
	switch {
	case both && same:
		headers = []string{"->", "<-"}
	case varies:
		headers = []string{"lowest", "highest"}
	case len(values) > 2:
		headers = xslices.Map([]string{values[0], values[len(values)-1]}, result.Streams)
	default:
		headers = xslices.Map(values, result.Streams)
	}
	table := []terminal.Column{{Head: "link"}}
	for _, h := range headers {
		table = append(table, terminal.Column{Head: h, Right: true})
	}
	table = append(table, terminal.Column{Head: "lost", Right: true}, terminal.Column{Head: "ceiling", Right: true},
		terminal.Column{Head: "RTT p50", Right: true}, terminal.Column{Head: "bottleneck"})
	var entries [][]terminal.Entry
	for _, long := range []look{{true, true, true}, {false, true, true}, {false, false, true}, {}} {
		entries = nil
		for _, c := range all {
			entries = append(entries, b.row(c, long, values, same, varies))
		}
		if widthOf(table, entries) <= l.Width {
			break
		}
	}
	fit(l.Width, table, entries)
	l.Table(table, entries)
	b.rows += len(entries)
	if hidden > 0 {
		l.Text(terminal.Faint, 4, fmt.Sprintf("%d more rows, all nearer to their ceiling: --all", hidden))
	}
	text := b.below(all, values, same, varies, true)
	if format.Width(text) > l.Width-4 {
		text = b.below(all, values, same, varies, false)
	}
	if text != "" {
		l.Line("    ", l.Ink(terminal.Faint, shorten(text, l.Width-4)))
	}
}

// look is how much of a row is printed: the labels of cables, that a link is full, and the host of a bottleneck.
type look struct{ label, full, host bool }

// widthOf is the width of a table.
func widthOf(columns []terminal.Column, rows [][]terminal.Entry) int {
	used := -2
	for _, w := range widthsOf(columns, rows) {
		if w > 0 {
			used += w + 2
		}
	}
	return used
}

func widthsOf(columns []terminal.Column, rows [][]terminal.Entry) []int {
	widths := make([]int, len(columns))
	for i, c := range columns {
		for _, r := range rows {
			widths[i] = max(widths[i], format.Width(r[i].Text))
		}
		if widths[i] > 0 {
			widths[i] = max(widths[i], format.Width(c.Head))
		}
	}
	return widths
}

// fit shortens the last and the first column, so that a row has one line.
func fit(width int, columns []terminal.Column, rows [][]terminal.Entry) {
	for _, i := range []int{len(columns) - 1, 0} {
		if over := widthOf(columns, rows) - width; over > 0 {
			room := max(12, widthsOf(columns, rows)[i]-over)
			for _, r := range rows {
				r[i].Text = shorten(r[i].Text, room)
			}
		}
	}
}

// cables pairs the directions of each cable that agree.
func (b *brief) cables(rows []result.Row, values []string, varies bool) (out []cable) {
	used := map[int]bool{}
	for i, w := range rows {
		if used[i] {
			continue
		}
		c := cable{out: w, label: b.labelOf(w), values: values}
		for j := i + 1; j < len(rows) && w.Pattern == "" && !w.Both && !varies; j++ {
			if back := rows[j]; !used[j] && opposite(w, back) && agreeing(w, back, values) {
				c.back, used[j] = &back, true
				break
			}
		}
		out = append(out, c)
	}
	return out
}

// opposite reports whether two rows are the directions of one path.
func opposite(a, z result.Row) bool {
	return z.Pattern == "" && !z.Both && a.From == z.To && a.To == z.From && a.Variant == z.Variant &&
		a.Among == z.Among && slices.Equal(sorted(a.Links), sorted(z.Links))
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// agreeing reports whether both directions have the same figures, bottlenecks and losses.
func agreeing(a, z result.Row, values []string) bool {
	for _, v := range values {
		x, y := combination(a, v), combination(z, v)
		if x == nil && y == nil {
			continue
		}
		if x == nil || y == nil || x.Goodput == nil || y.Goodput == nil ||
			!near(x.Goodput.Median, y.Goodput.Median) || headline.LimiterOf(x.E, false) != headline.LimiterOf(y.E, false) ||
			tables.LossText(x.E) != tables.LossText(y.E) {
			return false
		}
	}
	return true
}

func near(a, z float64) bool { return max(a, z)-min(a, z) <= agree*max(a, z) }

func combination(w result.Row, streams string) *result.Combination {
	for i := range w.Combinations {
		if w.Combinations[i].Streams == streams {
			return &w.Combinations[i]
		}
	}
	return nil
}

// flat reports whether all numbers of streams of a cable have the same figure and bottleneck.
func flat(c cable, values []string) bool {
	for _, w := range []*result.Row{&c.out, c.back} {
		first := combination(*w, values[0])
		for _, v := range values[1:] {
			x := combination(*w, v)
			if x == nil || first == nil || x.Goodput == nil || first.Goodput == nil ||
				!near(x.Goodput.Median, first.Goodput.Median) ||
				headline.LimiterOf(x.E, false) != headline.LimiterOf(first.E, false) {
				return false
			}
		}
	}
	return true
}

// labelOf is the name of the cable of a row; empty: it has none, or several.
func (b *brief) labelOf(w result.Row) string {
	if len(w.Links) != 1 {
		return ""
	}
	for _, k := range b.run.Plan.Links {
		if k.Name == w.Links[0] {
			return format.Clean(k.Label)
		}
	}
	return ""
}
