package result

import (
	"cmp"
	"slices"
	"strings"

	"linerate/internal/record"
	"linerate/internal/report/format"
)

// InLab reports whether the hosts of a run were those of a lab: one that it built, or one that was up.
func InLab(r *record.Run) bool {
	return r.Lab != nil || slices.ContainsFunc(r.Hosts, func(h record.HostState) bool { return connected(h, "lab") })
}

// MeasuredOn names what the hosts of a run were: "a lab, 1/10 scale", "namespaces of one machine", "real hosts".
func MeasuredOn(r *record.Run) string {
	is := func(forms ...string) func(record.HostState) bool {
		return func(h record.HostState) bool {
			return slices.ContainsFunc(forms, func(f string) bool { return connected(h, f) })
		}
	}
	every := func(forms ...string) bool {
		return !slices.ContainsFunc(r.Hosts, func(h record.HostState) bool { return !is(forms...)(h) })
	}
	switch {
	case r.Lab != nil:
		return "a lab, " + cmp.Or(Scale(r.Lab), "full scale")
	case InLab(r):
		return "a lab, scale " + format.NotKnown
	case len(r.Hosts) == 0:
		return "hosts that are " + format.NotKnown
	case every("local"):
		return "one machine"
	case every("local", "netns", "loop"):
		return "namespaces of one machine"
	case slices.ContainsFunc(r.Hosts, is("netns", "loop")):
		return "namespaces and real hosts"
	}
	return "real hosts"
}

// connected reports whether a host's connection is of a form: its first word.
func connected(h record.HostState, form string) bool {
	first, _, _ := strings.Cut(h.Connection, " ")
	return first == form
}
