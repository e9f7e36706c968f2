package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// plainPing says whether a ping is of the idle path, one question after another: what stands beside goodput.
func plainPing(e *record.Experiment) bool {
	return e.Open == nil && e.Load == nil && e.PathMTU == nil
}

// pingName is "desk -> nas, every 1ms": the path with what varies in the experiment.
func pingName(e *record.Experiment, varying []string) string {
	s := clean(e.Path()) + through(e)
	if e.Variant != "" {
		s += " [" + clean(e.Variant) + "]"
	}
	for _, k := range varying {
		if v := clean(e.Settings[k]); v != "" && k != "via" {
			s += ", " + pingSetting(k, v)
		}
	}
	return s
}

func pingSetting(key, value string) string {
	switch n, err := strconv.Atoi(value); {
	case key == "streams" && err == nil:
		return count(n, "pair")
	case key == "load_streams" && err == nil:
		return "beside " + count(n, "stream")
	case key == "load_direction":
		return "load " + value
	case key == "transport":
		return strings.ToUpper(value)
	}
	return clean(key) + " " + value
}

// manyPings is from how many pings on the terminal leaves out what stands behind the percentiles of each; the page has it.
const manyPings = 3

// percentileNames are those that a table of round trips has.
var percentileNames = []struct {
	name string
	q    float64
	of   func(*record.Latency) float64
}{
	{"p50", 0.5, func(l *record.Latency) float64 { return l.P50 }},
	{"p90", 0.9, func(l *record.Latency) float64 { return l.P90 }},
	{"p99", 0.99, func(l *record.Latency) float64 { return l.P99 }},
	{"p99.9", 0.999, func(l *record.Latency) float64 { return l.P999 }},
	{"p99.99", 0.9999, func(l *record.Latency) float64 { return l.P9999 }},
}

// pings prints the round trips of paths that no stream was measured on, and those that were measured in a special way.
func (l *lines) pings(r *record.Run, all []row) {
	shown := map[*record.Experiment]bool{}
	for _, w := range all {
		if w.Ping != nil {
			for _, e := range r.Experiments {
				if e.Method == "ping" && pair(e.From, e.To) == pair(w.From, w.To) && e.Variant == w.Variant {
					shown[e] = plainPing(e)
				}
			}
		}
	}
	varying := varyingKeys(r.Experiments)
	var list []*record.Experiment
	for _, e := range r.Experiments {
		if e.Method == "ping" && (e.Latency != nil || e.PathMTU != nil) && !shown[e] {
			list = append(list, e)
		}
	}
	if len(list) == 0 {
		return
	}
	columns := []column{{Head: "round trip"}}
	for _, p := range percentileNames {
		columns = append(columns, column{Head: p.name, Right: true})
	}
	columns = append(columns, column{Head: "max", Right: true}, column{Head: "lost", Right: true})
	var table [][]entry
	line := func(name string, x *record.Latency, lost string) {
		if x == nil {
			x = &record.Latency{}
		}
		cells := []entry{{Text: name}}
		for _, p := range percentileNames {
			cells = append(cells, entry{Text: seconds(p.of(x))})
		}
		table = append(table, append(cells, entry{Text: seconds(x.Max)}, entry{Text: lost}))
	}
	for _, e := range list {
		name := pingName(e, varying[e.Name])
		if e.Load != nil {
			line(name, e.Load.Idle, "")
			line("  beside "+count(e.Load.Streams, "stream")+" "+clean(e.Load.Direction), e.Latency, lossText(e))
			continue
		}
		line(name, e.Latency, lossText(e))
	}
	l.gap()
	l.table(withoutUnknown(columns, table))
	for _, e := range list {
		facts := pingFacts(e)
		if len(list) > manyPings {
			facts = slices.DeleteFunc(facts, func(f [2]string) bool { return f[0] == "counts" || f[0] == "too few" || f[0] == "from send" })
		}
		if len(facts) == 0 {
			continue
		}
		l.gap()
		if len(list) > 1 {
			l.line(l.ink(bold, pingName(e, varying[e.Name])))
		}
		for _, f := range facts {
			l.item(0, 10, f[0], normal, f[1])
		}
	}
	for _, text := range clockTexts(list) {
		l.item(0, 10, "clock", faint, text)
	}
}

