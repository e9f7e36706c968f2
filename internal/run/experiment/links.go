package experiment

import (
	"linerate/internal/design/plan"
)

// EveryLink returns a path over every link: each link between two hosts, and behind switches each host to the next one
// and the last to the first, so that every cable carries traffic both ways. Virtual machines share their host's cable
// and are left out.
func EveryLink(p *plan.Plan) []plan.Path {
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

// addressed is the port with the address of a link's host end: the port itself, or the bond over it.
func addressed(p *plan.Plan, end plan.End) *plan.Port {
	port := p.Port(end.ID)
	if port == nil || port.Address.IsValid() {
		return port
	}
	h := p.Host(end.Host)
	for _, bond := range h.Decl.Bonds {
		for _, m := range bond.Of {
			if m.String() == end.ID || m.Host == port.Host && m.NIC == port.NIC && m.Index == port.Index {
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
