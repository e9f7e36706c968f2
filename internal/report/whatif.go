package report

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
	"linerate/internal/report/terminal"
)

// PrintWhatIf prints everything about a change of a run's experiments: the prediction for each, and its next ceilings,
// lowest first. Package brief has it in short.
func PrintWhatIf(t terminal.Terminal, r *record.Run, w *record.WhatIf) error {
	l := t.Lines()
	l.Split(r.Fabric+", run "+format.Clean(w.Run)+": what if "+w.Change.String()+"?", result.LabShort(r.Lab))
	var of []*record.Experiment
	for _, x := range w.Experiments {
		for _, e := range r.Experiments {
			if e.ID == x.ID {
				of = append(of, e)
			}
		}
	}
	varying := result.VaryingKeys(of)
	for i, x := range w.Experiments {
		l.Gap()
		l.Text(terminal.Accent, 0, x.Sentence)
		const label = 9
		e := of[i]
		where := e.Path()
		if with := result.CombinationOf(e, varying[e.Name]).Label(); with != "" {
			where += " (" + with + ")"
		}
		l.Item(2, label, "of", terminal.Normal,
			x.Name+", "+where+": "+format.Rate(x.Goodput.Median)+" as measured, "+HeldBy(e))
		if m := x.Measured; m != nil {
			l.Item(2, label, "measured", terminal.Normal,
				"in this run, with that: "+format.Rate(m.Goodput.Median)+", "+format.Spread(&m.Goodput))
		}
		printWhatIfCeilings(l, x, label)
		for j, u := range x.Unknown {
			l.Item(2, label, []string{notKnownLabel, ""}[min(j, 1)], terminal.Normal, u)
		}
	}
	if len(w.Problems) > 0 {
		l.Gap()
		l.Text(terminal.Bold, 0, "The plan with it")
	}
	for _, p := range w.Problems {
		l.Item(2, 7, p.Severity, terminal.Normal, p.Subject+": "+p.Message+" ("+p.ID+")")
		if p.Fix != "" {
			l.Item(2, 7, "fix", terminal.Normal, p.Fix)
		}
	}
	if len(w.NotAsked) > 0 {
		l.Gap()
		l.Text(terminal.Bold, 0, "Not asked")
	}
	for _, x := range w.NotAsked {
		name := x.Name
		if x.Count > 1 {
			name += fmt.Sprintf(", %d times", x.Count)
		}
		l.Text(terminal.Normal, 2, name+": "+x.Reason)
	}
	return l.Flush()
}

// printWhatIfCeilings prints the ceiling of each component, its origin and its formula.
func printWhatIfCeilings(l *terminal.Lines, x record.WhatIfOne, label int) {
	all, above := x.Ceilings, 0
	if p := x.Predicted; p != nil && p.High != nil { // ceilings far above are irrelevant here; the JSON has them
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
		s := BandText(c.Band)
		rates = append(rates, s)
		wide = max(wide, format.Width(s))
	}
	for i, c := range all {
		component := format.Clean(c.Component)
		if c.Today {
			component += " (holds it back today)"
		}
		l.Item(2, label, []string{"ceilings", ""}[min(i, 1)], terminal.Normal, format.Pad(rates[i], wide)+"  "+component)
		var inputs []string
		for _, in := range c.Inputs {
			s := format.Clean(in.Name) + " " + whatIfNumber(in.Name, in.Value)
			if o := string(in.Origin); o != "declared" {
				s += " (" + format.Clean(o) + ")"
			}
			inputs = append(inputs, s)
		}
		text := c.Origin + ": " + format.Clean(c.Formula)
		if len(inputs) > 0 {
			text += "; " + strings.Join(inputs, ", ")
		}
		if c.Assumes != "" {
			text += ". Assumed: " + format.Clean(c.Assumes)
		}
		l.Item(2, label+2, "", terminal.Faint, text)
	}
	if above > 0 {
		l.Item(2, label, "", terminal.Normal, fmt.Sprintf("%d more, over four times as high", above))
	}
}

// whatIfNumber formats an input by its kind.
func whatIfNumber(name string, v float64) string {
	switch {
	case slices.Contains([]string{"rtt", "per packet", "per byte"}, name):
		return unit.Seconds(v)
	case slices.Contains([]string{"goodput", "pace", "rate"}, name):
		return format.Rate(v)
	case strings.HasPrefix(name, "share"):
		return unit.Percent(v)
	case name == "window" || strings.HasSuffix(name, "payload") && v > 512:
		return unit.Bytes(v).String()
	}
	return format.InputNumber(name, v)
}

// BandText returns a band in few words: one rate where both ends print the same.
func BandText(b record.Band) string {
	switch {
	case b.Low == nil && b.High == nil:
		return format.NotKnown
	case b.Low == nil:
		return "<= " + format.Rate(*b.High)
	case b.High == nil:
		return ">= " + format.Rate(*b.Low)
	case format.Rate(*b.Low) == format.Rate(*b.High):
		return format.Rate(*b.High)
	}
	return format.Rate(*b.Low) + " .. " + format.Rate(*b.High)
}
