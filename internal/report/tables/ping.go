package tables

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
	"linerate/internal/report/terminal"
)

// pingName returns "desk -> nas, every 1ms": the path with what varies in the experiment.
func pingName(e *record.Experiment, varying []string) string {
	s := format.Clean(e.Path()) + result.Through(e)
	if e.Variant != "" {
		s += " [" + format.Clean(e.Variant) + "]"
	}
	for _, k := range varying {
		if v := format.Clean(e.Settings[k]); v != "" && k != "via" {
			s += ", " + pingSetting(k, v)
		}
	}
	return s
}

func pingSetting(key, value string) string {
	switch n, err := strconv.Atoi(value); {
	case key == "streams" && err == nil:
		return unit.Counted(n, "pair")
	case key == "load_streams" && err == nil:
		return "with " + unit.Counted(n, "stream")
	case key == "load_direction":
		return "load " + value
	case key == "transport":
		return strings.ToUpper(value)
	}
	return format.Clean(key) + " " + value
}

// manyPings is the number of pings from which on the terminal omits the details of each; the page has them.
const manyPings = 3

// Percentile is a percentile of a latency in tables.
type Percentile struct {
	Name string
	q    float64
	Of   func(*record.Latency) float64
}

// Percentiles returns those in tables, lowest first.
func Percentiles() []Percentile {
	return []Percentile{
		{"p50", 0.5, func(l *record.Latency) float64 { return l.P50 }},
		{"p90", 0.9, func(l *record.Latency) float64 { return l.P90 }},
		{"p99", 0.99, func(l *record.Latency) float64 { return l.P99 }},
		{"p99.9", 0.999, func(l *record.Latency) float64 { return l.P999 }},
		{"p99.99", 0.9999, func(l *record.Latency) float64 { return l.P9999 }},
	}
}

// PrintPings prints the round trips of paths without a throughput experiment, and those that are not plain pings.
func PrintPings(l *terminal.Lines, r *record.Run, all []result.Row) {
	shown := map[*record.Experiment]bool{}
	for _, w := range all {
		if w.Ping != nil {
			for _, e := range r.Experiments {
				if method.Named(e.Method).RoundTrips && result.Pair(e.From, e.To) == result.Pair(w.From, w.To) &&
					e.Variant == w.Variant {
					shown[e] = result.PlainPing(e)
				}
			}
		}
	}
	varying := result.VaryingKeys(r.Experiments)
	list := xslices.Filter(r.Experiments, func(e *record.Experiment) bool {
		return method.Named(e.Method).RoundTrips && (e.Latency != nil || e.PathMTU != nil) && !shown[e]
	})
	if len(list) == 0 {
		return
	}
	columns := []terminal.Column{{Head: "round trip"}}
	for _, p := range Percentiles() {
		columns = append(columns, terminal.Column{Head: p.Name, Right: true})
	}
	columns = append(columns, terminal.Column{Head: "max", Right: true}, terminal.Column{Head: "lost", Right: true})
	var table [][]terminal.Entry
	line := func(name string, x *record.Latency, lost string) {
		if x == nil {
			x = &record.Latency{}
		}
		values := []terminal.Entry{{Text: name}}
		for _, p := range Percentiles() {
			values = append(values, terminal.Entry{Text: format.Seconds(p.Of(x))})
		}
		table = append(table, append(values, terminal.Entry{Text: format.Seconds(x.Max)}, terminal.Entry{Text: lost}))
	}
	for _, e := range list {
		name := pingName(e, varying[e.Name])
		if e.Load != nil {
			line(name, e.Load.Idle, "")
			line("  with "+unit.Counted(e.Load.Streams, "stream")+" "+format.Clean(e.Load.Direction), e.Latency, LossText(e))
			continue
		}
		line(name, e.Latency, LossText(e))
	}
	l.Gap()
	l.Table(withoutUnknown(columns, table))
	for _, e := range list {
		facts := PingFacts(e)
		if len(list) > manyPings {
			facts = slices.DeleteFunc(facts,
				func(f [2]string) bool { return f[0] == "counts" || f[0] == "too few" || f[0] == "from send" })
		}
		if len(facts) == 0 {
			continue
		}
		l.Gap()
		if len(list) > 1 {
			l.Line(l.Ink(terminal.Bold, pingName(e, varying[e.Name])))
		}
		for _, f := range facts {
			l.Item(0, 10, f[0], terminal.Normal, f[1])
		}
	}
	for _, text := range clockTexts(list) {
		l.Item(0, 10, "clock", terminal.Faint, text)
	}
}

