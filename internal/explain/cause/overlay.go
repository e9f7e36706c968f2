package cause

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
)

// overlay is the cause where the data goes into a tunnel (WireGuard, VXLAN, a VPN) instead of onto the link. The check
// finds the route, and the byte counters of the tunnel's interface show that the data took it. That alone limits
// nothing. The limit is a full core, goodput at the ceiling of the tunnel's smaller packets, or a slower link below the
// tunnel.
var overlay = judge.Cause{
	ID: "overlay", Title: "a tunnel on the way",
	Plain: "The data do not go straight over the link, but through a tunnel, which a CPU packs and unpacks packet " +
		"by packet.",
	Applies: judge.IP,
	Test: func(c *judge.Case) *judge.Match {
		s := c.Sender
		if c.Repeat == nil || s.Port == nil || c.Receiver.Port == nil || s.NIC() == nil || c.Ceiling > 0 &&
			c.Share() >= judge.AtCeiling {
			return nil
		}
		peer := c.Receiver.Port.Address.Addr()
		f := c.State("overlay", s, peer.String())
		route, ok := s.Shots.After.RouteTo(peer)
		moved := c.IntervalBytes()
		if f == nil || !ok || moved <= 0 {
			return nil
		}
		tunnel := s.Shots.After.NIC(route.Interface)
		if tunnel == nil {
			return nil
		}
		m := c.Candidate(s.Host+": "+tunnel.Name, "goes through the tunnel %s of %s instead of straight over %s.",
			tunnel.Name, s.Host, s.Port.Interface)
		m.FromCheck(s.Host, f)
		m.Add(judge.FindingEvidence(f, "interface")...)
		through, why := s.DeltaOn(tunnel.Name, "tx_bytes")
		if why != "" || through.Gross < 0.9*moved {
			return m
		}
		m.Add(judge.Reading(s.Host, "counters of "+tunnel.Name, "tx_bytes", through.Gross, "bytes", "%s left through %s "+
			"while %s were measured", unit.Bytes(through.Gross).Like(unit.Bytes(moved)), tunnel.Name,
			unit.Bytes(moved)))
		own, why := c.Delta(s, "tx_bytes")
		if why == "" && own.Gross < 0.5*moved {
			m.Likely(judge.Reading(s.Host, "counters of "+s.Port.Interface, "tx_bytes of the link", own.Gross, "bytes",
				"the tunnel's packets left by another interface, too: %s on %s", unit.Bytes(own.Gross), s.Port.Interface))
			return m
		}
		if b := cpuBound(c); b != nil {
			m.Strength = judge.Likely
			m.Sentence += fmt.Sprintf(" Each packet is wrapped and unwrapped by a CPU, and %s has no time left.", b.what)
			m.Add(b.evidence)
			return m
		}
		// A packet of the tunnel is one of the link with less payload.
		if leaves := c.Ceiling * inTunnel(c, tunnel.Kind); leaves > 0 {
			m.Proves(c.Goodput, leaves, fmt.Sprintf("segments of %.0f bytes in packets of the tunnel leave %s of the link",
				segment(c), judge.Rate(leaves)), "goodput "+judge.Rate(c.Goodput))
		}
		return m
	},
}

// wrapped is the overhead of a tunnel over IPv4 per packet, in bytes: outer headers, and the inner Ethernet header
// where it carries frames.
var wrapped = map[string]float64{"vxlan": 20 + 8 + 8 + 14, "geneve": 20 + 8 + 8 + 14, "wireguard": 20 + 8 + 32,
	"gre": 20 + 4, "gretap": 20 + 4 + 14, "ipip": 20, "sit": 20}

// inTunnel returns the share of the link's goodput that is left in a tunnel of this kind for segments of the present
// size; 0: it is not known.
func inTunnel(c *judge.Case, kind string) float64 {
	const inside, around = 52, 38 // headers of TCP and IPv4 with timestamps; Ethernet's overhead per packet
	n, extra := c.Sender.NIC(), wrapped[kind]
	if n == nil || n.MTU <= inside || extra == 0 || c.Ceiling <= 0 {
		return 0
	}
	direct := (float64(n.MTU) - inside) / (float64(n.MTU) + around)
	return segment(c) / (segment(c) + inside + extra + around) / direct
}
