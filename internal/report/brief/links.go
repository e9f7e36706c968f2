package brief

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/internal/report/format"
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
	values, varies := streamsOf(rows)
	all := b.cables(rows, values, varies)
	hidden := 0
	if len(all) > mostRows {
		slices.SortStableFunc(all, func(x, y cable) int { return compareShares(x, y) })
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

// streamsOf returns the numbers of streams over all rows, and whether another parameter varies.
func streamsOf(rows []result.Row) (values []string, varies bool) {
	for _, w := range rows {
		seen := map[string]bool{}
		for _, c := range w.Combinations {
			values = xslices.AppendNew(values, c.Streams)
			varies = varies || c.Rest != "" || seen[c.Streams]
			seen[c.Streams] = true
		}
	}
	slices.SortStableFunc(values, func(a, z string) int {
		switch {
		case result.Less(a, z):
			return -1
		case result.Less(z, a):
			return 1
		}
		return 0
	})
	return values, varies
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
			!near(x.Goodput.Median, y.Goodput.Median) || limiterOf(x.E, false) != limiterOf(y.E, false) ||
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
				!near(x.Goodput.Median, first.Goodput.Median) || limiterOf(x.E, false) != limiterOf(first.E, false) {
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

// row is the line of a cable.
func (b *brief) row(c cable, long look, values []string, same, varies bool) []terminal.Entry {
	entry := func(s string) terminal.Entry { return terminal.Entry{Text: s} }
	name := c.out.Path()
	if c.back != nil {
		name = strings.Replace(name, " -> ", " - ", 1)
	}
	if c.label != "" && long.label {
		name = c.label + "  " + strings.Replace(name, " via "+strings.Join(format.Cleaned(c.out.Links), ", "), "", 1)
	}
	line := []terminal.Entry{entry(name)}
	switch {
	case same:
		line = append(line, entry(c.out.Figure(values[0])), entry(c.back.Figure(values[0])))
	case varies:
		low, high := extremes(c.out)
		line = append(line, entry(low), entry(high))
	case len(values) > 2:
		line = append(line, entry(c.out.Figure(values[0])), entry(c.out.Figure(values[len(values)-1])))
	default:
		for _, v := range values {
			line = append(line, entry(c.out.Figure(v)))
		}
	}
	worst := worstOf(c)
	rtt := ""
	if p := c.out.Ping; p != nil {
		rtt = format.Seconds(p.Latency.P50)
	}
	text := limiterOf(worst.E, false)
	if !long.full {
		text, _, _ = strings.Cut(text, ": link is full")
	}
	if v := worst.E.Verdict; !long.host && v != nil && strings.Contains(text, " of ") {
		text = report.LimiterWords(v.Limiter)
	}
	style := unit.If(result.Healthy(worst.E.Verdict), terminal.Normal, terminal.Accent)
	return append(line, entry(tables.LossText(worst.E)), entry(shares(c)), entry(rtt),
		terminal.Entry{Text: text, Style: style})
}

// worstOf is the combination of a cable that is farthest below its ceiling, or one without a figure.
func worstOf(c cable) result.Combination {
	var worst *result.Combination
	least := 0.0
	for _, w := range rowsOf(c) {
		for i := range w.Combinations {
			x := &w.Combinations[i]
			of, known := x.Share()
			if x.E.Failed != "" {
				return *x
			}
			if worst == nil || known && (of < least || least == 0) {
				worst, least = x, of
			}
		}
	}
	return *worst
}

func rowsOf(c cable) []result.Row {
	if c.back == nil {
		return []result.Row{c.out}
	}
	return []result.Row{c.out, *c.back}
}

// shares is the share of the ceiling over the combinations of a cable: "100 %", "32 to 90 %".
func shares(c cable) string {
	low, high, n, figures := 0.0, 0.0, 0, 0
	for _, w := range rowsOf(c) {
		for _, x := range w.Combinations {
			if x.Goodput == nil {
				continue
			}
			figures++
			if of, known := x.Share(); known {
				if n == 0 || of < low {
					low = of
				}
				high, n = max(high, of), n+1
			}
		}
	}
	switch {
	case figures == 0:
		return ""
	case n == 0:
		return format.NotKnown
	}
	a, z := unit.Percent(low), unit.Percent(high)
	if a == z || near(low, high) {
		return unit.Percent((low + high) / 2)
	}
	return strings.TrimSuffix(a, " %") + " to " + z
}

func extremes(w result.Row) (low, high string) {
	low, high = format.NotKnown, format.NotKnown
	a, z, found := 0.0, 0.0, false
	for _, c := range w.Combinations {
		if c.Goodput == nil {
			continue
		}
		m := c.Goodput.Median
		if !found || m < a {
			a, low = m, format.Rate(m)
		}
		if !found || m > z {
			z, high = m, format.Rate(m)
		}
		found = true
	}
	return low, high
}

func compareShares(x, y cable) int {
	a, _ := worstOf(x).Share()
	z, _ := worstOf(y).Share()
	switch {
	case a < z:
		return -1
	case a > z:
		return 1
	}
	return 0
}

// below is the line under the table: the streams, the repeats, and what the ceiling is of, with its rate.
func (b *brief) below(all []cable, values []string, same, varies, rate bool) string {
	var parts []string
	if same && values[0] != "" {
		text := result.Streams(values[0])
		if len(values) > 1 {
			text += "; " + unit.List(xslices.Map(values[1:], result.Streams)) + ": the same"
		}
		parts = append(parts, text)
	}
	if varies {
		parts = append(parts, fmt.Sprintf("%d settings a link: --all", len(all[0].out.Combinations)))
	}
	if n := repeats(all); n > 1 {
		parts = append(parts, fmt.Sprintf("Medians of %d", n))
	}
	if text := b.ceiling(all); text != "" {
		if !rate {
			text, _, _ = strings.Cut(text, " = ")
		}
		parts = append(parts, "Ceiling: "+text)
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ". ") + "."
}

// repeats is the number of repeats of every figure; 0: they differ.
func repeats(all []cable) int {
	n := -1
	for _, c := range all {
		for _, w := range rowsOf(c) {
			for _, x := range w.Combinations {
				if x.Goodput == nil {
					continue
				}
				if n >= 0 && n != x.Goodput.Repeats {
					return 0
				}
				n = x.Goodput.Repeats
			}
		}
	}
	return max(0, n)
}

// ceiling says what the ceilings are of where all links have the same: "10GbE, TCP, MTU 1500 = 9.41 Gb/s".
func (b *brief) ceiling(all []cable) string {
	var texts []string
	for _, c := range all {
		for _, w := range rowsOf(c) {
			for _, x := range w.Combinations {
				if x.E.Ceiling == nil || x.E.Ceiling.Planned() <= 0 {
					continue
				}
				var parts []string
				if name := b.ethernet(x.E); name != "" {
					if s := result.Scale(b.run.Lab); s != "" {
						name += " at " + strings.TrimSuffix(s, " scale")
					}
					parts = append(parts, name)
				}
				parts = append(parts, strings.ToUpper(firstOf(x.E.InEffect["transport"], x.E.Settings["transport"], "tcp")))
				if mtu := firstOf(x.E.InEffect["mtu"], x.E.Settings["mtu"]); mtu != "" {
					parts = append(parts, "MTU "+format.Clean(mtu))
				}
				texts = xslices.AppendNew(texts, strings.Join(parts, ", ")+" = "+x.E.Ceiling.Planned().String())
			}
		}
	}
	if len(texts) != 1 {
		return ""
	}
	return texts[0]
}

func firstOf(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}

// ethernet is the kind of an experiment's link; empty: there are several, or its rate is not known.
func (b *brief) ethernet(e *record.Experiment) string {
	kind := ""
	for _, k := range b.run.Plan.Links {
		if !slices.Contains(e.Links, k.Name) || k.Rate <= 0 {
			continue
		}
		name := fmt.Sprintf("%gGbE", float64(k.Rate)/1e9)
		if k.IB {
			name = fmt.Sprintf("InfiniBand %s", k.Rate)
		}
		if kind != "" && kind != name {
			return ""
		}
		kind = name
	}
	return kind
}
