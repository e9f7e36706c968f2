package report

import (
	"fmt"
	"slices"
	"sort"
	"strconv"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// appTable is one experiment of the method app: its figure for each value of its axes, and what the hosts did meanwhile.
type appTable struct {
	Title string
	Heads []string
	Rows  [][]string
	Said  []string
}

// appTables gathers the experiments of app, those of one name in one table.
func appTables(r *record.Run) []appTable {
	var out []appTable
	for _, g := range gather(r, " on ", func(e *record.Experiment) bool { return e.Figure != nil && e.App != nil }) {
		out = append(out, newAppTable(g.title, g.all, g.keys))
	}
	return out
}

func newAppTable(title string, all []*record.Experiment, keys []string) appTable {
	t := appTable{Title: title}
	sort.SliceStable(all, func(a, b int) bool {
		for _, k := range keys {
			if x, y := place(all[a].Settings[k]), place(all[b].Settings[k]); x != y {
				return x < y
			}
		}
		return false
	})
	t.Heads = append(settingHeads(keys), "figure", "spread", "time", "cores in use", "network, a host")
	for _, e := range all {
		row := settingCells(e, keys)
		time := ""
		if e.Seconds != nil && !timed(e) {
			time = seconds(e.Seconds.Median)
		}
		t.Rows = append(t.Rows, append(row, FigureText(e.Figure.Median, e.FigureUnit), figureSpread(e), time, coresInUse(e.App), perHost(e.App)))
	}
	t.Said = appSaid(all)
	return t
}

// timed says whether the figure is the time that the command took.
func timed(e *record.Experiment) bool { return e.App.Line == "" }

// FigureText is a figure in its own unit.
func FigureText(v float64, of string) string {
	return clean((&record.Experiment{FigureUnit: of}).FigureText(v))
}

// figureSpread is what the repeats allow to say of a figure.
func figureSpread(e *record.Experiment) string {
	f := e.Figure
	if f.Repeats < 2 {
		return "one repeat"
	}
	kind := "range of " + strconv.Itoa(f.Repeats)
	if f.Interval != "range" {
		kind = clean(f.Interval) + " interval of " + strconv.Itoa(f.Repeats)
	}
	low, high := FigureText(f.Low, e.FigureUnit), FigureText(f.High, e.FigureUnit)
	if l, h, ok := sameUnit(low, high); ok {
		low, high = l, h
	}
	return low + " .. " + high + ", " + kind
}

// coresInUse is how many cores of the hosts were at work; hosts on one machine have the same ones.
func coresInUse(a *record.App) string {
	sum := 0.0
	for _, h := range a.Hosts {
		if h.Cores == nil {
			return notKnown
		}
		if sum += *h.Cores; a.OneMachine {
			break
		}
	}
	return unit.Significant(sum)
}

// perHost is what the interfaces of the hosts sent on average while the command ran; empty: no network is planned for it.
func perHost(a *record.App) string {
	sum, n := 0.0, 0
	for _, h := range a.Hosts {
		if h.Interface == "" {
			continue
		}
		if h.Sent == nil || h.Seconds <= 0 {
			return notKnown
		}
		sum, n = sum+float64(*h.Sent)*8/h.Seconds, n+1
	}
	if n == 0 {
		return ""
	}
	return rate(sum/float64(n)) + " sent"
}

// appSaid is what was run, where its output is, and what the network lost.
func appSaid(all []*record.Experiment) []string {
	var out []string
	last := all[len(all)-1]
	command := last.InEffect["command"]
	if len(all) > 1 {
		command = last.Settings["command"]
	}
	if command == "" {
		command = Command(last.App.Command)
	}
	out = append(out, "command: "+clean(command))
	if last.App.Line != "" {
		out = append(out, "the figure stands in: "+clean(last.App.Line))
	} else {
		out = append(out, "the figure is the time that the command took")
	}
	if last.App.Output != "" {
		out = append(out, "what it printed is kept: "+clean(last.App.Output))
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
					text := fmt.Sprintf("%s counted %s %s", clean(h.Host)+" "+clean(h.Interface), Count(int(*c.n), "packet"), c.what)
					if v := e.Settings["processes"]; v != "" && len(all) > 1 {
						text += " (processes " + clean(v) + ")"
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

// apps prints the tables of app.
func (l *lines) apps(r *record.Run) {
	for _, t := range appTables(r) {
		l.gap()
		l.line(l.ink(bold, t.Title))
		if l.Width < 100 { // the spread is what a narrow terminal has room for
			t.Heads, t.Rows = withoutColumn(t.Heads, t.Rows, "time")
		}
		l.figures(t.Heads, t.Rows, t.Said)
	}
}