// withoutUnknown leaves the columns of a table out in which every row says that it is not known.
func withoutUnknown(columns []column, table [][]entry) ([]column, [][]entry) {
	keep := func(i int) bool {
		return i < 4 || slices.ContainsFunc(table, func(row []entry) bool { return row[i].Text != notKnown })
	}
	var heads []column
	for i, c := range columns {
		if keep(i) {
			heads = append(heads, c)
		}
	}
	out := make([][]entry, len(table))
	for n, row := range table {
		for i, c := range row {
			if keep(i) {
				out[n] = append(out[n], c)
			}
		}
	}
	return heads, out
}

// pingFacts is what stands beside the percentiles of a ping, each with a short name.
func pingFacts(e *record.Experiment) [][2]string {
	var out [][2]string
	add := func(name, format string, args ...any) {
		out = append(out, [2]string{name, fmt.Sprintf(format, args...)})
	}
	if l := e.Load; l != nil {
		text := notKnown
		if l.Goodput != nil {
			text = rate(l.Goodput.Median)
		}
		if l.Forward != nil && l.Backward != nil {
			text += " (out " + rate(l.Forward.Median) + ", in " + rate(l.Backward.Median) + ")"
		}
		add("load", "%s %s: %s; %s", count(l.Streams, "TCP stream"), clean(l.Direction), text, addedText(l.Added))
	}
	if o := e.Open; o != nil {
		text := fmt.Sprintf("%s questions a second were due, %s were sent", unit.Significant(o.Asked), unit.Significant(o.Reached))
		if o.Late != nil {
			text += ", late by " + few(o.Late)
		}
		if o.Unanswered > 0 {
			text += fmt.Sprintf("; %d without an answer", o.Unanswered)
		}
		add("open loop", "%s", text)
		if s := o.Service; s != nil {
			add("from send", "%s: as a loop counts that waits for answers; above, round trips count from when they were due", few(s))
		}
	}
	if p := e.Pairs; p != nil {
		add("pairs", "%d; their medians go from %s to %s, %s in the middle", p.Pairs, seconds(p.Low), seconds(p.High), seconds(p.Median))
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
			parts = append(parts, p.name+" "+seconds(p.v))
		}
	}
	return strings.Join(parts, ", ")
}

// addedText says what a load adds to the round trip; less than nothing is said as it is.
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
			return "-" + seconds(-v)
		}
		return seconds(v)
	}
	if e.Repeats < 2 {
		return show(e.Median)
	}
	return show(e.Median) + " (" + show(e.Low) + " to " + show(e.High) + ")"
}

// carriedFacts is how many round trips stand behind each percentile, and which are not known.
func carriedFacts(l *record.Latency) [][2]string {
	var behind, missing []string
	for i, p := range l.Percentiles {
		if i >= len(percentileNames) {
			break
		}
		name := percentileNames[i].name
		if p.Seconds == nil {
			missing = append(missing, name+" is not known: "+clean(p.Why))
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
		return "not known: " + clean(m.Why)
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
		s += fmt.Sprintf("; %s says that %d fit", clean(m.Hop), m.Reported)
	case m.Silent:
		s += "; larger ones vanish without an answer (a black hole): something on the way has a smaller MTU, or drops the ICMP that says so"
	}
	if m.Kernel > 0 && m.Kernel != m.Bytes {
		s += fmt.Sprintf("; the kernel takes the path for %d", m.Kernel)
	}
	return s
}

// clockTexts is of each end that asked what stands between a round trip and its figure.
func clockTexts(list []*record.Experiment) []string {
	var out, hosts []string
	for _, e := range list {
		for _, c := range e.Clocks {
			if !contains(hosts, c.Host) {
				hosts = append(hosts, c.Host)
				out = append(out, clockText(c))
			}
		}
	}
	return out
}

func clockText(c record.Clock) string {
	return fmt.Sprintf("of %s: it steps by %s, reading it costs %s; of each round trip %s is linerate's own", clean(c.Host), seconds(c.Resolution), seconds(c.Cost), seconds(c.Overhead))
}
