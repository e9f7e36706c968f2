package explain

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/record"
)

// neverShaped takes a verdict that names the link back where a link of the lab was never held to its rate: such a link is as
// fast as the machine, and a figure that happens to be near to the planned rate says nothing of it.
func neverShaped(v *record.Verdict, e *record.Experiment, lab *record.Lab) {
	if v == nil || lab == nil || v.Limiter != link.ID {
		return
	}
	for _, name := range e.Links {
		if slices.Contains(lab.Shaped, name) {
			continue
		}
		v.Limiter, v.Component, v.Confidence, v.Identity, v.NextCeiling = Unexplained, "not known", "", nil, ""
		said, _, _ := strings.Cut(v.Sentence, ": the link is full")
		v.Sentence = fmt.Sprintf("%s; link %s of the lab was never held to that rate, so this says nothing of the link.", said, name)
		return
	}
}
