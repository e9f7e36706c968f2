package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/stat"
	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
)

// The sides of a comparison with emulated machines.
const (
	emulatedBase  = "base"
	emulatedOther = "other"
	emulatedBoth  = "both"
)

// NotOfSpeed is the note on every figure of an emulated machine.
const NotOfSpeed = "they say what works, never how fast hardware is"

func emulatedSides(base, other *record.Experiment) string {
	switch {
	case base.Emulated && other.Emulated:
		return emulatedBoth
	case base.Emulated:
		return emulatedBase
	case other.Emulated:
		return emulatedOther
	}
	return ""
}

// emulatedWhy returns the reason why there is no ratio, or no claim of a difference.
func emulatedWhy(c record.Comparison) string {
	switch c.Emulated {
	case emulatedBase:
		return "no ratio: " + c.Base.Label + " is of an emulated machine"
	case emulatedOther:
		return "no ratio: " + c.Other.Label + " is of an emulated machine"
	}
	return "of emulated machines, none of speed"
}

// emulatedNotes explain what figures of emulated machines mean in a list of comparisons.
func emulatedNotes(list []record.Comparison) (notes []string) {
	one, both := 0, 0
	for _, c := range list {
		switch c.Emulated {
		case "":
		case emulatedBoth:
			both++
		default:
			one++
		}
	}
	of := func(n int) string {
		if n == len(list) {
			return "all"
		}
		return fmt.Sprintf("%d of %d", n, len(list))
	}
	if one > 0 {
		notes = append(notes, "emulated: in "+of(one)+" comparisons one side is of an emulated machine (a guest) and "+
			"the other is not: such figures have no ratio, "+NotOfSpeed)
	}
	if both > 0 {
		notes = append(notes, "emulated: in "+of(
			both,
		)+" comparisons both sides are of emulated machines (guests): "+NotOfSpeed+"; their ratio is the emulator's, and "+
			"no difference is claimed")
	}
	return notes
}

// Substitute returns the protocol that was measured, and the one that it replaces. Both are empty where nothing was
// replaced.
func Substitute(e *record.Experiment) (protocol, instead string) {
	if e.Block != nil {
		for _, w := range e.Block.Workers {
			if w.Export != nil && w.Export.Instead != "" {
				return w.Export.Protocol, w.Export.Instead
			}
		}
	}
	return "", ""
}

// substituteWhy reports why two figures of storage have no ratio, because one is of a protocol that replaces another.
// It is empty where both are of the same.
func substituteWhy(base, other *record.Experiment) string {
	a, asA := Substitute(base)
	b, asB := Substitute(other)
	if a == b && asA == asB {
		return ""
	}
	protocol, instead := a, asA
	if instead == "" {
		protocol, instead = b, asB
	}
	return fmt.Sprintf("no ratio: %s was in for %s", format.Clean(protocol), format.Clean(instead))
}

// labsApart names the scales of two runs' labs, and the command that measures both at the smaller one, because this
// machine may be too slow for the larger.
func labsApart(a, b *record.Run) string {
	s := fmt.Sprintf("the lab of run %s is at %s, that of run %s at %s: rates differ by that alone", format.Clean(a.ID),
		cmp.Or(result.Scale(a.Lab), "full scale"), format.Clean(b.ID), cmp.Or(result.Scale(b.Lab), "full scale"))
	again, least := a, b.Lab.Scale
	if a.Lab.Scale < least {
		again, least = b, a.Lab.Scale
	}
	if !(least > 0) || again.Lab.Scale == least {
		return s
	}
	flag := "--scale " + strconv.FormatFloat(least, 'g', -1, 64)
	s += fmt.Sprintf("; measure run %s again with %s, and they are alike", format.Clean(again.ID), flag)
	words := again.Arguments
	if slices.ContainsFunc(words,
		func(w string) bool { return strings.HasPrefix(w, "--guests") || strings.HasPrefix(w, "--in-lab") }) ||
		len(words) < 2 {
		return s
	}
	switch {
	case words[1] == "quick":
		s += ": linerate quick --lab " + flag
	case words[1] == "run" && again.FabricPath != "":
		s += ": " + format.Command([]string{"linerate", "run", again.FabricPath, "--lab"}) + " " + flag
	}
	return s
}

// scaleTag returns the scale of the lab of a label's run, if the compared labs have several; otherwise it is empty.
func (k *comparer) scaleTag(label string) string {
	several := slices.ContainsFunc(k.runs, func(r *record.Run) bool {
		return (r.Lab == nil) != (k.runs[0].Lab == nil) || r.Lab != nil && r.Lab.Scale != k.runs[0].Lab.Scale
	})
	id, ok := strings.CutPrefix(label, "run ")
	id, _, _ = strings.Cut(id, " ")
	for _, r := range k.runs {
		switch {
		case !several || !ok || format.Clean(r.ID) != id:
		case r.Lab == nil:
			return " (" + result.MeasuredOn(r) + ")"
		default:
			return " (lab, " + cmp.Or(result.Scale(r.Lab), "full scale") + ")"
		}
	}
	return ""
}

// undecided returns the sentence for comparisons none of which can show a difference. It is empty if one can.
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
	s := fmt.Sprintf("No difference can be shown: %s a side; %d are needed, %d alternately are better (--repeats).",
		unit.Counted(least, "repeat"), stat.FewestApart, stat.FewestPairs)
	if rest := len(all) - open; rest > 0 {
		s += fmt.Sprintf(" %s no ratio.", unit.If(rest == 1, "1 comparison has", fmt.Sprintf("%d comparisons have", rest)))
	}
	return s
}
