package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"sort"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// haloTable is the times of an exchange among hosts, over the tile or the number of processes, a column for each card and value of the other.
type haloTable struct {
	Title string
	Heads []string
	Rows  [][]string
	Said  []string // what is to be known of them
	Chart template.HTML

	key     string // of the rows: tiles or processes
	xs      []string
	systems []string
	cells   map[[2]string]*record.Experiment // by value and system
}

// haloTables gathers the exchanges of each experiment.
func haloTables(r *record.Run) []haloTable {
	var order []string
	of := map[string][]*record.Experiment{}
	for _, e := range r.Experiments {
		if e.Method != record.MethodHalo || e.Seconds == nil || e.Halo == nil {
			continue
		}
		title := clean(e.Name)
		if e.Variant != "" {
			title += " [" + clean(e.Variant) + "]"
		}
		if of[title] == nil {
			order = append(order, title)
		}
		of[title] = append(of[title], e)
	}
	var out []haloTable
	for _, title := range order {
		out = append(out, newHaloTable(title, of[title], labShort(r.Lab)))
	}
	return out
}

// haloValue is the number of tiles or processes of an exchange, written or not.
func haloValue(e *record.Experiment, key string) string {
	if key == "tiles" {
		return fmt.Sprint(e.Halo.Tile)
	}
	return fmt.Sprint(e.Halo.Processes)
}

func newHaloTable(title string, all []*record.Experiment, mark string) haloTable {
	values := func(key string) (out []string) {
		for _, e := range all {
			out = once(out, haloValue(e, key))
		}
		return out
	}
	t := haloTable{Title: title, key: "tiles", cells: map[[2]string]*record.Experiment{}}
	other := "processes"
	if len(values("processes")) > len(values("tiles")) {
		t.key, other = other, t.key
	}
	for _, e := range all {
		var parts []string
		if v := haloValue(e, other); len(values(other)) > 1 {
			parts = append(parts, v+" "+other)
		}
		for _, k := range []string{"via", "exchange", "transport", "placement", "spin"} {
			if v := e.Settings[k]; v != "" && varies(all, k) {
				parts = append(parts, clean(k)+" "+clean(v))
			}
		}
		name, x := cmp.Or(strings.Join(parts, ", "), "an exchange"), haloValue(e, t.key)
		t.systems, t.xs = once(t.systems, name), once(t.xs, x)
		t.cells[[2]string{x, name}] = e
	}
	sort.SliceStable(t.xs, func(a, b int) bool { return place(t.xs[a]) < place(t.xs[b]) })
	if len(values(other)) == 1 {
		t.Title += fmt.Sprintf(", %s %s", haloValue(all[0], other), other)
	}
	if mark != "" {
		t.Title += " (" + mark + ")"
	}
	t.Heads = append([]string{t.key}, t.systems...)
	normal := len(t.systems) == 2
	if normal {
		t.Heads = append(t.Heads, "second / first")
	}
	for _, x := range t.xs {
		line := []string{x}
		var figures []float64
		for _, y := range t.systems {
			text := ""
			if e := t.cells[[2]string{x, y}]; e != nil {
				text = seconds(e.Seconds.Median)
				figures = append(figures, e.Seconds.Median)
			}
			line = append(line, text)
		}
		if normal {
			text := ""
			if len(figures) == 2 && figures[0] > 0 {
				text = unit.Significant(figures[1] / figures[0])
			}
			line = append(line, text)
		}
		t.Rows = append(t.Rows, line)
	}
	t.Said = t.said(all)
	return t
}

func once(list []string, v string) []string {
	if slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}

func varies(all []*record.Experiment, key string) bool {
	return slices.ContainsFunc(all, func(e *record.Experiment) bool { return e.Settings[key] != all[0].Settings[key] })
}

