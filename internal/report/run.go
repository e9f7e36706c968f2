package report

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// Run prints the final report of a run: the answer, what every path carries
// against its ceiling, why it is not more, and the goals.
func (t Terminal) Run(r *record.Run) error {
	l := t.lines()
	l.split(clean(r.Fabric)+": "+head(&r.Plan), labText(r.Lab))
	l.gap()
	first, more := firstSentence(answer(r))
	l.text(bold, 0, first)
	if more != "" {
		l.text(normal, 0, more)
	}
	for _, s := range incomplete(r) {
		l.text(accent, 0, s)
	}
	l.paths(r)
	l.verdicts(r)
	l.found(r)
	l.certified(r)
	l.proved(r)
	l.compared(r)
	l.keys(r)
	l.goals(r)
	l.notRun(r)
	l.notes(r)
	l.work(r)
	l.instrument(r)
	l.evidence(r.Evidence)
	if l.Page != "" {
		l.gap()
		l.command(0, 6, "report", l.Page)
	}
	return l.flush()
}

// answer is the run's sentence, or, without one, what can be said for certain.
func answer(r *record.Run) string {
	if s := clean(r.Sentence); s != "" {
		return s
	}
	for _, e := range r.Experiments {
		if e.Goodput != nil || e.Latency != nil || e.Seconds != nil || e.Figure != nil || e.Bytes != nil {
			return "What was measured stands below; why it is not more is not known."
		}
	}
	return "Nothing was measured."
}

// firstSentence cuts the answer off what follows it.
func firstSentence(s string) (first, more string) {
	for i := 0; i+2 < len(s); i++ {
		if s[i] == '.' && s[i+1] == ' ' && (s[i+2] >= 'A' && s[i+2] <= 'Z' || s[i+2] >= '0' && s[i+2] <= '9') {
			return s[:i+1], s[i+2:]
		}
	}
	return s, ""
}

// incomplete says what is missing from a run as a whole.
func incomplete(r *record.Run) []string {
	var out []string
	if !r.Complete {
		text := "This run is incomplete: what is shown was measured before it ended"
		if r.FabricText != "" && slices.ContainsFunc(r.Experiments, func(e *record.Experiment) bool { return len(e.Repeats) > 0 }) { // that of a fabric can be gone on with
			text += "; run it again with --resume for the rest"
		}
		out = append(out, text+".")
	}
	if s := noisy(r); s != "" {
		out = append(out, s)
	}
	for _, h := range r.Hosts {
		if h.Error != "" {
			out = append(out, clean(h.Name)+" could not be used: "+clean(h.Error))
		}
	}
	return out
}

// paths prints the table, one for each experiment that streams, then the paths
// of which only the round trip was measured.
func (l *lines) paths(r *record.Run) {
	all := rows(r)
	var names []string
	for _, w := range all {
		if !contains(names, w.Name) {
			names = append(names, w.Name)
		}
	}
	for _, name := range names {
		var of []row
		for _, w := range all {
			if w.Name == name {
				of = append(of, w)
			}
		}
		l.gap()
		if len(names) > 1 {
			l.line(l.ink(bold, clean(name)))
		}
		l.pathTable(of, labShort(r.Lab))
	}
	l.pings(r, all)
	l.verbs(r)
	l.halos(r)
	l.apps(r)
	l.storage(r)
	l.sweepText(all)
	l.costs(r)
}

func (l *lines) pathTable(rows []row, mark string) {
	values, rest := cellColumns(rows)
	fits := len(values) <= 2 || l.Width >= 80+14*(len(values)-2)
	columns := []column{{Head: "path"}}
	if mark != "" {
		columns[0].Head += " (" + mark + ")"
	}
	switch {
	case rest:
		columns = append(columns, column{Head: "lowest", Right: true}, column{Head: "highest", Right: true})
	case !fits:
		columns = append(columns, column{Head: streams(values[0]), Right: true}, column{Head: streams(values[len(values)-1]), Right: true})
		values = []string{values[0], values[len(values)-1]}
	default:
		for _, v := range values {
			columns = append(columns, column{Head: streams(v), Right: true})
		}
	}
	wide := l.Width >= 120
	columns = append(columns, column{Head: "lost", Right: true}, column{Head: "of ceiling"})
	if wide {
		columns = append(columns, column{Head: "ceiling", Right: true})
	}
	columns = append(columns, column{Head: "ping p50", Right: true})
	if wide {
		columns = append(columns, column{Head: "p99", Right: true})
	}
	columns = append(columns, column{Head: "limited by", Wrap: true})

	var table [][]entry
	for _, w := range rows {
		main := w.main()
		figures := make([]entry, 0, len(values))
		if rest {
			low, high := extremes(w)
			figures = append(figures, entry{Text: low}, entry{Text: high})
		} else {
			for _, v := range values {
				figures = append(figures, entry{Text: w.figure(v)})
			}
		}
		table = append(table, l.pathRow(w.path(), figures, main, w.Ping, wide))
		for _, o := range w.others(l.Width < 100, 18) {
			table = append(table, l.pathRow("  "+o.label, make([]entry, len(figures)), o.cell, nil, wide))
		}
	}
	l.table(columns, table)
	l.groups(rows)
	l.forms(rows)
}

