package report

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// proofView is whether a lossless class is in effect, with each test and its numbers on both sides.
type proofView struct {
	Title, Sentence, Class string
	Traffic                string // of the class, and why it was that; empty: the record does not say
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

// proofs are those of a run.
func proofs(r *record.Run) (out []proofView) {
	for _, e := range r.Experiments {
		p := e.Proof
		if p == nil {
			continue
		}
		mark := fmt.Sprintf("priority %d", p.Priority)
		if p.DSCP != nil {
			mark += fmt.Sprintf(", DSCP %d", *p.DSCP)
		}
		v := proofView{Title: clean(fmt.Sprintf("lossless class %s (%s): %s", p.Class, mark, p.State)), Sentence: clean(p.Sentence), Causes: p.Causes,
			Class: map[string]string{record.InEffect: "met", record.NotInEffect: "missed"}[p.State]}
		if e.Variant != "" {
			v.Title = "[" + clean(e.Variant) + "] " + v.Title
		}
		if p.Sent != nil && p.Beside != nil {
			v.Sentence += fmt.Sprintf(" %s were sent in the class, %s of best effort beside it.", unit.Bytes(*p.Sent), unit.Bytes(*p.Beside))
		}
		if p.TrafficWhy != "" {
			v.Traffic = fmt.Sprintf("%s: %s", map[bool]string{true: "RDMA WRITE", false: strings.ToUpper(clean(p.Traffic))}[p.Traffic == record.MethodVerbs], clean(p.TrafficWhy))
		}
		for _, t := range p.Tests {
			row := proofRow{Word: "not known", Title: clean(t.Title), Want: clean(t.Want), Have: clean(t.Have)}
			if t.Passed != nil {
				row.Word = map[bool]string{true: "yes", false: "no"}[*t.Passed]
			}
			for _, c := range t.Counters {
				x := proofCounter{Device: clean(c.Device), What: clean(c.What), Before: fmt.Sprint(c.Before), After: fmt.Sprint(c.After), Line: clean(c.Source + ": " + c.Line)}
				if c.Port != "" && c.Port != c.Device {
					x.Device += ": " + clean(c.Port)
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
				*list.to = append(*list.to, clean(s))
			}
		}
		out = append(out, v)
	}
	return out
}

// proved prints the proofs of a run. The sentence of each stands at the top already.
func (l *lines) proved(r *record.Run) {
	for _, p := range proofs(r) {
		l.gap()
		s := bold
		if p.Class == "missed" {
			s = accent
		}
		l.text(s, 0, p.Title)
		var rows [][]entry
		for _, t := range p.Rows {
			style := normal
			if t.Word != "yes" {
				style = accent
			}
			rows = append(rows, []entry{{t.Word, style}, {t.Title + ": " + t.Have, normal}})
		}
		l.table([]column{{Head: "holds"}, {Head: "test", Wrap: true}}, rows)
		if p.Traffic != "" {
			l.items(2, 9, "traffic", []string{p.Traffic})
		}
		l.items(2, 9, "not known", p.NotKnown)
		l.items(2, 9, "settles", p.Settles)
		for i, c := range p.Causes {
			label := "cause"
			if i > 0 {
				label = ""
			}
			l.item(2, 9, label, normal, fmt.Sprintf("%s (%s)", c.Text, c.ID))
			if c.Fix != "" {
				l.command(2, 9, "fix", c.Fix)
			}
			if c.Undo != "" {
				l.command(2, 9, "undo", c.Undo)
			}
		}
		l.items(2, 9, "not shown", p.NotShown)
	}
}
