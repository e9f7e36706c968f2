package explain

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/explain/cause"
	"linerate/internal/record"
)

// neverShaped withdraws a verdict that names the link, where no shaper limited a link of the lab. Such a link is as
// fast as the machine, and a figure near the planned rate is a coincidence.
func neverShaped(v *record.Verdict, e *record.Experiment, lab *record.Lab) {
	if v == nil || lab == nil || v.Limiter != cause.Link.ID {
		return
	}
	for _, name := range e.Links {
		if slices.Contains(lab.Shaped, name) {
			continue
		}
		v.Limiter, v.Component, v.Confidence, v.Identity, v.NextCeiling = record.LimiterUnexplained, "not known", "", nil, ""
		said, _, _ := strings.Cut(v.Sentence, ": the link is full")
		v.Sentence = fmt.Sprintf("%s; link %s of the lab was never held to that rate, so this says nothing of the link.",
			said, name)
		return
	}
}