// pathRow is a line of the table for one cell.
func (l *lines) pathRow(label string, figures []entry, c cell, ping *record.Experiment, wide bool) []entry {
	line := append([]entry{{Text: label}}, figures...)
	line = append(line, entry{Text: lossText(c.E)}, l.share(c, wide))
	if wide {
		line = append(line, entry{Text: ceilingText(c.E)})
	}
	p50, p99 := "", ""
	if ping != nil {
		p50, p99 = seconds(ping.Latency.P50), seconds(ping.Latency.P99)
	}
	line = append(line, entry{Text: p50})
	if wide {
		line = append(line, entry{Text: p99})
	}
	s := normal
	if !healthy(c.E.Verdict) {
		s = accent
	}
	return append(line, entry{Text: limitedBy(c.E, l.Width < 100), Style: s})
}

// share is the bar with its figure.
func (l *lines) share(c cell, wide bool) entry {
	s, ok := c.share()
	if !ok {
		if c.Goodput == nil {
			return entry{Text: ""}
		}
		return entry{Text: "ceiling " + notKnown}
	}
	cells := 7
	if wide {
		cells = 12
	}
	return entry{Text: bar(s, cells, l.ASCII) + padLeft(unit.Percent(s), 7)}
}

// cellColumns are the numbers of streams over all rows, and whether something
// else varies, so that a column a value cannot show it.
func cellColumns(rows []row) (values []string, rest bool) {
	for _, w := range rows {
		seen := map[string]bool{}
		for _, c := range w.Cells {
			if !contains(values, c.Streams) {
				values = append(values, c.Streams)
			}
			rest = rest || c.Rest != "" || seen[c.Streams]
			seen[c.Streams] = true
		}
	}
	sort.SliceStable(values, func(a, b int) bool { return less(values[a], values[b]) })
	return values, rest
}

// figure is the goodput of a row's cell with a number of streams.
func (w row) figure(value string) string {
	for _, c := range w.Cells {
		if c.Streams != value {
			continue
		}
		if c.Goodput != nil {
			return rate(c.Goodput.Median)
		}
		if c.E.Failed != "" {
			return "failed"
		}
		return notKnown
	}
	return "not run"
}

// extremes are the lowest and the highest goodput of a row.
func extremes(w row) (low, high string) {
	low, high = notKnown, notKnown
	var a, b float64
	found := false
	for _, c := range w.Cells {
		if c.Goodput == nil {
			continue
		}
		m := c.Goodput.Median
		if !found || m < a {
			a, low = m, rate(m)
		}
		if !found || m > b {
			b, high = m, rate(m)
		}
		found = true
	}
	return low, high
}

func ceilingText(e *record.Experiment) string {
	if e.Ceiling == nil || e.Ceiling.Planned() <= 0 {
		return notKnown
	}
	if e.Ceiling.AtMost {
		return "at most " + e.Ceiling.Planned().String()
	}
	return e.Ceiling.Planned().String()
}

// other is a cell of a row, or the worst of several, that something else limits
// than the row's main cell.
type other struct {
	label string
	cell  cell
}

// others are named in at most room characters.
func (w row) others(short bool, room int) []other {
	main := w.main()
	index := map[string]int{}
	var out []other
	var labels [][]string
	for _, c := range w.Cells {
		text := limitedBy(c.E, short)
		if c.E == main.E || text == limitedBy(main.E, short) {
			continue
		}
		i, ok := index[text]
		if !ok {
			i = len(out)
			index[text] = i
			out, labels = append(out, other{cell: c}), append(labels, nil)
		}
		labels[i] = append(labels[i], c.label())
		worst, okWorst := out[i].cell.share()
		if s, ok := c.share(); ok && (!okWorst || s < worst) {
			out[i].cell = c
		}
	}
	for i := range out {
		out[i].label = list(labels[i])
		if n := len(labels[i]); n > 2 || width(out[i].label) > room {
			out[i].label = "worst of " + strconv.Itoa(n)
			if n == 1 {
				out[i].label = "1 setting"
			}
		}
	}
	return out
}

// label names a cell within its row: "1 stream", "8 streams, size 2 KiB".
func (c cell) label() string {
	if c.Streams == "" {
		return c.Rest
	}
	if c.Rest == "" {
		return streams(c.Streams)
	}
	return streams(c.Streams) + ", " + c.Rest
}

// through names the card that tells two paths between the same hosts apart.
func through(e *record.Experiment) string {
	if via := e.Settings["via"]; via != "" {
		return " via " + clean(via)
	}
	return ""
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func indent(n int) string { return strings.Repeat(" ", n) }
