package summary

import (
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/explain/cause"
	"linerate/internal/record"
)

// labText describes what replaced hosts and links; empty: nothing did.
func labText(r *record.Run, all []*record.Experiment) string {
	emulated := slices.ContainsFunc(all, func(e *record.Experiment) bool { return e.Emulated })
	text := ""
	switch {
	case emulated || r.Lab != nil && len(r.Lab.Guests) > 0:
		text = emulatedLab
	case r.Lab == nil && !slices.ContainsFunc(r.Hosts,
		func(h record.HostState) bool { return cause.InLab(h.Connection) }):
		return ""
	default:
		text = "on one machine"
	}
	if r.Lab != nil && r.Lab.Scale > 0 && r.Lab.Scale < 1 {
		text += ratesAt + unit.Scale(r.Lab.Scale)
	}
	return text
}

// ratesAt is before the scale of a lab.
const ratesAt = ", rates at "

// emulatedLab is the beginning of the text on a lab with guests, whose figures do not show speed.
const emulatedLab = "emulated machines"

// Emulated reports whether the summary's figures are those of emulated machines.
func (c *Summary) Emulated() bool { return strings.HasPrefix(c.Lab, emulatedLab) }
