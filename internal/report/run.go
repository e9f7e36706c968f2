package report

import (
	"fmt"
	"slices"
	"strconv"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report/chart"
	"linerate/internal/report/format"
	"linerate/internal/report/headline"
	"linerate/internal/report/highlight"
	"linerate/internal/report/result"
	"linerate/internal/report/tables"
	"linerate/internal/report/terminal"
)

// PrintRun prints everything of a run: the answer, the goodput of every path compared with its ceiling, the
// bottlenecks, and the goals. Package brief has the report in short.
func PrintRun(t terminal.Terminal, r *record.Run) error { return PrintFound(t, highlight.Find(r)) }

// PrintFound prints the run whose highlights are given, for a caller that also writes its page.
func PrintFound(t terminal.Terminal, f *highlight.Found) error {
	r := f.Run()
	l := t.Lines()
	printHead(l, r)
	l.Gap()
	head := headline.Of(r)
	l.Text(terminal.Bold, 0, head.First())
	if more := head.Rest(); more != "" {
		l.Text(terminal.Normal, 0, more)
	}
	for _, s := range Incomplete(r) {
		l.Text(terminal.Accent, 0, s)
	}
	printPaths(l, r)
	printVerdicts(l, r)
	PrintFoundOnHosts(l, r)
	tables.PrintCertified(l, r)
	tables.PrintProved(l, r)
	printCompared(l, r)
	printKeys(l, f)
	printGoals(l, r)
	printNotRun(l, r)
	printNotes(l, r)
	tables.PrintWork(l, r)
	printInstrumentLine(l, r)
	printEvidence(l, r.Evidence)
	if l.Page != "" {
		l.Gap()
		l.Command(0, 6, "report", l.Page)
	}
	return l.Flush()
}

// Incomplete returns sentences about an incomplete run.
func Incomplete(r *record.Run) []string {
	var out []string
	if !r.Complete {
		text := "This run is incomplete: what is shown was measured before it ended"
		if r.FabricText != "" && slices.ContainsFunc(r.Experiments,
			func(e *record.Experiment) bool { return len(e.Repeats) > 0 }) { // the run of a fabric can be resumed
			text += "; run it again with --resume for the rest"
		}
		out = append(out, text+".")
	}
	if s := result.Noisy(r); s != "" {
		out = append(out, s)
	}
	return append(out, Unused(r)...)
}

// Unused lists the hosts that could not be used, each with the reason.
func Unused(r *record.Run) (out []string) {
	for _, h := range r.Hosts {
		if h.Error != "" {
			out = append(out, format.Clean(h.Name)+" could not be used: "+format.Clean(h.Error))
		}
	}
	return out
}

// printPaths prints the table, one for each throughput experiment, then the paths with only a round trip.
func printPaths(l *terminal.Lines, r *record.Run) {
	all := result.Rows(r)
	groups := format.Groups(all, func(w result.Row) string { return w.Name })
	for _, of := range groups {
		l.Gap()
		if len(groups) > 1 {
			l.Line(l.Ink(terminal.Bold, format.Clean(of[0].Name)))
		}
		printPathTable(l, of, result.LabShort(r.Lab))
	}
	tables.PrintPings(l, r, all)
	tables.PrintVerbs(l, r)
	tables.PrintHalos(l, r)
	tables.PrintApps(l, r)
	tables.PrintStorage(l, r)
	printSweeps(l, all)
	tables.PrintCosts(l, r)
}

func printPathTable(l *terminal.Lines, rows []result.Row, mark string) {
	values, rest := result.StreamColumns(rows)
	fits := len(values) <= 2 || l.Width >= 80+14*(len(values)-2)
	columns := []terminal.Column{{Head: "path"}}
	if mark != "" {
		columns[0].Head += " (" + mark + ")"
	}
	switch {
	case rest:
		columns = append(columns, terminal.Column{Head: "lowest", Right: true}, terminal.Column{Head: "highest", Right: true})
	case !fits:
		columns = append(columns, terminal.Column{Head: result.Streams(values[0]), Right: true},
			terminal.Column{Head: result.Streams(values[len(values)-1]), Right: true})
		values = []string{values[0], values[len(values)-1]}
	default:
		for _, v := range values {
			columns = append(columns, terminal.Column{Head: result.Streams(v), Right: true})
		}
	}
	wide := l.Width >= 120
	columns = append(columns, terminal.Column{Head: "lost", Right: true}, terminal.Column{Head: "of ceiling"})
	if wide {
		columns = append(columns, terminal.Column{Head: "ceiling", Right: true})
	}
	columns = append(columns, terminal.Column{Head: "RTT p50", Right: true})
	if wide {
		columns = append(columns, terminal.Column{Head: "p99", Right: true})
	}
	columns = append(columns, terminal.Column{Head: "limited by", Wrap: true})

	var table [][]terminal.Entry
	for _, w := range rows {
		main := w.Main()
		figures := make([]terminal.Entry, 0, len(values))
		if rest {
			low, high := w.Extremes()
			figures = append(figures, terminal.Entry{Text: low}, terminal.Entry{Text: high})
		} else {
			for _, v := range values {
				figures = append(figures, terminal.Entry{Text: w.Figure(v)})
			}
		}
		table = append(table, pathEntries(l, w.Path(), figures, main, w.Ping, wide))
		for _, o := range OthersOf(w, l.Width < 100, 18) {
			table = append(table, pathEntries(l, "  "+o.Label, make([]terminal.Entry, len(figures)), o.Combination, nil, wide))
		}
	}
	l.Table(columns, table)
	tables.PrintGroups(l, rows)
	printForms(l, rows)
}

