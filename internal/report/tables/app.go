package tables

import (
	"fmt"
	"slices"
	"sort"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
	"linerate/internal/report/terminal"
)

// AppTable is one command experiment: its figure for each value of its parameters, and the work of the hosts meanwhile.
type AppTable struct {
	Title   string
	Headers []string
	Rows    [][]string
	Said    []string
}

// AppTables groups the command experiments by name.
func AppTables(r *record.Run) []AppTable {
	return xslices.Map(result.Tables(r, " on ",
		func(e *record.Experiment) bool { return e.Figure != nil && e.App != nil }),
		func(g result.Table) AppTable { return newAppTable(g.Title, g.All, g.Keys) })
}

func newAppTable(title string, all []*record.Experiment, keys []string) AppTable {
	t := AppTable{Title: title}
	sort.SliceStable(all, func(a, b int) bool {
		for _, k := range keys {
			if x, y := result.Place(all[a].Settings[k]), result.Place(all[b].Settings[k]); x != y {
				return x < y
			}
		}
		return false
	})
	t.Headers = append(result.SettingHeaders(keys), "figure", "spread", "time", "cores in use", "network, a host")
	for _, e := range all {
		row := result.SettingValues(e, keys)
		spread := format.SpreadAs(e.Figure, func(v float64) string { return FigureText(v, e.FigureUnit) })
		time := ""
		if e.Seconds != nil && !timed(e) {
			time = format.Seconds(e.Seconds.Median)
		}
		t.Rows = append(t.Rows,
			append(row, FigureText(e.Figure.Median, e.FigureUnit), spread, time, coresInUse(e.App), perHost(e.App)))
	}
	t.Said = appSaid(all)
	return t
}

// timed reports whether the figure is the time that the command took.
func timed(e *record.Experiment) bool { return e.App.Line == "" }

// FigureText is a figure in its own unit.
func FigureText(v float64, of string) string {
	return format.Clean((&record.Experiment{FigureUnit: of}).FigureText(v))
}

// coresInUse describes the busy cores of the hosts; hosts on one machine share them.
func coresInUse(a *record.App) string {
	sum := 0.0
	for _, h := range a.Hosts {
		if h.Cores == nil {
			return format.NotKnown
		}
		if sum += *h.Cores; a.OneMachine {
			break
		}
	}
	return unit.Significant(sum)
}

// perHost describes what the interfaces of the hosts sent on average while the command ran; empty: no network is
// planned for it.
func perHost(a *record.App) string {
	sum, n := 0.0, 0
	for _, h := range a.Hosts {
		if h.Interface == "" {
			continue
		}
		if h.Sent == nil || h.Seconds <= 0 {
			return format.NotKnown
		}
		sum, n = sum+float64(*h.Sent)*8/h.Seconds, n+1
	}
	if n == 0 {
		return ""
	}
	return format.Rate(sum/float64(n)) + " sent"
}

// appSaid describes the command, the place of its output, and the losses of the network.
func appSaid(all []*record.Experiment) []string {
	var out []string
	last := all[len(all)-1]
	command := last.InEffect["command"]
	if len(all) > 1 {
		command = last.Settings["command"]
	}
	if command == "" {
		command = format.Command(last.App.Command)
	}
	out = append(out, "command: "+format.Clean(command))
	if last.App.Line != "" {
		out = append(out, "the figure is in: "+format.Clean(last.App.Line))
	} else {
		out = append(out, "the figure is the time that the command took")
	}
	if last.App.Output != "" {
		out = append(out, "what it printed is kept: "+format.Clean(last.App.Output))
	}
	if last.App.OneMachine {
		out = append(out, "all hosts are on one machine: its cores are those of all")
	}
	for _, e := range all {
		for _, h := range e.App.Hosts {
			for _, c := range []struct {
				n    *int64
				what string
			}{{h.Errors, "with errors"}, {h.Dropped, "dropped"}} {
				if c.n != nil && *c.n > 0 {
					text := fmt.Sprintf("%s counted %s %s", format.Clean(h.Host)+" "+format.Clean(h.Interface),
						unit.Counted(int(*c.n), "packet"), c.what)
					if v := e.Settings["processes"]; v != "" && len(all) > 1 {
						text += " (processes " + format.Clean(v) + ")"
					}
					if !slices.Contains(out, text) && len(out) < 12 {
						out = append(out, text)
					}
				}
			}
		}
	}
	return out
}

// PrintApps prints the tables of app.
func PrintApps(l *terminal.Lines, r *record.Run) {
	for _, t := range AppTables(r) {
		l.Heading(t.Title)
		if l.Width < 100 { // a narrow terminal only has room for the spread
			t.Headers, t.Rows = withoutColumn(t.Headers, t.Rows, "time")
		}
		printFigures(l, t.Headers, t.Rows, t.Said)
	}
}