// said is what the figures are, where the processes were, and what disturbs them.
func (t *haloTable) said(all []*record.Experiment) []string {
	out := []string{"time of an exchange, of the process with which it takes longest; every word of the first exchange was the neighbour's"}
	var ways []string // what the columns go over; one card may do it otherwise than another
	by := map[string][]string{}
	for _, name := range t.systems {
		for _, x := range t.xs {
			if e := t.cells[[2]string{x, name}]; e != nil {
				way := fmt.Sprintf("%s over %s, %s", clean(e.Halo.Exchange), haloWay(e.Halo), waits(e.Halo.Wait))
				ways, by[way] = once(ways, way), once(by[way], name)
			}
		}
	}
	for _, way := range ways {
		if len(ways) > 1 {
			way = list(by[way]) + ": " + way
		}
		out = append(out, way)
	}
	var placed, crowded, emulated []string
	skew := 0.0
	for _, e := range all {
		h := e.Halo
		text := fmt.Sprintf("%d processes as %d x %d on %s: %d of %d neighbours are remote", h.Processes, h.Columns, h.Rows, count(len(h.Hosts), "host"), h.Remote, h.Remote+h.Local+h.Self)
		if h.Local > 0 {
			text += fmt.Sprintf(", %d on the same host (memory)", h.Local)
		}
		if h.Self > 0 {
			text += fmt.Sprintf(", %d the process itself", h.Self)
		}
		placed = once(placed, text)
		if len(h.Crowded) > 0 {
			crowded = once(crowded, fmt.Sprint(h.Processes))
		}
		if e.Emulated {
			emulated = once(emulated, "emulated")
		}
		skew = max(skew, h.Skew)
	}
	out = append(out, placed...)
	out = append(out, "the processes left the barrier within "+seconds(skew))
	if len(crowded) > 0 {
		out = append(out, list(crowded)+" processes are more than there are cores for: they take turns, and the figures have the waiting in them")
	}
	if len(emulated) > 0 {
		out = append(out, "on emulated machines: it shows that it works, and nothing of speed")
	}
	return out
}

// haloWay is what the halos go over.
func haloWay(h *record.Halo) string {
	if h.Library != "" {
		return "MPI (" + clean(h.Library) + ")"
	}
	if h.Link == "" {
		return strings.ToUpper(clean(h.Transport))
	}
	if h.Soft {
		return linkName(h.Link) + " (the kernel does what a card would)"
	}
	return linkName(h.Link)
}

func waits(wait string) string {
	if rest, ok := strings.CutPrefix(wait, "polling"); ok {
		return "processes poll for their halos" + clean(rest)
	}
	return "processes sleep until their halos come"
}

// chart draws the time over the tile or the number of processes, a line a column.
func (t *haloTable) chart() template.HTML {
	if len(t.xs) < 3 {
		return ""
	}
	s := &sweep{Key: t.key, xs: t.xs}
	var p sweepPanel
	for _, name := range t.systems {
		y := system{name: name, short: name, cells: map[string]cell{}}
		for _, x := range t.xs {
			if e := t.cells[[2]string{x, name}]; e != nil {
				y.cells[x] = cell{E: e}
				p.row = row{Name: e.Name, From: e.From, To: e.To, Variant: e.Variant, among: true}
			}
		}
		p.systems = append(p.systems, y)
	}
	figure := func(c cell) (float64, float64, float64, []float64, bool) {
		var points []float64
		for _, r := range c.E.Repeats {
			if r.Halo != nil {
				points = append(points, r.Halo.Seconds*1e6)
			}
		}
		v := c.E.Seconds
		return v.Median * 1e6, v.Low * 1e6, v.High * 1e6, points, true
	}
	return s.figures(p, "Halo exchange over "+s.Key, "Microseconds an exchange. Less is better; the table has every figure.", figure, func(string) float64 { return 0 },
		func(float64) string { return "us an exchange, less is better" }, func(v, _ float64) string { return trimZeros(v) })
}

// halos prints the times of exchanges.
func (l *lines) halos(r *record.Run) {
	for _, t := range haloTables(r) {
		l.gap()
		l.line(l.ink(bold, t.Title))
		l.figures(t.Heads, t.Rows, t.Said)
	}
}
