package network

import (
	"cmp"
	"fmt"
	"slices"

	"linerate/internal/base/method"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/run/experiment"
)

// incast chooses the senders and the receiver, or returns why there are none: the hosts that the file names, else all
// of the subnet in which most can send to one. Of several possible receivers it takes the one that other experiments go
// to, as to a server, then the first of the file. A virtual machine sends through its host's port, so it is left out
// unless it is named.
func (m *lossless) incast(p *plan.Plan, e *fabric.Experiment) string {
	if len(e.To) > 1 {
		return fmt.Sprintf("an incast goes to one host, and to has %d; write to: HOST", len(e.To))
	}
	var best []plan.Path
	uses := func(name string) int {
		n := 0
		for _, other := range p.Fabric.Experiments {
			if !method.Named(other.Method).ProvesClasses &&
				slices.ContainsFunc(other.To, func(to string) bool { return experiment.HostOf(to) == name }) {
				n++
			}
		}
		return n
	}
	for _, h := range p.Hosts {
		if len(e.To) == 1 && h.Name != experiment.HostOf(e.To[0]) ||
			len(e.To) == 0 && (h.Decl.On != "" || len(e.From) > 0 && isAmong(e.From, h.Name)) {
			continue
		}
		for _, port := range h.Ports {
			if len(e.To) == 1 && !experiment.IsPort(port, experiment.NICOf(e.To[0])) {
				continue
			}
			ways := senders(p, e, h, port)
			if len(ways) > len(best) || len(ways) > 0 && len(ways) == len(best) && uses(h.Name) > uses(best[0].To) {
				best = ways
			}
		}
	}
	switch {
	case len(best) == 0:
		return "no hosts of one subnet are joined by links: no host can send to another"
	case len(best) > maxSenders:
		return fmt.Sprintf(
			"%d hosts would send to %s, each with two flows, and linerate's limit is %d flows a host; name up to %d with from",
			len(best), best[0].To, maxFlows, maxSenders)
	}
	m.flows = best
	return ""
}

// senders are the paths to a port, one from each host that can send to it.
func senders(p *plan.Plan, e *fabric.Experiment, to *plan.Host, port *plan.Port) (ways []plan.Path) {
	for _, from := range p.Hosts {
		switch {
		case len(e.From) > 0 && !isAmong(e.From, from.Name),
			len(e.From) == 0 && from.Decl.On != "",
			machineOf(from) == machineOf(to):
			continue
		}
		for _, way := range p.Paths(from.Name, to.Name) {
			if way.ToPort == port && len(way.Links) > 0 && experiment.PassesThrough(way, e.Via) {
				ways = append(ways, way)
				break
			}
		}
	}
	return ways
}

// machineOf is the host that a virtual machine runs on, or the host itself.
func machineOf(h *plan.Host) string { return cmp.Or(h.Decl.On, h.Name) }

func isAmong(places []string, host string) bool {
	return slices.ContainsFunc(places, func(s string) bool { return experiment.HostOf(s) == host })
}
