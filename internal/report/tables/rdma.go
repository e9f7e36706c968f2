package tables

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"sort"
	"strconv"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/stat"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report/chart"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
	"linerate/internal/report/svg"
	"linerate/internal/report/terminal"
)

// VerbsTable is the latencies, or the goodput, of RDMA between two ends, by size of the message and number of pairs.
type VerbsTable struct {
	Title   string
	Headers []string   // size, then the numbers of pairs
	Rows    [][]string // p50 of all pairs, or their total goodput
	Said    []string   // notes on the figures
	Chart   template.HTML
	Anchor  string
	// Tails are the latencies beyond the median for each size and number of pairs; empty for a goodput.
	Tails [][]string

	Values map[[2]string]*record.Experiment
	sizes  []string
	pairs  []string
}

// VerbsTables groups the figures of RDMA; each table has one operation and one metric.
func VerbsTables(r *record.Run) []VerbsTable {
	var order []string
	of := map[string]*VerbsTable{}
	for _, e := range r.Experiments {
		if !method.Named(e.Method).UsesRDMA || e.Latency == nil && e.Goodput == nil {
			continue
		}
		op := cmp.Or(e.Settings["op"], "write")
		title := fmt.Sprintf("%s, %s of %s", format.Clean(e.Name), format.Clean(op), format.Clean(e.Path())+result.Through(e))
		for _, k := range []string{"service", "inline", "path_mtu", "depth", "placement", "device", "transport"} {
			if v := e.Settings[k]; v != "" {
				title += ", " + strings.ReplaceAll(k, "_", " ") + " " + format.Clean(v)
			}
		}
		if e.Variant != "" {
			title += " [" + format.Clean(e.Variant) + "]"
		}
		switch {
		case e.Latency == nil:
			title += ", goodput " + map[string]string{"in": "to " + format.Clean(e.From),
				"both": "both ways at once"}[e.Direction]
			title = strings.TrimSuffix(title, " ")
		case e.Direction == "in":
			title += ", asked by " + format.Clean(e.To)
		}
		t := of[title]
		if t == nil {
			t = &VerbsTable{Title: title, Values: map[[2]string]*record.Experiment{}}
			of[title], order = t, append(order, title)
		}
		size, pairs := cmp.Or(e.Settings["size"], "8B"), cmp.Or(e.Settings["threads"], "1")
		t.Values[[2]string{size, pairs}] = e
		t.sizes = xslices.AppendNew(t.sizes, size)
		t.pairs = xslices.AppendNew(t.pairs, pairs)
	}
	var out []VerbsTable
	for _, title := range order {
		t := of[title]
		t.finish()
		out = append(out, *t)
	}
	return out
}

