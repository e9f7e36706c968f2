package tables

import (
	"fmt"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/terminal"
)

// ProofView is the result of a proof of a lossless class, with each test and its counts on both sides.
type ProofView struct {
	Title, Sentence, Class string
	Traffic                string // of the class, with the reason for it; empty: not recorded
	Rows                   []proofRow
	NotKnown, Settles      []string
	Causes                 []record.ProofCause
	NotShown               []string
}

type proofRow struct {
	Word, Title, Want, Have string
	Counters                []proofCounter
}

type proofCounter struct{ Device, What, Before, After, Want, Line string }

// Proofs returns those of a run.
func Proofs(r *record.Run) (out []ProofView) {
	for _, e := range r.Experiments {
		p := e.Proof
		if p == nil {
			continue
		}
		mark := fmt.Sprintf("priority %d", p.Priority)
		if p.DSCP != nil {
			mark += fmt.Sprintf(", DSCP %d", *p.DSCP)
		}
		v := ProofView{Title: format.Clean(fmt.Sprintf("lossless class %s (%s): %s", p.Class, mark, p.State)),
			Sentence: format.Clean(p.Sentence), Causes: p.Causes,
			Class: map[string]string{record.InEffect: "met", record.NotInEffect: "missed"}[p.State]}
		if e.Variant != "" {
			v.Title = "[" + format.Clean(e.Variant) + "] " + v.Title
		}
		if p.Sent != nil && p.BestEffort != nil {
			v.Sentence += fmt.Sprintf(" %s were sent in the class, %s of best effort next to it.", unit.Bytes(*p.Sent),
				unit.Bytes(*p.BestEffort))
		}
		if p.TrafficWhy != "" {
			v.Traffic = fmt.Sprintf("%s: %s",
				unit.If(method.Named(p.Traffic).UsesRDMA, "RDMA WRITE", strings.ToUpper(format.Clean(p.Traffic))),
				format.Clean(p.TrafficWhy))
		}
		for _, t := range p.Tests {
			row := proofRow{Word: "not known", Title: format.Clean(t.Title), Want: format.Clean(t.Want),
				Have: format.Clean(t.Have)}
			if t.Passed != nil {
				row.Word = unit.If(*t.Passed, "yes", "no")
			}
			for _, c := range t.Counters {
				x := proofCounter{Device: format.Clean(c.Device), What: format.Clean(c.What), Before: fmt.Sprint(c.Before),
					After: fmt.Sprint(c.After), Line: format.Clean(c.Source + ": " + c.Line)}
				if c.Port != "" && c.Port != c.Device {
					x.Device += ": " + format.Clean(c.Port)
				}
				if c.Low != nil && c.High != nil {
					x.Want = fmt.Sprintf("%.0f to %.0f more", *c.Low, *c.High)
				}
				row.Counters = append(row.Counters, x)
			}
			v.Rows = append(v.Rows, row)
		}
		for _, list := range []struct {
			to   *[]string
			from []string
		}{{&v.NotKnown, p.NotKnown}, {&v.Settles, p.Settles}, {&v.NotShown, p.NotShown}} {
			for _, s := range list.from {
				*list.to = append(*list.to, format.Clean(s))
			}
		}
		out = append(out, v)
	}
	return out
}

// PrintProved prints the proofs of a run. The sentence of each is already at the top.
func PrintProved(l *terminal.Lines, r *record.Run) {
	for _, p := range Proofs(r) {
		l.Gap()
		s := unit.If(p.Class == "missed", terminal.Accent, terminal.Bold)
		l.Text(s, 0, p.Title)
		var rows [][]terminal.Entry
		for _, t := range p.Rows {
			style := unit.If(t.Word != "yes", terminal.Accent, terminal.Normal)
			rows = append(rows,
				[]terminal.Entry{{Text: t.Word, Style: style}, {Text: t.Title + ": " + t.Have, Style: terminal.Normal}})
		}
		l.Table([]terminal.Column{{Head: "holds"}, {Head: "test", Wrap: true}}, rows)
		if p.Traffic != "" {
			l.Items(2, 9, "traffic", []string{p.Traffic})
		}
		l.Items(2, 9, "not known", p.NotKnown)
		l.Items(2, 9, "settles", p.Settles)
		for i, c := range p.Causes {
			label := unit.If(i > 0, "", "cause")
			l.Item(2, 9, label, terminal.Normal, fmt.Sprintf("%s (%s)", c.Text, c.ID))
			if c.Fix != "" {
				l.Command(2, 9, "fix", c.Fix)
			}
			if c.Undo != "" {
				l.Command(2, 9, "undo", c.Undo)
			}
		}
		l.Items(2, 9, "not shown", p.NotShown)
	}
}