// pathEntries returns a line of the table for one combination.
func pathEntries(l *terminal.Lines, label string, figures []terminal.Entry, c result.Combination,
	ping *record.Experiment, wide bool) []terminal.Entry {
	line := append([]terminal.Entry{{Text: label}}, figures...)
	line = append(line, terminal.Entry{Text: tables.LossText(c.E)}, shareEntry(l, c, wide))
	if wide {
		line = append(line, terminal.Entry{Text: result.CeilingText(c.E)})
	}
	p50, p99 := "", ""
	if ping != nil {
		p50, p99 = format.Seconds(ping.Latency.P50), format.Seconds(ping.Latency.P99)
	}
	line = append(line, terminal.Entry{Text: p50})
	if wide {
		line = append(line, terminal.Entry{Text: p99})
	}
	s := unit.If(!result.Healthy(c.E.Verdict), terminal.Accent, terminal.Normal)
	return append(line, terminal.Entry{Text: LimitedBy(c.E, l.Width < 100), Style: s})
}

// shareEntry returns the bar with its figure.
func shareEntry(l *terminal.Lines, c result.Combination, wide bool) terminal.Entry {
	s, ok := c.Share()
	if !ok {
		if c.Goodput == nil {
			return terminal.Entry{Text: ""}
		}
		return terminal.Entry{Text: "ceiling " + format.NotKnown}
	}
	combinations := 7
	if wide {
		combinations = 12
	}
	return terminal.Entry{Text: chart.Bar(s, combinations, l.ASCII) + format.PadLeft(unit.Percent(s), 7)}
}

// Other is a combination of a row, or the worst of several, with another bottleneck than the row's main combination.
type Other struct {
	Label       string
	Combination result.Combination
}

// OthersOf returns the combinations with another bottleneck, named in at most room characters.
func OthersOf(w result.Row, short bool, room int) []Other {
	main := w.Main()
	index := map[string]int{}
	var out []Other
	var labels [][]string
	for _, c := range w.Combinations {
		text := LimitedBy(c.E, short)
		if c.E == main.E || text == LimitedBy(main.E, short) {
			continue
		}
		i, ok := index[text]
		if !ok {
			i = len(out)
			index[text] = i
			out, labels = append(out, Other{Combination: c}), append(labels, nil)
		}
		labels[i] = append(labels[i], c.Label())
		worst, okWorst := out[i].Combination.Share()
		if s, ok := c.Share(); ok && (!okWorst || s < worst) {
			out[i].Combination = c
		}
	}
	for i := range out {
		out[i].Label = unit.List(labels[i])
		if n := len(labels[i]); n > 2 || format.Width(out[i].Label) > room {
			out[i].Label = "worst of " + strconv.Itoa(n)
			if n == 1 {
				out[i].Label = "1 setting"
			}
		}
	}
	return out
}

// Summary is the table of all paths of an experiment.
type Summary struct {
	Name    string
	Headers []string
	Rows    []summaryRow
	Ping    bool // some row has round trips
	Loss    bool // some row was over UDP
}

type summaryRow struct {
	Path, Anchor, Share, Ceiling, P50, P99, Lost, By string
	Figures                                          []string
	Sub, Limited                                     bool
}

// Long reports whether a table has more rows than a screen.
func (s Summary) Long() bool { return len(s.Rows) > 24 }

// Summaries returns the tables of all experiments.
func Summaries(all []result.Row) []Summary {
	var out []Summary
	index := map[string]int{}
	values := map[string][]string{}
	for _, rows := range format.Groups(all, func(w result.Row) string { return w.Name }) {
		streams, rest := result.StreamColumns(rows)
		name := rows[0].Name
		index[name], values[name] = len(out), streams
		s := Summary{Name: format.Clean(name), Headers: []string{"lowest", "highest"}}
		if !rest && len(streams) <= 5 {
			s.Headers = xslices.Map(streams, result.Streams)
		}
		out = append(out, s)
	}
	for i, w := range all {
		s := &out[index[w.Name]]
		line := summaryRow{Path: format.Arrows(w.Path()), Anchor: Anchor(i + 1), Limited: limited(w.Main().E)}
		line.fill(w.Main())
		if len(s.Headers) == 2 && s.Headers[0] == "lowest" {
			low, high := w.Extremes()
			line.Figures = []string{low, high}
		} else {
			line.Figures = xslices.Map(values[w.Name], w.Figure)
		}
		if w.Ping != nil {
			s.Ping = true
			line.P50, line.P99 = format.Seconds(w.Ping.Latency.P50), format.Seconds(w.Ping.Latency.P99)
		}
		s.Loss = s.Loss || line.Lost != ""
		s.Rows = append(s.Rows, line)
		for _, o := range OthersOf(w, false, 40) {
			sub := summaryRow{Path: o.Label, Figures: make([]string, len(line.Figures)), Sub: true,
				Limited: limited(o.Combination.E)}
			sub.fill(o.Combination)
			s.Loss = s.Loss || sub.Lost != ""
			s.Rows = append(s.Rows, sub)
		}
	}
	return out
}

// limited reports whether a cause was found that limits an experiment, other than its full link.
func limited(e *record.Experiment) bool {
	v := e.Verdict
	return v != nil && !result.Healthy(v) && v.Limiter != record.LimiterUnexplained && v.Limiter != record.LimiterUnknown
}

func (s *summaryRow) fill(c result.Combination) {
	s.Lost = tables.LossText(c.E)
	s.Share, s.Ceiling, s.By = format.NotKnown, result.CeilingText(c.E), LimitedBy(c.E, false)
	if v, ok := c.Share(); ok {
		s.Share = unit.Percent(v)
	} else if c.Goodput == nil {
		s.Share = ""
	}
}

// Anchor returns the id of the n-th path on a page.
func Anchor(n int) string { return fmt.Sprintf("path-%d", n) }