// withoutUnknown omits the columns of a table in which no value is known.
func withoutUnknown(columns []terminal.Column, table [][]terminal.Entry) ([]terminal.Column, [][]terminal.Entry) {
	keep := func(i int) bool {
		return i < 4 || slices.ContainsFunc(table, func(row []terminal.Entry) bool { return row[i].Text != format.NotKnown })
	}
	var headers []terminal.Column
	for i, c := range columns {
		if keep(i) {
			headers = append(headers, c)
		}
	}
	out := make([][]terminal.Entry, len(table))
	for n, row := range table {
		for i, c := range row {
			if keep(i) {
				out[n] = append(out[n], c)
			}
		}
	}
	return headers, out
}

// PingFacts returns the other facts of a ping, each with a short name.
func PingFacts(e *record.Experiment) [][2]string {
	var out [][2]string
	add := func(name, format string, args ...any) {
		out = append(out, [2]string{name, fmt.Sprintf(format, args...)})
	}
	if l := e.Load; l != nil {
		text := format.NotKnown
		if l.Goodput != nil {
			text = format.Rate(l.Goodput.Median)
		}
		if l.Forward != nil && l.Backward != nil {
			text += " (out " + format.Rate(l.Forward.Median) + ", in " + format.Rate(l.Backward.Median) + ")"
		}
		add("load", "%s %s: %s; %s", unit.Counted(l.Streams, "TCP stream"), format.Clean(l.Direction), text,
			addedText(l.Added))
	}
	if o := e.Open; o != nil {
		text := fmt.Sprintf("%s questions a second were due, %s were sent", unit.Significant(o.Asked),
			unit.Significant(o.Reached))
		if o.Late != nil {
			text += ", late by " + few(o.Late)
		}
		if o.Unanswered > 0 {
			text += fmt.Sprintf("; %d without an answer", o.Unanswered)
		}
		add("open loop", "%s", text)
		if s := o.Service; s != nil {
			add("from send", "%s: as a loop counts that waits for answers; above, round trips count from when they were due",
				few(s))
		}
	}
	if p := e.Pairs; p != nil {
		add("pairs", "%d; their medians go from %s to %s, %s in the middle", p.Pairs, format.Seconds(p.Low),
			format.Seconds(p.High), format.Seconds(p.Median))
	}
	if m := e.PathMTU; m != nil {
		add("path MTU", "%s", pathMTUText(m))
	}
	if e.Latency != nil {
		out = append(out, carriedFacts(e.Latency)...)
	}
	return out
}

// few is "p50 50 us, p99 90 us, max 120 us", as far as they are known.
func few(l *record.Latency) string {
	var parts []string
	for _, p := range []struct {
		name string
		v    float64
	}{{"p50", l.P50}, {"p99", l.P99}, {"max", l.Max}} {
		if p.v > 0 {
			parts = append(parts, p.name+" "+format.Seconds(p.v))
		}
	}
	return strings.Join(parts, ", ")
}

// addedText prints what a load adds to the round trip, even where it is negative.
func addedText(a *record.Added) string {
	if a == nil || a.P50 == nil {
		return "what it adds to the round trip is not known"
	}
	text := "it adds " + signed(a.P50) + " to p50"
	if a.P99 != nil {
		text += ", " + signed(a.P99) + " to p99"
	}
	return text
}

func signed(e *record.Estimate) string {
	show := func(v float64) string {
		if v < 0 {
			return "-" + format.Seconds(-v)
		}
		return format.Seconds(v)
	}
	if e.Repeats < 2 {
		return show(e.Median)
	}
	return show(e.Median) + " (" + show(e.Low) + " to " + show(e.High) + ")"
}

