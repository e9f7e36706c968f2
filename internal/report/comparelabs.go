package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/stat"
	"linerate/internal/record"
)

// labsApart says at which scales the labs of two runs were, and what to type to have both at one. It is the smaller one: whether this
// machine carries the greater is not known.
func labsApart(a, b *record.Run) string {
	s := fmt.Sprintf("the lab of run %s is at %s, that of run %s at %s: rates differ by that alone", clean(a.ID), orOne(scale(a.Lab)), clean(b.ID), orOne(scale(b.Lab)))
	again, least := a, b.Lab.Scale
	if a.Lab.Scale < least {
		again, least = b, a.Lab.Scale
	}
	if !(least > 0) || again.Lab.Scale == least {
		return s
	}
	flag := "--scale " + strconv.FormatFloat(least, 'g', -1, 64)
	s += fmt.Sprintf("; measure run %s again with %s, and they are alike", clean(again.ID), flag)
	words := again.Arguments
	if slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "--guests") || strings.HasPrefix(w, "--lab=") }) || len(words) < 2 {
		return s
	}
	switch {
	case words[1] == "quick":
		s += ": linerate quick --lab " + flag
	case words[1] == "run" && again.FabricPath != "":
		s += ": " + Command([]string{"linerate", "run", again.FabricPath, "--lab"}) + " " + flag
	}
	return s
}

// scaleTag is the scale of the lab of the run that a label is of, where the labs that are compared have several; else empty.
func (k *comparer) scaleTag(label string) string {
	several := slices.ContainsFunc(k.runs, func(r *record.Run) bool {
		return (r.Lab == nil) != (k.runs[0].Lab == nil) || r.Lab != nil && r.Lab.Scale != k.runs[0].Lab.Scale
	})
	id, ok := strings.CutPrefix(label, "run ")
	id, _, _ = strings.Cut(id, " ")
	for _, r := range k.runs {
		switch {
		case !several || !ok || clean(r.ID) != id:
		case r.Lab == nil:
			return " (real hosts)"
		default:
			return " (lab, " + orOne(scale(r.Lab)) + ")"
		}
	}
	return ""
}

// undecided is the sentence of comparisons none of which can show anything; empty: one can.
func undecided(all []record.Comparison) string {
	least, open := 0, 0
	for _, c := range all {
		switch {
		case c.Different != nil || c.Published != nil || c.Emulated != "":
			return ""
		case tooFew(c):
			if n := min(c.Base.Repeats, c.Other.Repeats); open == 0 || n < least {
				least = n
			}
			open++
		}
	}
	if open == 0 {
		return ""
	}
	s := fmt.Sprintf("No difference can be shown: %s a side; %d are needed, %d in turns are better (--repeats).", count(least, "repeat"), stat.FewestApart, stat.FewestPairs)
	if rest := len(all) - open; rest > 0 {
		s += fmt.Sprintf(" %s no ratio.", map[bool]string{true: "1 comparison has", false: fmt.Sprintf("%d comparisons have", rest)}[rest == 1])
	}
	return s
}
