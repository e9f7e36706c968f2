package report

import (
	"cmp"
	"fmt"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/report/chart"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
	"linerate/internal/report/terminal"
)

// printSweeps prints each sweep: a line for each system with its shape, and the table of shares.
func printSweeps(l *terminal.Lines, all []result.Row) {
	for _, s := range chart.Sweeps(all, "") {
		l.Heading(strings.ReplaceAll(s.Title, "→", "->"))
		wide := 0
		var names []string
		for _, p := range s.Panels {
			for _, y := range p.Systems {
				name := p.Row.Path()
				if y.Name != "" {
					name += ", " + y.Name
				}
				names = append(names, name)
				wide = max(wide, format.Width(name))
			}
		}
		others := true // shape and text are on the line of their name
		for _, p := range s.Panels {
			for _, y := range p.Systems {
				others = others && 2+wide+2+len(s.Xs)+2+format.Width(s.LineRate(y)) <= l.Width
			}
		}
		n := 0
		for _, p := range s.Panels {
			for _, y := range p.Systems {
				if others {
					l.Line("  ", format.Pad(names[n], wide), "  ", shapeText(l, &s, y), "  ", s.LineRate(y))
				} else {
					l.Text(terminal.Normal, 2, names[n]+": "+s.LineRate(y))
					if 4+len(s.Xs) <= l.Width {
						l.Line("    ", shapeText(l, &s, y))
					}
				}
				n++
			}
		}
		printShares(l, &s)
	}
}

// heights are the levels of a system's shape; the highest is the ceiling.
var heights = []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}

// shapeText draws the shares of the ceiling over the parameter, a character for each value: the lowest is below an
// eighth, the highest the line rate.
func shapeText(l *terminal.Lines, s *chart.Sweep, y chart.System) string {
	var b strings.Builder
	for _, x := range s.Xs {
		c, ok := y.Combinations[x]
		v, known := 0.0, false
		if ok {
			v, known = c.Share()
		}
		switch {
		case !known:
			b.WriteByte('?')
		case l.ASCII:
			b.WriteByte("0123456789"[min(9, max(0, int(v*10)))])
		case v >= chart.Full:
			b.WriteString(heights[7])
		default:
			b.WriteString(heights[min(6, max(0, int(v*8)))])
		}
	}
	return l.Ink(terminal.Normal, b.String())
}

// mostShares is the largest number of columns of shares in a text. The page and its data have more.
const mostShares = 24

// printShares prints the table: rows are the values of the parameter, columns the directions and systems, as many side
// by side as fit.
func printShares(l *terminal.Lines, s *chart.Sweep) {
	var columns []terminal.Column
	var texts [][]string // one for each column
	first := s.Panels[0].Row
	for _, p := range s.Panels {
		word := "out"
		switch {
		case p.Row.Both:
			word = "both"
		case p.Row.From != first.From && !first.Both:
			word = "in"
		case first.Both && p.Row.From > p.Row.To:
			word = "in"
		}
		for _, y := range p.Systems {
			head := strings.TrimSpace(word + " " + y.Short)
			if len(s.Panels) == 1 {
				head = y.Short
			}
			head = cmp.Or(head, "goodput")
			columns = append(columns, terminal.Column{Head: head, Right: true})
			of := xslices.Map(s.Xs, y.Share)
			texts = append(texts, of)
		}
	}
	if len(columns) > mostShares {
		l.Text(terminal.Faint, 2,
			fmt.Sprintf("The %d shares of the ceiling are in the report's page, and in linerate report --json.",
				len(columns)*len(s.Xs)))
		return
	}
	shortHeaders(columns)
	for at := 0; at < len(columns); {
		l.Text(terminal.Faint, 0, "share of the ceiling in %")
		used, n := 7, 0
		for at+n < len(columns) && (n == 0 || used+2+max(5, format.Width(columns[at+n].Head)) <= l.Width) {
			used += 2 + max(5, format.Width(columns[at+n].Head))
			n++
		}
		head := append([]terminal.Column{{Head: format.Shorten(s.Key, 9)}}, columns[at:at+n]...)
		var table [][]terminal.Entry
		for i, x := range s.Xs {
			line := []terminal.Entry{{Text: s.Value(x)}}
			for _, of := range texts[at : at+n] {
				line = append(line, terminal.Entry{Text: strings.TrimSuffix(of[i], " %")})
			}
			table = append(table, line)
		}
		l.Table(head, table)
		at += n
	}
}

// shortHeaders cuts long headers of columns, unless two would then be equal.
func shortHeaders(columns []terminal.Column) {
	const room = 16
	seen := xslices.SetOf(columns, func(c terminal.Column) string { return format.Shorten(c.Head, room) })
	for i := range columns {
		if len(seen) == len(columns) {
			columns[i].Head = format.Shorten(columns[i].Head, room)
		}
	}
}