// carriedFacts returns the number of round trips of each percentile, and the unknown percentiles.
func carriedFacts(l *record.Latency) [][2]string {
	var behind, missing []string
	for i, p := range l.Percentiles {
		if i >= len(Percentiles()) {
			break
		}
		name := Percentiles()[i].Name
		if p.Seconds == nil {
			missing = append(missing, name+" is not known: "+format.Clean(p.Why))
		} else {
			behind = append(behind, fmt.Sprintf("%d at or above %s", p.Behind, name))
		}
	}
	var out [][2]string
	if len(behind) > 0 {
		out = append(out, [2]string{"counts", fmt.Sprintf("%d round trips; %s", l.Count, strings.Join(behind, ", "))})
	}
	if len(missing) > 0 {
		out = append(out, [2]string{"too few", strings.Join(missing, "; ")})
	}
	return out
}

// pathMTUText is "1500 B, although the interface has 9000; 10.0.0.1 answers that 1500 fit".
func pathMTUText(m *record.PathMTU) string {
	if m.Bytes == 0 {
		return "not known: " + format.Clean(m.Why)
	}
	s := fmt.Sprintf("%d bytes get through unfragmented", m.Bytes)
	if m.Fails > 0 {
		s += fmt.Sprintf(", %d do not", m.Fails)
	}
	if m.Device > 0 {
		s += fmt.Sprintf("; the interface takes %d", m.Device)
	}
	switch {
	case m.Hop != "":
		s += fmt.Sprintf("; %s says that %d fit", format.Clean(m.Hop), m.Reported)
	case m.Silent:
		s += "; larger ones vanish without an answer (a black hole): something on the way has a smaller MTU, or drops the " +
			"ICMP that says so"
	}
	if m.Kernel > 0 && m.Kernel != m.Bytes {
		s += fmt.Sprintf("; the kernel takes the path for %d", m.Kernel)
	}
	return s
}

// clockTexts describes, for each measuring end, the error between a round trip and its figure.
func clockTexts(list []*record.Experiment) []string {
	var out, hosts []string
	for _, e := range list {
		for _, c := range e.Clocks {
			if !slices.Contains(hosts, c.Host) {
				hosts = append(hosts, c.Host)
				out = append(out, ClockText(c))
			}
		}
	}
	return out
}

// ClockText prints what a host's clock adds to round trips.
func ClockText(c record.Clock) string {
	return fmt.Sprintf("of %s: it steps by %s, reading it costs %s; of each round trip %s is linerate's own",
		format.Clean(c.Host), format.Seconds(c.Resolution), format.Seconds(c.Cost), format.Seconds(c.Overhead))
}

// LossText returns the share of lost datagrams: empty without datagrams, and never rounded to zero.
func LossText(e *record.Experiment) string {
	share, ok := loss(e)
	if !ok {
		return ""
	}
	return unit.Percent(share)
}

func loss(e *record.Experiment) (float64, bool) {
	if e.UDP == nil || e.UDP.Datagrams == nil || e.UDP.Lost == nil || *e.UDP.Datagrams <= 0 {
		return 0, false
	}
	return float64(*e.UDP.Lost) / float64(*e.UDP.Datagrams), true
}

// DatagramsText returns the counts of datagrams for the table of figures: "12 of 3400 lost, 0 reordered, 0 duplicated,
// jitter 3.2 us".
func DatagramsText(e *record.Experiment) string {
	if _, ok := loss(e); !ok {
		return ""
	}
	u := e.UDP
	s := fmt.Sprintf("%d of %d lost", *u.Lost, *u.Datagrams)
	if u.Reordered != nil {
		s += fmt.Sprintf(", %d reordered", *u.Reordered)
	}
	if u.Duplicated != nil {
		s += fmt.Sprintf(", %d duplicated", *u.Duplicated)
	}
	if u.Jitter != nil {
		s += ", jitter " + unit.Seconds(*u.Jitter)
	}
	return s
}

// WithLoss adds losses to the figures of round trips, where losses are possible.
func WithLoss(e *record.Experiment, rows [][2]string) [][2]string {
	if s := LossText(e); s != "" {
		rows = append(rows, [2]string{"lost", fmt.Sprintf("%s (%d of %d)", s, *e.UDP.Lost, *e.UDP.Datagrams)})
	}
	return rows
}
