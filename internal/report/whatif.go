package report

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// WhatIf prints what a run's experiments would do with a change: the answer to each, and its next ceilings, lowest first.
func (t Terminal) WhatIf(r *record.Run, w *record.WhatIf) error {
	l := t.lines()
	l.split(r.Fabric+", run "+clean(w.Run)+": what if "+w.Change.String()+"?", labShort(r.Lab))
	var of []*record.Experiment
	for _, x := range w.Experiments {
		for _, e := range r.Experiments {
			if e.ID == x.ID {
				of = append(of, e)
			}
		}
	}
	varying := varyingKeys(of)
	for i, x := range w.Experiments {
		l.gap()
		l.text(accent, 0, x.Sentence)
		const label = 9
		e := of[i]
		where := e.Path()
		if with := cellFor(e, varying[e.Name]).label(); with != "" {
			where += " (" + with + ")"
		}
		l.item(2, label, "of", normal, x.Name+", "+where+": "+rate(x.Goodput.Median)+" as measured, "+heldBy(e))
		if m := x.Measured; m != nil {
			l.item(2, label, "measured", normal, "in this run, with that: "+rate(m.Goodput.Median)+", "+spread(&m.Goodput))
		}
		l.whatIfCeilings(x, label)
		for j, u := range x.Unknown {
			l.item(2, label, []string{notKnownLabel, ""}[min(j, 1)], normal, u)
		}
	}
	if len(w.Problems) > 0 {
		l.gap()
		l.text(bold, 0, "The plan with it")
	}
	for _, p := range w.Problems {
		l.item(2, 7, p.Severity, normal, p.Subject+": "+p.Message+" ("+p.ID+")")
		if p.Fix != "" {
			l.item(2, 7, "fix", normal, p.Fix)
		}
	}
	if len(w.NotAsked) > 0 {
		l.gap()
		l.text(bold, 0, "Not asked")
	}
	for _, x := range w.NotAsked {
		name := x.Name
		if x.Count > 1 {
			name += fmt.Sprintf(", %d times", x.Count)
		}
		l.text(normal, 2, name+": "+x.Reason)
	}
	return l.flush()
}

// whatIfCeilings are lines of what each component would allow, its origin and its formula.
func (l *lines) whatIfCeilings(x record.WhatIfOne, label int) {
	all, above := x.Ceilings, 0
	if p := x.Predicted; p != nil && p.High != nil { // what is far above says nothing here; the JSON has it
		all = slices.DeleteFunc(slices.Clone(all), func(c record.NextCeiling) bool {
			far := !c.Today && c.Low != nil && *c.Low > 4**p.High
			if far {
				above++
			}
			return far
		})
	}
	var rates []string
	wide := 0
	for _, c := range all {
		s := bandText(c.Band)
		rates = append(rates, s)
		wide = max(wide, width(s))
	}
	for i, c := range all {
		component := clean(c.Component)
		if c.Today {
			component += " (holds it back today)"
		}
		l.item(2, label, []string{"ceilings", ""}[min(i, 1)], normal, pad(rates[i], wide)+"  "+component)
		var inputs []string
		for _, in := range c.Inputs {
			s := clean(in.Name) + " " + whatIfNumber(in.Name, in.Value)
			if o := string(in.Origin); o != "declared" {
				s += " (" + clean(o) + ")"
			}
			inputs = append(inputs, s)
		}
		text := c.Origin + ": " + clean(c.Formula)
		if len(inputs) > 0 {
			text += "; " + strings.Join(inputs, ", ")
		}
		if c.Assumes != "" {
			text += ". Assumed: " + clean(c.Assumes)
		}
		l.item(2, label+2, "", faint, text)
	}
	if above > 0 {
		l.item(2, label, "", normal, fmt.Sprintf("%d more, over four times as high", above))
	}
}

// whatIfNumber prints an input by what it is.
func whatIfNumber(name string, v float64) string {
	switch {
	case slices.Contains([]string{"rtt", "per packet", "per byte"}, name):
		return unit.Seconds(v)
	case slices.Contains([]string{"goodput", "pace", "rate"}, name):
		return rate(v)
	case strings.HasPrefix(name, "share"):
		return unit.Percent(v)
	case name == "window" || strings.HasSuffix(name, "payload") && v > 512:
		return unit.Bytes(v).String()
	}
	return inputNumber(name, v)
}

// bandText is a band in few words: one rate where both sides read the same.
func bandText(b record.Band) string {
	switch {
	case b.Low == nil && b.High == nil:
		return notKnown
	case b.Low == nil:
		return "<= " + rate(*b.High)
	case b.High == nil:
		return ">= " + rate(*b.Low)
	case rate(*b.Low) == rate(*b.High):
		return rate(*b.High)
	}
	return rate(*b.Low) + " .. " + rate(*b.High)
}