func (t *VerbsTable) finish() {
	for _, list := range [][]string{t.sizes, t.pairs} {
		sort.SliceStable(list, func(a, b int) bool { return result.Place(list[a]) < result.Place(list[b]) })
	}
	t.Headers = []string{"size"}
	for _, p := range t.pairs {
		t.Headers = append(t.Headers, p+unit.If(p == "1", " pair", " pairs"))
	}
	for _, s := range t.sizes {
		row := []string{result.Value(s)}
		for _, p := range t.pairs {
			text := ""
			if e := t.Values[[2]string{s, p}]; e != nil && e.Latency != nil {
				text = format.Seconds(e.Latency.P50)
			} else if e != nil {
				text = format.Rate(e.Goodput.Median)
			}
			row = append(row, text)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Said = t.said()
	t.tails()
}

// Swept reports whether a page shows the table instead of a drawing for each combination.
func (t *VerbsTable) Swept() bool { return len(t.Values) > 3 }

func (t *VerbsTable) tails() {
	for _, s := range t.sizes {
		for _, p := range t.pairs {
			e := t.Values[[2]string{s, p}]
			if e == nil || e.Latency == nil {
				continue
			}
			line := []string{result.Value(s), format.Clean(p)}
			t.Tails = append(t.Tails, append(line, tail(e.Latency)...))
		}
	}
}

// tail returns every percentile of a latency, the maximum and the count.
func tail(l *record.Latency) (line []string) {
	for i, q := range Percentiles() {
		text := format.Seconds(q.Of(l))
		if i < len(l.Percentiles) && l.Percentiles[i].Seconds == nil {
			text = format.NotKnown
		}
		line = append(line, text)
	}
	return append(line, format.Seconds(l.Max), fmt.Sprint(l.Count))
}

// TailHeaders returns the columns of Tails.
func (t VerbsTable) TailHeaders() []string {
	out := []string{"size", "threads"}
	for _, q := range Percentiles() {
		out = append(out, q.Name)
	}
	return append(out, "max", "operations")
}

// Draw draws the figures over the size, a line for each number of pairs.
func (t *VerbsTable) Draw(mark string) template.HTML {
	if len(t.sizes) < 3 {
		return ""
	}
	s := &chart.Sweep{Key: "size", Xs: t.sizes}
	var p chart.SweepPanel
	goodput := false
	for i, n := range t.pairs {
		y := chart.System{Name: t.Headers[i+1], Short: n, Combinations: map[string]result.Combination{}}
		for _, x := range t.sizes {
			if e := t.Values[[2]string{x, n}]; e != nil {
				y.Combinations[x] = result.Combination{E: e}
				goodput = e.Latency == nil
				p.Row = result.Row{Name: e.Name, From: e.From, To: e.To, Variant: e.Variant}
			}
		}
		p.Systems = append(p.Systems, y)
	}
	none := func(string) float64 { return 0 }
	if goodput {
		figure := func(c result.Combination) (float64, float64, float64, []float64, bool) {
			if c.E.Goodput == nil {
				return 0, 0, 0, nil, false
			}
			return c.E.Goodput.Median, c.E.Goodput.Low, c.E.Goodput.High, c.Repeats(), true
		}
		limit := func(x string) (most float64) {
			for _, y := range p.Systems {
				if c, ok := y.Combinations[x]; ok && c.E.Ceiling != nil {
					most = max(most, float64(c.E.Ceiling.Planned()))
				}
			}
			return most
		}
		d, y, at := s.Frame(p, t.Title, "Payload of all pairs together. More is better; the table has every figure.",
			figure, limit, func(top float64) string { return svg.RateUnit(top) + ", more is better" }, svg.RateTick)
		if d == nil {
			return ""
		}
		if !s.CeilingLine(d, y, at, limit, format.Rate, "ceiling ", mark) {
			d.Text("tick", svg.End, chart.SweepRight, chart.SweepTop-9, "ceiling "+format.NotKnown)
		}
		s.Lines(d, p, y, at, figure)
		return d.Done()
	}
	s.Decades = true
	figure := func(c result.Combination) (float64, float64, float64, []float64, bool) {
		if c.E.Latency == nil {
			return 0, 0, 0, nil, false
		}
		v := c.E.Latency.P50 * 1e6
		return v, v, v, nil, true
	}
	return s.Figures(p, t.Title, "Medians in microseconds. Less is better; the table has every figure.", figure, none,
		func(float64) string { return "p50, logarithmic, less is better" }, chart.TimeTick)
}

// said describes a table's figures, the release of the pairs, the cost of a call, and the jump at the inline limit.
func (t *VerbsTable) said() (out []string) {
	var all []*record.Experiment
	for _, s := range t.sizes {
		for _, p := range t.pairs {
			if e := t.Values[[2]string{s, p}]; e != nil && e.Verbs != nil {
				all = append(all, e)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	first := all[0].Verbs
	what := "p50, " + first.Latency
	if all[0].Latency == nil {
		what = "payload of all pairs together, median of the repeats"
	}
	if len(first.Ends) == 2 {
		x := first.Ends[0]
		what += fmt.Sprintf("; %s %s over %s port %d, path MTU %d, inline up to %d B", linkName(x.Link),
			format.Clean(x.Transport), format.Clean(x.Device), x.Port, x.PathMTU, x.Inline)
		if x.Soft {
			what += "; the kernel does what a NIC would"
		}
	}
	out = append(out, what)
	crowded := []string{}
	var posts, polls []float64
	for _, e := range all {
		for _, x := range e.Verbs.Ends {
			if n := cmp.Or(e.Settings["threads"], "1"); x.Crowded && !slices.Contains(crowded, n) {
				crowded = append(crowded, n)
			}
			if x.Post != nil {
				posts = append(posts, *x.Post)
			}
			if x.Poll != nil {
				polls = append(polls, *x.Poll)
			}
		}
	}
	if text := releases(all); text != "" {
		out = append(out, text)
	}
	if len(posts) > 0 && len(polls) > 0 {
		post, _ := stat.Median(posts) // there is at least one
		poll, _ := stat.Median(polls)
		out = append(out, fmt.Sprintf("a post takes the thread %s, a poll that finds something %s", format.Seconds(post),
			format.Seconds(poll)))
	}
	if len(crowded) > 0 {
		out = append(out, strings.Join(crowded,
			", ")+" pairs are more than there are cores for: their threads take turns, and the figures have the waiting in them")
	}
	for _, p := range t.pairs {
		for _, s := range t.sizes {
			if e := t.Values[[2]string{s, p}]; e != nil && e.Remark != "" {
				out = append(out, t.Headers[1+slices.Index(t.pairs, p)]+": "+format.Clean(e.Remark))
			}
		}
	}
	return out
}

// linkName returns the usual spelling.
func linkName(link string) string {
	names := map[string]string{"ib": "InfiniBand", "rocev1": "RoCE v1", "rocev2": "RoCE v2", "iwarp": "iWARP"}
	return cmp.Or(names[link], format.Clean(link))
}

// PrintVerbs prints the latencies and goodputs of RDMA.
func PrintVerbs(l *terminal.Lines, r *record.Run) {
	for _, t := range VerbsTables(r) {
		l.Heading(t.Title)
		printFigures(l, t.Headers, t.Rows, t.Said)
	}
}

// releases describes the release skew of RDMA experiments by their number of pairs; empty: none had more than one pair.
func releases(all []*record.Experiment) string {
	worst, crowded := map[int]float64{}, false
	for _, e := range all {
		if !method.Named(e.Method).UsesRDMA {
			continue
		}
		for _, r := range e.Repeats {
			if r.Verbs != nil {
				crowded = released(worst, e, r.Verbs) || crowded
			}
		}
		if e.Verbs != nil {
			crowded = released(worst, e, e.Verbs) || crowded
		}
	}
	var counts []int
	for n := range worst {
		counts = append(counts, n)
	}
	if len(counts) == 0 {
		return ""
	}
	slices.Sort(counts)
	var words []string
	far := false
	for _, n := range counts {
		words = append(words, fmt.Sprintf("%d within %s", n, format.Seconds(worst[n])))
		far = far || worst[n] > record.ReleaseFar
	}
	text := "release skew: pairs left the barrier together, " + strings.Join(
		words, ", ",
	) + " of each other (the most of both ends and all repeats); the interval begins later, so that no figure has it in " +
		"itself"
	if far {
		text += "; above " + format.Seconds(record.ReleaseFar) + " threads waited for a core"
		if crowded {
			text += ", because there are fewer cores than pairs"
		}
	}
	return text
}

// released records the skew of a repeat, and reports whether an end had fewer cores than pairs.
func released(worst map[int]float64, e *record.Experiment, v *record.Verbs) (crowded bool) {
	n, err := strconv.Atoi(cmp.Or(e.Settings["threads"], "1"))
	if err != nil || n < 2 {
		return false
	}
	for _, x := range v.Ends {
		worst[n] = max(worst[n], x.Skew)
		crowded = crowded || x.Crowded
	}
	return crowded
}
