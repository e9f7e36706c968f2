package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/record"
)

// releases says how far apart the pairs of RDMA experiments began, by their number; empty: none had more than one pair.
func releases(all []*record.Experiment) string {
	worst, crowded := map[int]float64{}, false
	for _, e := range all {
		if e.Method != record.MethodVerbs {
			continue
		}
		for _, r := range e.Repeats {
			if r.Verbs != nil {
				crowded = released(worst, e, r.Verbs) || crowded
			}
		}
		if e.Verbs != nil {
			crowded = released(worst, e, e.Verbs) || crowded
		}
	}
	var counts []int
	for n := range worst {
		counts = append(counts, n)
	}
	if len(counts) == 0 {
		return ""
	}
	slices.Sort(counts)
	var words []string
	far := false
	for _, n := range counts {
		words = append(words, fmt.Sprintf("%d within %s", n, seconds(worst[n])))
		far = far || worst[n] > record.ReleaseFar
	}
	text := "release skew: pairs left the barrier together, " + strings.Join(words, ", ") + " of each other (the most of both ends and all repeats); the window opens later, so that no figure has it in itself"
	if far {
		text += "; above " + seconds(record.ReleaseFar) + " threads waited for a core"
		if crowded {
			text += ", because there are fewer cores than pairs"
		}
	}
	return text
}

// released notes the skew of a repeat, and says whether an end had fewer cores than pairs.
func released(worst map[int]float64, e *record.Experiment, v *record.Verbs) (crowded bool) {
	n, err := strconv.Atoi(cmp.Or(e.Settings["pairs"], "1"))
	if err != nil || n < 2 {
		return false
	}
	for _, x := range v.Ends {
		worst[n] = max(worst[n], x.Skew)
		crowded = crowded || x.Crowded
	}
	return crowded
}
