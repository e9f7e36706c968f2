package experiment

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
)

// PathsOf finds the paths of an experiment: between its two hosts, through via if it is given, or every link. Without a
// path it returns the reason.
func PathsOf(p *plan.Plan, e *fabric.Experiment) ([]plan.Path, string) {
	if len(e.On) == 1 && e.On[0] == "links" {
		paths := EveryLink(p)
		if len(paths) == 0 {
			return nil, "no link joins two hosts that have addresses"
		}
		return paths, ""
	}
	if len(e.From) != 1 || len(e.To) != 1 {
		return nil, "it names no from and to"
	}
	hostFrom, nicFrom, _ := strings.Cut(e.From[0], ".")
	hostTo, nicTo, _ := strings.Cut(e.To[0], ".")
	paths := p.Paths(hostFrom, hostTo)
	own := xslices.Filter(paths, func(path plan.Path) bool {
		return IsPort(path.FromPort, nicFrom) && IsPort(path.ToPort, nicTo)
	})
	chosen := xslices.Filter(own, func(path plan.Path) bool { return PassesThrough(path, e.Via) })
	switch {
	case len(own) == 0:
		return nil, fmt.Sprintf("no link joins %s and %s", e.From[0], e.To[0])
	case len(chosen) == 0:
		return nil, fmt.Sprintf("none of the %d paths from %s to %s goes via %s", len(own), e.From[0], e.To[0],
			strings.Join(e.Via, ", "))
	case len(e.Via) > 1:
		return chosen, ""
	}
	if len(chosen) > 1 {
		names := xslices.Map(chosen, func(c plan.Path) string { return c.FromPort.ID })
		return nil, fmt.Sprintf("there are several paths from %s to %s; choose one with via: %s", e.From[0], e.To[0],
			strings.Join(names, " or "))
	}
	return chosen, ""
}

// PassesThrough reports whether a path uses an adapter or port that via names.
func PassesThrough(path plan.Path, via []string) bool {
	if len(via) == 0 {
		return true
	}
	for _, v := range via {
		for _, port := range []*plan.Port{path.FromPort, path.ToPort} {
			if v == port.ID || v == port.NIC || v == port.Host+"."+port.NIC ||
				v == fmt.Sprintf("%s.%d", port.NIC, port.Index) {
				return true
			}
		}
		for _, l := range path.Links {
			if v == l.Name {
				return true
			}
		}
	}
	return false
}

// PathBetween is the path of one flow of a group.
func PathBetween(p *plan.Plan, from, to string, via []string) (plan.Path, string) {
	hostFrom, nicFrom, _ := strings.Cut(from, ".")
	hostTo, nicTo, _ := strings.Cut(to, ".")
	paths := p.Paths(hostFrom, hostTo)
	chosen := xslices.Filter(paths, func(path plan.Path) bool {
		return PassesThrough(path, via) && IsPort(path.FromPort, nicFrom) && IsPort(path.ToPort, nicTo)
	})
	switch {
	case len(paths) == 0:
		return plan.Path{}, fmt.Sprintf("no link joins %s and %s", hostFrom, hostTo)
	case len(chosen) == 0:
		return plan.Path{}, fmt.Sprintf("none of the %d paths from %s to %s goes via %s", len(paths), from, to,
			strings.Join(via, ", "))
	case len(chosen) > 1:
		names := xslices.Map(chosen, func(c plan.Path) string { return c.FromPort.NIC })
		return plan.Path{}, fmt.Sprintf("there are several paths from %s to %s; choose one with via: %s", from, to,
			strings.Join(slices.Compact(names), " or "))
	}
	return chosen[0], ""
}

// IsPort reports whether nic, the part of an endpoint after its host, names this port or its adapter.
func IsPort(port *plan.Port, nic string) bool {
	return nic == "" || port.NIC == nic || port.ID == port.Host+"."+nic ||
		nic == fmt.Sprintf("%s.%d", port.NIC, port.Index)
}

// EndsOf returns the two ends of a path as a record has them.
func EndsOf(p plan.Path) []record.End {
	var out []record.End
	for _, port := range []*plan.Port{p.FromPort, p.ToPort} {
		out = append(out,
			record.End{Host: port.Host, Port: port.ID, Interface: port.Interface, Address: port.Address.Addr().String()})
	}
	return out
}
