package report

import (
	"fmt"

	"linerate/internal/record"
)

// Which side of a comparison is of emulated machines.
const (
	emulatedBase  = "base"
	emulatedOther = "other"
	emulatedBoth  = "both"
)

// notOfSpeed is what every figure of an emulated machine is.
const notOfSpeed = "they say what works, never how fast hardware is"

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

// emulatedWhy says why there is no ratio, or no claim of a difference.
func emulatedWhy(c record.Comparison) string {
	switch c.Emulated {
	case emulatedBase:
		return "no ratio: " + c.Base.Label + " is of an emulated machine"
	case emulatedOther:
		return "no ratio: " + c.Other.Label + " is of an emulated machine"
	}
	return "of emulated machines, none of speed"
}

// emulatedNotes say of a list of comparisons what figures of emulated machines are worth in it.
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
		notes = append(notes, "emulated: in "+of(one)+" comparisons one side is of an emulated machine (a guest) and the other is not: such figures have no ratio, "+notOfSpeed)
	}
	if both > 0 {
		notes = append(notes, "emulated: in "+of(both)+" comparisons both sides are of emulated machines (guests): "+notOfSpeed+"; their ratio is the emulator's, and no difference is claimed")
	}
	return notes
}
