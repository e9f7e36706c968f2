package main

import (
	"context"
	"slices"

	"linerate/internal/agent"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
)

// tryPeers is what came of a host's probes; where they could not be made, why.
func tryPeers(ctx context.Context, client *agent.Client, peers []facts.ProbeTarget) []byte {
	if len(peers) == 0 {
		return nil
	}
	text, err := client.Probe(ctx, peers)
	if err != nil {
		return facts.NotProbed(peers, err.Error())
	}
	return text
}

// mostPeers is how many peers a host tries: in a fabric of a thousand hosts each tries those that come after it.
const mostPeers = 32

// peers are the addresses that a host reaches over its links without a router, with the MTU that the plan has on the way.
func peers(p *plan.Plan, h *plan.Host) (out []facts.ProbeTarget) {
	at := slices.Index(p.Hosts, h)
	for k := 1; k < len(p.Hosts) && len(out) < mostPeers; k++ {
		for _, theirs := range p.Hosts[(at+k)%len(p.Hosts)].Ports {
			for _, own := range h.Ports {
				if own.Link == "" || theirs.Link == "" || !own.Address.IsValid() || !theirs.Address.IsValid() || !own.Address.Contains(theirs.Address.Addr()) {
					continue
				}
				if mtu := min(own.MTU, theirs.MTU); mtu >= 576 && len(out) < mostPeers {
					out = append(out, facts.ProbeTarget{Address: theirs.Address.Addr(), MTU: mtu})
				}
			}
		}
	}
	return out
}
