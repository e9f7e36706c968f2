package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// overlay: the data goes into a tunnel (WireGuard, VXLAN, a VPN) instead of onto the link. The route is said by the check; the bytes that the
// tunnel's interface counted show that the data went that way. That alone holds nothing back: a core that is full, or goodput at what the
// tunnel's smaller packets leave of the link, does, or that the tunnel's own packets go over another, slower link.
var overlay = Cause{
	ID: "overlay", Title: "a tunnel on the way",
	Test: func(c *Case) *Match {
		s := c.Sender
		if c.Repeat == nil || s.Port == nil || c.Receiver.Port == nil || s.NIC() == nil || c.Ceiling > 0 && c.Share() >= atCeiling {
			return nil
		}
		peer := c.Receiver.Port.Address.Addr()
		f := c.state("overlay", s, peer.String())
		route, ok := s.Shots.After.RouteTo(peer)
		moved := c.windowBytes()
		if f == nil || !ok || moved <= 0 {
			return nil
		}
		tunnel := s.Shots.After.NIC(route.Interface)
		if tunnel == nil {
			return nil
		}
		m := &Match{
			Strength: Candidate, Component: s.Host + ": " + tunnel.Name,
			Sentence: fmt.Sprintf("%s goes through the tunnel %s of %s instead of straight over %s.", c.subject(), tunnel.Name, s.Host, s.Port.Interface),
			Fix:      fromCheck(s.Host, f.Fix), Undo: fromCheck(s.Host, f.Undo), NextCeiling: c.nextCeiling(""),
		}
		m.Evidence = append(m.Evidence, said(f, "interface")...)
		through, why := s.deltaOn(tunnel.Name, "tx_bytes")
		if why != "" || through.Gross < 0.9*moved {
			return m
		}
		m.Evidence = append(m.Evidence, record.Evidence{Host: s.Host, Source: "counters of " + tunnel.Name, Counter: "tx_bytes", After: ptr(through.Gross), Unit: "bytes",
			Text: fmt.Sprintf("%s left through %s while %s were measured", unit.Bytes(through.Gross), tunnel.Name, unit.Bytes(moved))})
		own, why := c.delta(s, "tx_bytes")
		if why == "" && own.Gross < 0.5*moved {
			m.Strength = Likely
			m.Evidence = append(m.Evidence, record.Evidence{Host: s.Host, Source: "counters of " + s.Port.Interface, Counter: "tx_bytes of the link", After: ptr(own.Gross), Unit: "bytes",
				Text: fmt.Sprintf("the tunnel's packets left by another interface, too: %s on %s", unit.Bytes(own.Gross), s.Port.Interface)})
			return m
		}
		if b := c.processorBound(); b != nil {
			m.Strength = Likely
			m.Sentence += fmt.Sprintf(" Each packet is wrapped and unwrapped by a processor, and %s has no time left.", b.what)
			m.Evidence = append(m.Evidence, b.evidence)
			return m
		}
		// A tunnel's packet is a packet of the link with less in it.
		if leaves := c.Ceiling * c.inTunnel(tunnel.Kind); leaves > 0 {
			if d, near := closes(c.Goodput, leaves); near {
				m.Strength = Proved
				m.Identity = &record.Identity{Left: fmt.Sprintf("segments of %.0f bytes in packets of the tunnel leave %s of the link", c.segment(), rate(leaves)), Right: "goodput " + rate(c.Goodput), Difference: d}
			}
		}
		return m
	},
}

// wrapped is what a tunnel over IPv4 puts around each packet, in bytes: outer headers, and the inner one of Ethernet where it carries frames.
var wrapped = map[string]float64{"vxlan": 20 + 8 + 8 + 14, "geneve": 20 + 8 + 8 + 14, "wireguard": 20 + 8 + 32, "gre": 20 + 4, "gretap": 20 + 4 + 14, "ipip": 20, "sit": 20}

// inTunnel is the part of the link's goodput that is left for segments as they are, in a tunnel of a kind; 0: it is not known.
func (c *Case) inTunnel(kind string) float64 {
	const inside, around = 52, 38 // headers of TCP and IPv4 with timestamps; what Ethernet puts around a packet
	n, extra := c.Sender.NIC(), wrapped[kind]
	if n == nil || n.MTU <= inside || extra == 0 || c.Ceiling <= 0 {
		return 0
	}
	direct := (float64(n.MTU) - inside) / (float64(n.MTU) + around)
	return c.segment() / (c.segment() + inside + extra + around) / direct
}
