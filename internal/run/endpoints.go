package run

import (
	"fmt"
	"strings"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
)

// endpoints finds the paths that an experiment runs over, or says why there is
// none: between its two hosts, through via if it is given, or every link.
func endpoints(p *plan.Plan, e *fabric.Experiment) ([]plan.Path, string) {
	if len(e.On) == 1 && e.On[0] == "links" {
		paths := everyLink(p)
		if len(paths) == 0 {
			return nil, "no link joins two hosts that have addresses"
		}
		return paths, ""
	}
	if len(e.From) != 1 || len(e.To) != 1 {
		return nil, "it names no from and to"
	}
	paths := p.Paths(e.From[0], e.To[0])
	var chosen []plan.Path
	for _, path := range paths {
		if through(path, e.Via) {
			chosen = append(chosen, path)
		}
	}
	switch {
	case len(paths) == 0:
		return nil, fmt.Sprintf("no link joins %s and %s", e.From[0], e.To[0])
	case len(chosen) == 0:
		return nil, fmt.Sprintf("none of the %d paths from %s to %s goes via %s", len(paths), e.From[0], e.To[0], strings.Join(e.Via, ", "))
	case len(e.Via) > 1:
		return chosen, ""
	}
	if len(chosen) > 1 {
		var names []string
		for _, c := range chosen {
			names = append(names, c.FromPort.ID)
		}
		return nil, fmt.Sprintf("there are several paths from %s to %s; choose one with via: %s", e.From[0], e.To[0], strings.Join(names, " or "))
	}
	return chosen, ""
}

// through says whether a path uses a card or port that via names.
func through(path plan.Path, via []string) bool {
	if len(via) == 0 {
		return true
	}
	for _, v := range via {
		for _, port := range []*plan.Port{path.FromPort, path.ToPort} {
			if v == port.ID || v == port.Card || v == port.Host+"."+port.Card || v == fmt.Sprintf("%s.%d", port.Card, port.Index) {
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

// everyLink is a path over every link: each link between two hosts; behind
// switches each host to the next one and the last to the first, so that every
// cable carries traffic both ways. Virtual machines share their host's cable and
// are left out.
func everyLink(p *plan.Plan) []plan.Path {
	var out []plan.Path
	ring := map[string][]*plan.Port{} // hosts behind joined switches, by subnet
	var order []string
	for _, l := range p.Links {
		a, b := l.Ends[0], l.Ends[1]
		if a.Host != "" && b.Host != "" {
			for _, path := range p.Paths(a.Host, b.Host) {
				if len(path.Links) == 1 && path.Links[0] == l {
					out = append(out, path)
				}
			}
			continue
		}
		end := a
		if end.Host == "" {
			end = b
		}
		port := addressed(p, end)
		if port == nil {
			continue
		}
		key := port.Address.Masked().String()
		if ring[key] == nil {
			order = append(order, key)
		}
		if n := len(ring[key]); n == 0 || ring[key][n-1] != port {
			ring[key] = append(ring[key], port)
		}
	}
	for _, key := range order {
		out = append(out, around(p, ring[key])...)
	}
	return out
}

// addressed is the port that carries the address of a link's host end: the port
// itself, or the bond over it.
func addressed(p *plan.Plan, end plan.End) *plan.Port {
	port := p.Port(end.ID)
	if port == nil || port.Address.IsValid() {
		return port
	}
	h := p.Host(end.Host)
	for _, bond := range h.Decl.Bonds {
		for _, m := range bond.Of {
			if m.String() == end.ID || m.Host == port.Host && m.Card == port.Card && m.Index == port.Index {
				return p.Port(end.Host + "." + bond.Name)
			}
		}
	}
	return nil
}

func around(p *plan.Plan, ports []*plan.Port) []plan.Path {
	var out []plan.Path
	for i, from := range ports {
		to := ports[(i+1)%len(ports)]
		if from.Host == to.Host || len(ports) == 2 && i == 1 {
			continue
		}
		for _, path := range p.Paths(from.Host, to.Host) {
			if path.FromPort == from && path.ToPort == to {
				out = append(out, path)
				break
			}
		}
	}
	return out
}
