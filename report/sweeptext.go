package report

import (
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
		n := 0
		for _, p := range s.panels {
			for _, y := range p.systems {
				l.line("  ", pad(names[n], wide), "  ", l.shape(&s, y), "  ", s.lineRate(y))
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
			columns = append(columns, column{Head: shorten(head, 16), Right: true})
			var of []string
			for _, x := range s.xs {
				of = append(of, y.share(x))
			}
			texts = append(texts, of)
		}
	}
	for at := 0; at < len(columns); {
		l.text(faint, 0, "share of the ceiling in %")
		used, n := 7, 0
		for at+n < len(columns) && (n == 0 || used+2+max(5, width(columns[at+n].Head)) <= l.Width) {
			used += 2 + max(5, width(columns[at+n].Head))
			n++
		}
		head := append([]column{{Head: shorten(s.Key, 7)}}, columns[at:at+n]...)
		var table [][]entry
		for i, x := range s.xs {
			line := []entry{{Text: value(x)}}
			for _, of := range texts[at : at+n] {
				line = append(line, entry{Text: strings.TrimSuffix(of[i], " %")})
			}
			table = append(table, line)
		}
		l.table(head, table)
		at += n
	}
}
