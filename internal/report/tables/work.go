package tables

import (
	"cmp"
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
	"linerate/internal/report/terminal"
)

// WorkView is the work of one experiment by thread and core.
type WorkView struct {
	Caption    string
	Rows       []workRow
	Placements []string
	PerCPU     string
	Unknown    []string
}

type workRow struct{ Who, Name, Core, User, System, All string }

// mostWorkRows bounds the table of an experiment on the page.
const mostWorkRows = 16

// WorkOf returns the view of a combination; nil if nothing is known.
func WorkOf(c result.Combination) *WorkView {
	v := WorkView{Caption: "Who did the work", PerCPU: perCPUText(c.E.PerCPU)}
	if l := c.Label(); l != "" {
		v.Caption += ", " + l
	}
	rest, left := 0.0, 0
	for _, m := range c.E.CPU {
		for _, t := range m.Threads {
			if len(v.Rows) >= mostWorkRows || t.User+t.System < 0.001 && len(v.Rows) > 0 {
				rest, left = rest+t.User+t.System, left+1
				continue
			}
			r := workRow{Who: whose(t, m.Host), Name: format.Clean(t.Name), Core: "moved", User: unit.Percent(t.User),
				System: unit.Percent(t.System), All: unit.Percent(t.User + t.System)}
			if t.Count > 1 {
				r.Name += fmt.Sprintf(" (%d)", t.Count)
			} else if t.Core >= 0 {
				r.Core = fmt.Sprint(t.Core)
			}
			v.Rows = append(v.Rows, r)
		}
	}
	if left > 0 {
		v.Rows = append(v.Rows,
			workRow{Who: "all others", Name: unit.Counted(left, "thread"), Core: "", All: unit.Percent(rest)})
	}
	for _, l := range c.E.SoftIRQ {
		v.Placements = append(v.Placements, format.Clean(l.Host)+", "+format.Clean(l.Text))
	}
	for _, u := range c.E.Unknown {
		v.Unknown = append(v.Unknown,
			format.Clean(u.Subject)+": "+format.NotKnown+", because "+strings.TrimSuffix(format.Clean(u.Reason), "."))
	}
	if len(v.Rows)+len(v.Placements) == 0 && v.PerCPU == "" {
		return nil
	}
	return &v
}

// whose names the owner of a thread.
func whose(t record.Thread, machine string) string {
	switch t.Kind {
	case record.OwnThread:
		return format.Clean(t.Host) + ", measuring"
	case record.KernelThread:
		return format.Clean(machine) + ", kernel"
	}
	return format.Clean(machine) + ", other work"
}

// perCPUText is goodput over CPU time in words; empty: not known.
func perCPUText(p *record.PerCPU) string {
	if p == nil {
		return ""
	}
	var parts []string
	if p.Processes != nil {
		parts = append(parts, format.Bits(*p.Processes)+" per CPU second of both ends' processes")
	}
	if p.Hosts != nil {
		parts = append(parts, format.Bits(*p.Hosts)+" of all that the cores did")
	}
	return strings.Join(parts, ", ")
}

// PrintWork prints, for the main figure of the first path, who did the work and where the softirq ran; the page has
// all.
func PrintWork(l *terminal.Lines, r *record.Run) {
	for _, w := range result.Rows(r) {
		if printWork(l, w.Path(), w.Main(), 5, 2) {
			return
		}
	}
}

// PrintWorkOf prints all threads and cores of one combination of a row.
func PrintWorkOf(l *terminal.Lines, w result.Row, c result.Combination) {
	name := w.Path()
	if s := c.Label(); s != "" {
		name += " (" + s + ")"
	}
	printWork(l, name, c, mostWorkRows+1, len(c.E.SoftIRQ))
}

// printWork prints who did the work of a combination, at most so many threads and cores, and reports whether anything
// is known of it.
func printWork(l *terminal.Lines, path string, c result.Combination, threads, cores int) bool {
	const label = 10
	v := WorkOf(c)
	if v == nil {
		return false
	}
	var words []string
	for _, row := range v.Rows[:min(len(v.Rows), threads)] {
		who, _, _ := strings.Cut(row.Who, ",")
		if strings.HasSuffix(row.Who, "measuring") {
			who += " "
		} else {
			who = ""
		}
		words = append(words, who+row.Name+" "+row.All)
	}
	l.Gap()
	name := "CPUs"
	for _, text := range append([]string{path + ": " + cmp.Or(v.PerCPU,
		"goodput per CPU second "+format.NotKnown), strings.Join(words, ", ")},
		v.Placements[:min(len(v.Placements), cores)]...) {
		if text != "" {
			l.Item(0, label, name, terminal.Normal, text)
			name = ""
		}
	}
	return true
}
