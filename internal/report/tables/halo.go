package tables

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"sort"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report/chart"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
	"linerate/internal/report/svg"
	"linerate/internal/report/terminal"
)

// HaloTable is the times of an exchange among hosts, over the tile or the number of processes, a column for each NIC
// and value of the other.
type HaloTable struct {
	Title   string
	Headers []string
	Rows    [][]string
	Said    []string // notes on the figures
	Chart   template.HTML

	key     string // of the rows: tiles or processes
	xs      []string
	systems []string
	Values  map[[2]string]*record.Experiment // by value and system
}

// HaloTables groups the exchanges by experiment.
func HaloTables(r *record.Run) []HaloTable {
	all := slices.DeleteFunc(slices.Clone(r.Experiments), func(e *record.Experiment) bool {
		return !method.Named(e.Method).Exchanges || e.Seconds == nil || e.Halo == nil
	})
	title := func(e *record.Experiment) string {
		if e.Variant != "" {
			return format.Clean(e.Name) + " [" + format.Clean(e.Variant) + "]"
		}
		return format.Clean(e.Name)
	}
	return xslices.Map(format.Groups(all, title),
		func(g []*record.Experiment) HaloTable { return newHaloTable(title(g[0]), g, result.LabShort(r.Lab)) })
}

// haloValue returns the number of tiles or processes of an exchange, configured or default.
func haloValue(e *record.Experiment, key string) string {
	if key == "tiles" {
		return fmt.Sprint(e.Halo.Tile)
	}
	return fmt.Sprint(e.Halo.Processes)
}

