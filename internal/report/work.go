package report

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// workView is who did the work of one experiment.
type workView struct {
	Caption  string
	Rows     []workRow
	Landings []string
	PerCPU   string
	Unknown  []string
}

type workRow struct{ Who, Name, Core, User, System, All string }

// mostWorkRows bounds the table of an experiment on the page.
const mostWorkRows = 16

// workOf is the view of a cell; nil when nothing of it is known.
func workOf(c cell) *workView {
	v := workView{Caption: "Who did the work", PerCPU: perCPUText(c.E.PerCPU)}
	if l := c.label(); l != "" {
		v.Caption += ", " + l
	}
	rest, left := 0.0, 0
	for _, m := range c.E.CPU {
		for _, t := range m.Threads {
			if len(v.Rows) >= mostWorkRows || t.User+t.System < 0.001 && len(v.Rows) > 0 {
				rest, left = rest+t.User+t.System, left+1
				continue
			}
			r := workRow{Who: whose(t, m.Host), Name: clean(t.Name), Core: "moved", User: unit.Percent(t.User), System: unit.Percent(t.System), All: unit.Percent(t.User + t.System)}
			if t.Count > 1 {
				r.Name += fmt.Sprintf(" (%d)", t.Count)
			} else if t.Core >= 0 {
				r.Core = fmt.Sprint(t.Core)
			}
			v.Rows = append(v.Rows, r)
		}
	}
	if left > 0 {
		v.Rows = append(v.Rows, workRow{Who: "all others", Name: count(left, "thread"), Core: "", All: unit.Percent(rest)})
	}
	for _, l := range c.E.SoftIRQ {
		v.Landings = append(v.Landings, clean(l.Host)+", "+clean(l.Text))
	}
	for _, u := range c.E.Unknown {
		v.Unknown = append(v.Unknown, clean(u.Subject)+": "+notKnown+", because "+strings.TrimSuffix(clean(u.Reason), "."))
	}
	if len(v.Rows)+len(v.Landings) == 0 && v.PerCPU == "" {
		return nil
	}
	return &v
}

// whose says where a thread belongs.
func whose(t record.Thread, machine string) string {
	switch t.Kind {
	case record.OwnThread:
		return clean(t.Host) + ", measuring"
	case record.KernelThread:
		return clean(machine) + ", kernel"
	}
	return clean(machine) + ", other work"
}

// perCPUText is goodput over processor time in words; empty: not known.
func perCPUText(p *record.PerCPU) string {
	if p == nil {
		return ""
	}
	var parts []string
	if p.Processes != nil {
		parts = append(parts, bits(*p.Processes)+" per processor second of both ends' processes")
	}
	if p.Hosts != nil {
		parts = append(parts, bits(*p.Hosts)+" of all that the cores did")
	}
	return strings.Join(parts, ", ")
}

// bits prints an amount of data in bits: 21.0 Gb.
func bits(v float64) string { return strings.TrimSuffix(rate(v), "/s") }

// work prints, for the main figure of the first path, who did the work and where the softirq ran; the page has all.
func (l *lines) work(r *record.Run) {
	const most, label = 1, 10
	all := rows(r)
	printed := 0
	for _, w := range all {
		c := w.main()
		v := workOf(c)
		if v == nil || printed == most {
			continue
		}
		printed++
		var words []string
		for _, row := range v.Rows[:min(len(v.Rows), 5)] {
			who, _, _ := strings.Cut(row.Who, ",")
			if strings.HasSuffix(row.Who, "measuring") {
				who += " "
			} else {
				who = ""
			}
			words = append(words, who+row.Name+" "+row.All)
		}
		l.gap()
		name := "processors"
		for _, text := range append([]string{w.path() + ": " + firstOf(v.PerCPU, "goodput per processor second "+notKnown), strings.Join(words, ", ")}, v.Landings[:min(len(v.Landings), 2)]...) {
			if text != "" {
				l.item(0, label, name, normal, text)
				name = ""
			}
		}
	}
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
