package survey

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/facts"
)

// RDMA says whether both ends of a network of two have RDMA on it, and has the file say what their cards speak. why is the reason where they have not; empty: they have.
func (d *Draft) RDMA(n *Net) (why string) {
	if len(n.Ends) != 2 {
		return "more than two machines are on the network"
	}
	var speaks [2]string
	for i, e := range n.Ends {
		if speaks[i], why = e.rdma(); why != "" {
			return why
		}
	}
	if speaks[0] != speaks[1] {
		return fmt.Sprintf("%s speaks %s, and %s %s", n.Ends[0].Host.Name, speaks[0], n.Ends[1].Host.Name, speaks[1])
	}
	for i, e := range n.Ends {
		for _, c := range e.Host.Cards {
			if slices.Contains(c.Ports, e.lower.Name) {
				c.RDMA = speaks[i]
			}
		}
	}
	return ""
}

// rdma is what the RDMA device over an end's interface speaks, as the file writes it, or why there is none.
func (e *End) rdma() (speaks, why string) {
	host, f := e.Host.Name, e.Host.Facts
	if f.OS != "linux" {
		return "", fmt.Sprintf("linerate measures it between Linux hosts, and %s is none", host)
	}
	if f.RDMA == nil {
		return "", fmt.Sprintf("whether %s has an RDMA device is not known", host)
	}
	for i := range f.RDMA {
		for _, p := range f.RDMA[i].Ports {
			if name := p.Interface.Or(""); name != e.lower.Name && name != e.nic.Name {
				continue
			}
			if state := p.State.Or(""); state != "" && state != "ACTIVE" {
				return "", fmt.Sprintf("port %d of %s of %s is %s", p.Port, f.RDMA[i].Name, host, strings.ToLower(state))
			}
			return spoken(&f.RDMA[i], &p), ""
		}
	}
	return "", fmt.Sprintf("%s has no RDMA device on %s", host, e.nic.Name)
}

// spoken is the protocol of a port of an RDMA device.
func spoken(d *facts.RDMADevice, p *facts.RDMAPort) string {
	switch {
	case p.LinkLayer.Or("") == "InfiniBand":
		return "ib"
	case strings.Contains(d.NodeType.Or(""), "RNIC"):
		return "iwarp"
	case len(p.GIDs) > 0 && !slices.ContainsFunc(p.GIDs, func(g facts.GID) bool { return strings.Contains(g.Type.Or("RoCE v2"), "v2") }):
		return "rocev1"
	}
	return "rocev2"
}