func newHaloTable(title string, all []*record.Experiment, mark string) HaloTable {
	values := func(key string) (out []string) {
		for _, e := range all {
			out = xslices.AppendNew(out, haloValue(e, key))
		}
		return out
	}
	t := HaloTable{Title: title, key: "tiles", Values: map[[2]string]*record.Experiment{}}
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
				parts = append(parts, format.Clean(k)+" "+format.Clean(v))
			}
		}
		name, x := cmp.Or(strings.Join(parts, ", "), "an exchange"), haloValue(e, t.key)
		t.systems, t.xs = xslices.AppendNew(t.systems, name), xslices.AppendNew(t.xs, x)
		t.Values[[2]string{x, name}] = e
	}
	sort.SliceStable(t.xs, func(a, b int) bool { return result.Place(t.xs[a]) < result.Place(t.xs[b]) })
	if len(values(other)) == 1 {
		t.Title += fmt.Sprintf(", %s %s", haloValue(all[0], other), other)
	}
	if mark != "" {
		t.Title += " (" + mark + ")"
	}
	t.Headers = append([]string{t.key}, t.systems...)
	normal := len(t.systems) == 2
	if normal {
		t.Headers = append(t.Headers, "second / first")
	}
	for _, x := range t.xs {
		line := []string{x}
		var figures []float64
		for _, y := range t.systems {
			text := ""
			if e := t.Values[[2]string{x, y}]; e != nil {
				text = format.Seconds(e.Seconds.Median)
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

func varies(all []*record.Experiment, key string) bool {
	return slices.ContainsFunc(all, func(e *record.Experiment) bool { return e.Settings[key] != all[0].Settings[key] })
}

// said describes the figures, the placement of the processes, and disturbances.
func (t *HaloTable) said(all []*record.Experiment) []string {
	out := []string{
		"time of an exchange, of the process with which it takes longest; every word of the first exchange was the " +
			"neighbour's",
	}
	var ways []string // transports of the columns, which may differ between NICs
	by := map[string][]string{}
	for _, name := range t.systems {
		for _, x := range t.xs {
			if e := t.Values[[2]string{x, name}]; e != nil {
				way := fmt.Sprintf("%s over %s, %s", format.Clean(e.Halo.Exchange), HaloWay(e.Halo), Waits(e.Halo.Wait))
				ways, by[way] = xslices.AppendNew(ways, way), xslices.AppendNew(by[way], name)
			}
		}
	}
	for _, way := range ways {
		if len(ways) > 1 {
			way = unit.List(by[way]) + ": " + way
		}
		out = append(out, way)
	}
	var placed, crowded, emulated []string
	skew := 0.0
	for _, e := range all {
		h := e.Halo
		text := fmt.Sprintf("%d processes as %d x %d on %s: %d of %d neighbours are remote", h.Processes, h.Columns, h.Rows,
			unit.Counted(len(h.Hosts), "host"), h.Remote, h.Remote+h.Local+h.Self)
		if h.Local > 0 {
			text += fmt.Sprintf(", %d on the same host (memory)", h.Local)
		}
		if h.Self > 0 {
			text += fmt.Sprintf(", %d the process itself", h.Self)
		}
		placed = xslices.AppendNew(placed, text)
		if len(h.Crowded) > 0 {
			crowded = xslices.AppendNew(crowded, fmt.Sprint(h.Processes))
		}
		if e.Emulated {
			emulated = xslices.AppendNew(emulated, "emulated")
		}
		skew = max(skew, h.Skew)
	}
	out = append(out, placed...)
	out = append(out, "the processes left the barrier within "+format.Seconds(skew))
	if len(crowded) > 0 {
		out = append(out, unit.List(
			crowded,
		)+" processes are more than there are cores for: they take turns, and the figures have the waiting in them")
	}
	if len(emulated) > 0 {
		out = append(out, "on emulated machines: it shows that it works, and nothing of speed")
	}
	return out
}

// HaloWay describes the transport of the halos.
func HaloWay(h *record.Halo) string {
	if h.Library != "" {
		return "MPI (" + format.Clean(h.Library) + ")"
	}
	if h.Link == "" {
		return strings.ToUpper(format.Clean(h.Transport))
	}
	if h.Soft {
		return linkName(h.Link) + " (the kernel does what a NIC would)"
	}
	return linkName(h.Link)
}

// Waits prints how processes wait for their halos.
func Waits(wait string) string {
	if rest, ok := strings.CutPrefix(wait, "polling"); ok {
		return "processes poll for their halos" + format.Clean(rest)
	}
	return "processes sleep until their halos come"
}

// Draw draws the time over the tile or the number of processes, a line a column.
func (t *HaloTable) Draw() template.HTML {
	if len(t.xs) < 3 {
		return ""
	}
	s := &chart.Sweep{Key: t.key, Xs: t.xs}
	var p chart.SweepPanel
	for _, name := range t.systems {
		y := chart.System{Name: name, Short: name, Combinations: map[string]result.Combination{}}
		for _, x := range t.xs {
			if e := t.Values[[2]string{x, name}]; e != nil {
				y.Combinations[x] = result.Combination{E: e}
				p.Row = result.Row{Name: e.Name, From: e.From, To: e.To, Variant: e.Variant, Among: true}
			}
		}
		p.Systems = append(p.Systems, y)
	}
	figure := func(c result.Combination) (float64, float64, float64, []float64, bool) {
		var points []float64
		for _, r := range c.E.Repeats {
			if r.Halo != nil {
				points = append(points, r.Halo.Seconds*1e6)
			}
		}
		v := c.E.Seconds
		return v.Median * 1e6, v.Low * 1e6, v.High * 1e6, points, true
	}
	return s.Figures(p, "Halo exchange over "+s.Key,
		"Microseconds an exchange. Less is better; the table has every figure.", figure, func(string) float64 { return 0 },
		func(float64) string { return "us an exchange, less is better" },
		func(v, _ float64) string { return svg.TrimZeros(v) })
}

// PrintHalos prints the times of exchanges.
func PrintHalos(l *terminal.Lines, r *record.Run) {
	for _, t := range HaloTables(r) {
		l.Heading(t.Title)
		printFigures(l, t.Headers, t.Rows, t.Said)
	}
}
