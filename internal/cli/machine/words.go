package machine

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/facts"
	"linerate/internal/report"
)

func notKnown(why string) string { return "not known: " + why }

// machineSentence is the summary: the maximum speed of each port, and its bottleneck.
func machineSentence(f *facts.Facts, adapters []*slotAdapter, maxSpeed []portMaxSpeed) string {
	var up []portMaxSpeed
	dark := 0 // ports with an unknown link state
	for _, w := range maxSpeed {
		if w.up {
			up = append(up, w)
		}
		if !w.known {
			dark++
		}
	}
	switch {
	case len(maxSpeed) == 0 && len(adapters) > 0:
		return unit.Counted(
			len(adapters),
			"NIC",
		) + "; which interfaces " + map[bool]string{true: "it has", false: "they have"}[len(adapters) == 1] + " is not known"
	case len(maxSpeed) == 0 && isSwitch(f):
		return portsSentence(f)
	case len(maxSpeed) == 0 && f.PCI == nil && pastedOnly(f):
		return "which NICs it has is not in the snapshot"
	case len(maxSpeed) == 0:
		return "no NIC is to be seen"
	case len(up) == 0 && dark > 0:
		return fmt.Sprintf("whether its %s %s a link is not in the snapshot", unit.Counted(len(maxSpeed), "port"),
			map[bool]string{true: "has", false: "have"}[len(maxSpeed) == 1])
	case len(up) == 0:
		return fmt.Sprintf("none of its %s has a link", unit.Counted(len(maxSpeed), "port"))
	case len(up) == 1 && up[0].rate > 0:
		return fmt.Sprintf("%s carries %s of data at most; the narrowest place is %s", up[0].name, up[0].rate, up[0].at)
	case len(up) == 1:
		return fmt.Sprintf("%s has a link; its maximum speed is unknown", up[0].name)
	}
	least, most := up[0], up[0]
	unknown := 0
	for _, w := range up {
		if w.rate == 0 {
			unknown++
			continue
		}
		if least.rate == 0 || w.rate < least.rate {
			least = w
		}
		if w.rate > most.rate {
			most = w
		}
	}
	text := fmt.Sprintf("%s with a link", unit.Counted(len(up), "port"))
	switch {
	case most.rate == 0:
		return text + "; their maximum speed is unknown"
	case least.rate == most.rate:
		text += fmt.Sprintf(", worth %s of data each", most.rate)
	default:
		text += fmt.Sprintf(", worth from %s (%s) to %s (%s) of data", least.rate, least.name, most.rate, most.name)
	}
	if unknown > 0 {
		text += fmt.Sprintf("; of %d it is not known", unknown)
	}
	return text
}

// pastedOnly reports whether facts are from outputs saved by hand: what is missing in them may still exist.
func pastedOnly(f *facts.Facts) bool { return f.When.IsZero() }

// portsSentence is how many ports of a switch are known, and how many have a link.
func portsSentence(f *facts.Facts) string {
	up, down := 0, 0
	for _, n := range f.NICs {
		switch carrier, known := n.Carrier.Get(); {
		case n.Kind != "": // a bond, a VLAN
		case known && carrier:
			up++
		case known:
			down++
		}
	}
	if up+down == 0 {
		return "a switch; which of its ports have a link is not in the snapshot"
	}
	return fmt.Sprintf("%s in the snapshot, %d with a link", unit.Counted(up+down, "port"), up)
}

// notRead are the sources that could not be read, where the reader can do something about it. Sources that a machine or
// a driver simply does not have are only counted.
func notRead(f *facts.Facts) []report.Named {
	var out []report.Named
	absent := 0
	for _, u := range f.Unknown {
		if strings.HasPrefix(u.Reason, "it is not there") || strings.HasPrefix(u.Reason, "the driver does not offer it") {
			absent++
			continue
		}
		out = append(out, report.Named{Name: u.Subject, Text: u.Reason})
	}
	if absent > 0 {
		out = append(out, report.Named{Name: unit.Counted(absent, "source"),
			Text: "this machine or its drivers do not have (--json: Unknown)"})
	}
	return out
}

// sourceUnknown is why a source could not be read, without the system's message; empty: it was not tried.
func sourceUnknown(f *facts.Facts, source string) string {
	for _, u := range f.Unknown {
		if u.Subject == source {
			why, _, _ := strings.Cut(u.Reason, " (")
			return why
		}
	}
	return ""
}

func joined(ports []*facts.Interface) string {
	names := xslices.Map(ports, func(n *facts.Interface) string { return n.Name })
	return strings.Join(names, ", ")
}
