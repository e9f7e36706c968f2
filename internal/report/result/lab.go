package result

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/format"
)

// Scale formats a lab's scale: "1/10 scale", or nothing where it is 1.
func Scale(lab *record.Lab) string {
	switch {
	case lab == nil || lab.Scale == 1:
		return ""
	case lab.Scale > 0 && lab.Scale < 1:
		return unit.Scale(lab.Scale) + " scale"
	}
	return "scale " + format.NotKnown
}

// LabText returns the mark on every page of a run that was not on real hardware.
func LabText(lab *record.Lab) string {
	if lab == nil {
		return ""
	}
	text := unit.If(len(lab.Guests) > 0, "emulated lab", "lab")
	if s := Scale(lab); s != "" {
		return text + ", " + s
	}
	return text
}

// LabShort marks a single figure: "lab 1/10".
func LabShort(lab *record.Lab) string {
	return strings.TrimSuffix(strings.ReplaceAll(LabText(lab), ",", ""), " scale")
}

// Head returns "3 hosts, 3 links, 120 USD".
func Head(p *record.Picture) string {
	parts := []string{unit.Counted(len(p.Hosts), "host")}
	if len(p.Switches) > 0 {
		parts = append(parts, unit.Counted(len(p.Switches), "switch"))
	}
	parts = append(parts, unit.Counted(len(p.Links), "link"))
	if m := format.Money(p.Totals, 0); m != "" {
		parts = append(parts, m)
	}
	return strings.Join(parts, ", ")
}

// Noisy reports in one sentence that a machine was too busy for reliable figures: other processes or a hypervisor
// disturbed more than a third of all repeats. It is empty otherwise.
func Noisy(r *record.Run) string {
	n, all, most := 0, 0, 0.0
	for _, e := range r.Experiments {
		for _, p := range e.Repeats {
			all++
			if p.Noisy {
				n++
				most = max(most, p.OtherProcesses)
			}
		}
	}
	if n == 0 || 3*n <= all {
		return ""
	}
	s := fmt.Sprintf("The machine was noisy: other work or a hypervisor took CPU time in %d of %s", n,
		unit.Counted(all, "repeat"))
	if most >= 0.05 {
		s += fmt.Sprintf(", other work up to %.1f cores", most)
	}
	return s + "; on a quiet one figures are higher and closer together."
}
