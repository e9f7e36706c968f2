package report

import (
	"fmt"
	"strings"
)

// sweepText prints what each sweep says: a line a system with its shape, and the table of shares.
func (l *lines) sweepText(all []row) {
	for _, s := range sweeps(all, "") {
		l.gap()
		l.line(l.ink(bold, strings.ReplaceAll(s.Title, "→", "->")))
		wide := 0
		var names []string
		for _, p := range s.panels {
			for _, y := range p.systems {
				name := p.row.path()
				if y.name != "" {
					name += ", " + y.name
				}
				names = append(names, name)
				wide = max(wide, width(name))
			}
		}
		beside := true // shape and words, on the line of their name
		for _, p := range s.panels {
			for _, y := range p.systems {
				beside = beside && 2+wide+2+len(s.xs)+2+width(s.lineRate(y)) <= l.Width
			}
		}
		n := 0
		for _, p := range s.panels {
			for _, y := range p.systems {
				if beside {
					l.line("  ", pad(names[n], wide), "  ", l.shape(&s, y), "  ", s.lineRate(y))
				} else {
					l.text(normal, 2, names[n]+": "+s.lineRate(y))
					if 4+len(s.xs) <= l.Width {
						l.line("    ", l.shape(&s, y))
					}
				}
				n++
			}
		}
		l.shares(&s)
	}
}

// heights are the levels of a system's shape; the highest is the ceiling.
var heights = []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}

// shape draws the shares of the ceiling over the axis, a character a value: the lowest is below an eighth, the highest the line rate.
func (l *lines) shape(s *sweep, y system) string {
	var b strings.Builder
	for _, x := range s.xs {
		c, ok := y.cells[x]
		v, known := 0.0, false
		if ok {
			v, known = c.share()
		}
		switch {
		case !known:
			b.WriteByte('?')
		case l.ASCII:
			b.WriteByte("0123456789"[min(9, max(0, int(v*10)))])
		case v >= full:
			b.WriteString(heights[7])
		default:
			b.WriteString(heights[min(6, max(0, int(v*8)))])
		}
	}
	return l.ink(normal, b.String())
}

// mostShares is how many columns of shares a text lists; those of more are in the page and its data.
const mostShares = 24

// shares prints the table: rows are the values of the axis, columns the directions and systems, as many beside each
// other as fit.
func (l *lines) shares(s *sweep) {
	var columns []column
	var texts [][]string // a column each
	first := s.panels[0].row
	for _, p := range s.panels {
		word := "out"
		switch {
		case p.row.Both:
			word = "both"
		case p.row.From != first.From && !first.Both:
			word = "in"
		case first.Both && p.row.From > p.row.To:
			word = "in"
		}
		for _, y := range p.systems {
			head := strings.TrimSpace(word + " " + y.short)
			if len(s.panels) == 1 {
				head = y.short
			}
			if head == "" {
				head = "goodput"
			}
			columns = append(columns, column{Head: head, Right: true})
			var of []string
			for _, x := range s.xs {
				of = append(of, y.share(x))
			}
			texts = append(texts, of)
		}
	}
	if len(columns) > mostShares {
		l.text(faint, 2, fmt.Sprintf("The %d shares of the ceiling are in the report's page, and in linerate report --json.", len(columns)*len(s.xs)))
		return
	}
	shortHeads(columns)
	for at := 0; at < len(columns); {
		l.text(faint, 0, "share of the ceiling in %")
		used, n := 7, 0
		for at+n < len(columns) && (n == 0 || used+2+max(5, width(columns[at+n].Head)) <= l.Width) {
			used += 2 + max(5, width(columns[at+n].Head))
			n++
		}
		head := append([]column{{Head: shorten(s.Key, 9)}}, columns[at:at+n]...)
		var table [][]entry
		for i, x := range s.xs {
			line := []entry{{Text: s.value(x)}}
			for _, of := range texts[at : at+n] {
				line = append(line, entry{Text: strings.TrimSuffix(of[i], " %")})
			}
			table = append(table, line)
		}
		l.table(head, table)
		at += n
	}
}

// shortHeads cuts long heads of columns, unless two could not be told apart then.
func shortHeads(columns []column) {
	const room = 16
	seen := map[string]bool{}
	for _, c := range columns {
		seen[shorten(c.Head, room)] = true
	}
	for i := range columns {
		if len(seen) == len(columns) {
			columns[i].Head = shorten(columns[i].Head, room)
		}
	}
}
