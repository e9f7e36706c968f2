package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"sort"
	"strings"

	"linerate/internal/base/stat"
	"linerate/internal/record"
)

// verbsTable is the latencies, or the goodput, of RDMA between two ends, by size of the message and number of pairs.
type verbsTable struct {
	Title  string
	Heads  []string   // size, then the numbers of pairs
	Rows   [][]string // p50 of all pairs, or the goodput of all together
	Said   []string   // what is to be known of them
	Chart  template.HTML
	Anchor string
	// Tails are the latencies of each size and number of pairs beyond their median; empty of a goodput.
	Tails [][]string

	cells map[[2]string]*record.Experiment
	sizes []string
	pairs []string
}

// verbsTables gathers the figures of the method verbs; each table has one operation and one metric.
func verbsTables(r *record.Run) []verbsTable {
	var order []string
	of := map[string]*verbsTable{}
	for _, e := range r.Experiments {
		if e.Method != record.MethodVerbs || e.Latency == nil && e.Goodput == nil {
			continue
		}
		op := cmp.Or(e.Settings["op"], "write")
		title := fmt.Sprintf("%s, %s of %s", clean(e.Name), clean(op), clean(e.Path())+through(e))
		for _, k := range []string{"service", "inline", "path_mtu", "depth", "placement", "device", "transport"} {
			if v := e.Settings[k]; v != "" {
				title += ", " + strings.ReplaceAll(k, "_", " ") + " " + clean(v)
			}
		}
		if e.Variant != "" {
			title += " [" + clean(e.Variant) + "]"
		}
		switch {
		case e.Latency == nil:
			title += ", goodput " + map[string]string{"in": "to " + clean(e.From), "both": "both ways at once"}[e.Direction]
			title = strings.TrimSuffix(title, " ")
		case e.Direction == "in":
			title += ", asked by " + clean(e.To)
		}
		t := of[title]
		if t == nil {
			t = &verbsTable{Title: title, cells: map[[2]string]*record.Experiment{}}
			of[title], order = t, append(order, title)
		}
		size, pairs := cmp.Or(e.Settings["size"], "8B"), cmp.Or(e.Settings["pairs"], "1")
		t.cells[[2]string{size, pairs}] = e
		if !contains(t.sizes, size) {
			t.sizes = append(t.sizes, size)
		}
		if !contains(t.pairs, pairs) {
			t.pairs = append(t.pairs, pairs)
		}
	}
	var out []verbsTable
	for _, title := range order {
		t := of[title]
		t.finish()
		out = append(out, *t)
	}
	return out
}

func (t *verbsTable) finish() {
	for _, list := range [][]string{t.sizes, t.pairs} {
		sort.SliceStable(list, func(a, b int) bool { return place(list[a]) < place(list[b]) })
	}
	t.Heads = []string{"size"}
	for _, p := range t.pairs {
		t.Heads = append(t.Heads, p+map[bool]string{true: " pair", false: " pairs"}[p == "1"])
	}
	for _, s := range t.sizes {
		row := []string{value(s)}
		for _, p := range t.pairs {
			text := ""
			if e := t.cells[[2]string{s, p}]; e != nil && e.Latency != nil {
				text = seconds(e.Latency.P50)
			} else if e != nil {
				text = rate(e.Goodput.Median)
			}
			row = append(row, text)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Said = t.said()
	t.tails()
}

// swept says whether the table stands for its cells on a page, so that none has a drawing of its own.
func (t *verbsTable) swept() bool { return len(t.cells) > 3 }

func (t *verbsTable) tails() {
	for _, s := range t.sizes {
		for _, p := range t.pairs {
			e := t.cells[[2]string{s, p}]
			if e == nil || e.Latency == nil {
				continue
			}
			line := []string{value(s), clean(p)}
			t.Tails = append(t.Tails, append(line, tail(e.Latency)...))
		}
	}
}

// tail is every percentile of a latency, its longest and how many there were.
func tail(l *record.Latency) (line []string) {
	for i, q := range percentileNames {
		text := seconds(q.of(l))
		if i < len(l.Percentiles) && l.Percentiles[i].Seconds == nil {
			text = notKnown
		}
		line = append(line, text)
	}
	return append(line, seconds(l.Max), fmt.Sprint(l.Count))
}

// TailHeads are the columns of Tails.
func (t verbsTable) TailHeads() []string {
	out := []string{"size", "pairs"}
	for _, q := range percentileNames {
		out = append(out, q.name)
	}
	return append(out, "max", "operations")
}

// chart draws the figures over the size, a line a number of pairs: what document 002 shows in its figures.
func (t *verbsTable) chart(mark string) template.HTML {
	if len(t.sizes) < 3 {
		return ""
	}
	s := &sweep{Key: "size", xs: t.sizes}
	var p sweepPanel
	goodput := false
	for i, n := range t.pairs {
		y := system{name: t.Heads[i+1], short: n, cells: map[string]cell{}}
		for _, x := range t.sizes {
			if e := t.cells[[2]string{x, n}]; e != nil {
				y.cells[x] = cell{E: e}
				goodput = e.Latency == nil
				p.row = row{Name: e.Name, From: e.From, To: e.To, Variant: e.Variant}
			}
		}
		p.systems = append(p.systems, y)
	}
	none := func(string) float64 { return 0 }
	if goodput {
		figure := func(c cell) (float64, float64, float64, []float64, bool) {
			if c.E.Goodput == nil {
				return 0, 0, 0, nil, false
			}
			return c.E.Goodput.Median, c.E.Goodput.Low, c.E.Goodput.High, c.repeats(), true
		}
		limit := func(x string) (most float64) {
			for _, y := range p.systems {
				if c, ok := y.cells[x]; ok && c.E.Ceiling != nil {
					most = max(most, float64(c.E.Ceiling.Planned()))
				}
			}
			return most
		}
		d, y, at := s.frame(p, t.Title, "Payload of all pairs together. More is better; the table has every figure.", figure, limit,
			func(top float64) string { return rateUnit(top) + ", more is better" }, rateTick)
		if d == nil {
			return ""
		}
		if !s.ceilingLine(d, y, at, limit, rate, "ceiling ", mark) {
			d.text("tick", end, sweepRight, sweepTop-9, "ceiling "+notKnown)
		}
		s.lines(d, p, y, at, figure)
		return d.done()
	}
	s.decades = true
	figure := func(c cell) (float64, float64, float64, []float64, bool) {
		if c.E.Latency == nil {
			return 0, 0, 0, nil, false
		}
		v := c.E.Latency.P50 * 1e6
		return v, v, v, nil, true
	}
	return s.figures(p, t.Title, "Medians in microseconds. Less is better; the table has every figure.", figure, none,
		func(float64) string { return "p50, logarithmic, less is better" }, timeTick)
}

// said is what a table's figures are, how the pairs were released, what a call costs, and the jump at the inline limit.
func (t *verbsTable) said() (out []string) {
	var all []*record.Experiment
	for _, s := range t.sizes {
		for _, p := range t.pairs {
			if e := t.cells[[2]string{s, p}]; e != nil && e.Verbs != nil {
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
		what += fmt.Sprintf("; %s %s over %s port %d, path MTU %d, inline up to %d B", linkName(x.Link), clean(x.Transport), clean(x.Device), x.Port, x.PathMTU, x.Inline)
		if x.Soft {
			what += "; the kernel does what a card would"
		}
	}
	out = append(out, what)
	crowded := []string{}
	var posts, polls []float64
	for _, e := range all {
		for _, x := range e.Verbs.Ends {
			if n := cmp.Or(e.Settings["pairs"], "1"); x.Crowded && !slices.Contains(crowded, n) {
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
		post, _ := stat.Median(posts) // there are some
		poll, _ := stat.Median(polls)
		out = append(out, fmt.Sprintf("a post takes the thread %s, a poll that finds something %s", seconds(post), seconds(poll)))
	}
	if len(crowded) > 0 {
		out = append(out, strings.Join(crowded, ", ")+" pairs are more than there are cores for: their threads take turns, and the figures have the waiting in them")
	}
	for _, p := range t.pairs {
		for _, s := range t.sizes {
			if e := t.cells[[2]string{s, p}]; e != nil && e.Remark != "" {
				out = append(out, t.Heads[1+slices.Index(t.pairs, p)]+": "+clean(e.Remark))
			}
		}
	}
	return out
}

// linkName is how people write it.
func linkName(link string) string {
	names := map[string]string{"ib": "InfiniBand", "rocev1": "RoCE v1", "rocev2": "RoCE v2", "iwarp": "iWARP"}
	return cmp.Or(names[link], clean(link))
}

// verbs prints the latencies and goodputs of RDMA.
func (l *lines) verbs(r *record.Run) {
	for _, t := range verbsTables(r) {
		l.gap()
		l.line(l.ink(bold, t.Title))
		l.figures(t.Heads, t.Rows, t.Said)
	}
}
